// SPDX-License-Identifier: BSD-3-Clause
#ifndef pqDSMFileChoice_h
#define pqDSMFileChoice_h

#include <pqFileDialog.h>

#include <QString>

#include <functional>

class pqServer;

/// A dialog for one file or folder on the server's machine, which does not hold up the window.
namespace pqDSMFileChoice
{
/// What is asked for: the dialog's object name and title, and where it begins.
struct Request
{
  QString Name;
  QString Title;
  QString Folder;
  pqFileDialog::FileMode Mode = pqFileDialog::Directory;
  QString Filter = {};
};

/// Opens the dialog; `chosen` is called with the path if one is chosen, as long as `receiver` is
/// there.
void open(pqServer* server, QWidget* parent, const Request& request, QObject* receiver,
  const std::function<void(const QString& path)>& chosen);
}

#endif
