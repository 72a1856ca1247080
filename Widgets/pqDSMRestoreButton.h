// SPDX-License-Identifier: BSD-3-Clause
#ifndef pqDSMRestoreButton_h
#define pqDSMRestoreButton_h

#include <QToolButton>

class pqDSMServerProxy;
struct pqDSMStatus;

/// Brings a file back from the server's disk into memory: asks which, and by what name programs are
/// to open it. While it is read the button says how far it is.
class pqDSMRestoreButton : public QToolButton
{
  Q_OBJECT
  using Superclass = QToolButton;

public:
  pqDSMRestoreButton(pqDSMServerProxy* server, QWidget* parent);

  void showStatus(const pqDSMStatus& status);

private:
  void chooseFile();
  void chooseName(const QString& path);

  pqDSMServerProxy* Server;
  QString Folder; ///< where the last one was
};

#endif
