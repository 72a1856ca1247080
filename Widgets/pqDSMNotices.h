// SPDX-License-Identifier: BSD-3-Clause
#ifndef pqDSMNotices_h
#define pqDSMNotices_h

#include <QString>
#include <QWidget>

class pqDSMLaunchLine;
class pqDSMMessageLabel;
class pqDSMServerProxy;
class pqDSMStateLine;
struct pqDSMStatus;

/// The texts below the pages: what the server's state means, the command that launches a
/// simulation, and the last error. They take their height from the end of the pages, so that
/// nothing above them moves under the mouse.
class pqDSMNotices : public QWidget
{
  Q_OBJECT
  using Superclass = QWidget;

public:
  /// Shows what `state` says of the server's state.
  pqDSMNotices(pqDSMStateLine* state, QWidget* parent);

  /// Shows one error: a command's, else the reader's, else what an earlier ParaView crashed of,
  /// else the server's last one, with its time and until the next simulation.
  void show(const pqDSMServerProxy& server, const QString& readerError);
  QString errorText() const;

Q_SIGNALS:
  /// Another folder for the contact file is wanted.
  void folderRequested();

private:
  QWidget* makeError();
  void showError(const pqDSMStatus& status, const QString& readerError);

  pqDSMLaunchLine* Launch;
  QWidget* ErrorBox = nullptr;
  pqDSMMessageLabel* ErrorText = nullptr;
  QString Dismissed;      ///< the error that the user has hidden
  QString DismissedCrash; ///< the same of what an earlier ParaView crashed of
  QString Logged;         ///< the last error in ParaView's messages
  ///@{
  /// When the server's last error was, and how many simulations had connected by then.
  double LastErrorAt = 0;
  qint64 WritersAtError = 0;
  ///@}
};

#endif
