// SPDX-License-Identifier: BSD-3-Clause
#ifndef pqDSMStartGuard_h
#define pqDSMStartGuard_h

#include <QObject>
#include <QPointer>

class pqDSMServerProxy;
class QMessageBox;
class QWidget;
struct pqDSMFoundServer;

/// Starts the server, and asks first if a server of another program runs with the contact file,
/// such as the host processes of a ParaView that crashed. The answers are to reconnect to it, to
/// watch it, to choose another contact file, to stop it, and Cancel.
class pqDSMStartGuard : public QObject
{
  Q_OBJECT
  using Superclass = QObject;

public:
  /// Questions are children of `panel`.
  pqDSMStartGuard(pqDSMServerProxy* server, QWidget* panel);

  void start();

private:
  void ask(const pqDSMFoundServer& found);
  void chooseFile(const QString& present);
  void stopAndStart();

  pqDSMServerProxy* Server;
  QWidget* Panel;
  QPointer<QMessageBox> Question;
};

#endif
