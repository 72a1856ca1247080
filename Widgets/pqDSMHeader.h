// SPDX-License-Identifier: BSD-3-Clause
#ifndef pqDSMHeader_h
#define pqDSMHeader_h

#include <QString>
#include <QWidget>

class pqDSMServerProxy;
struct pqDSMStatus;
class pqDSMLaunchLine;
class pqDSMMessageLabel;
class pqDSMStateLine;
class QProgressBar;
class QPushButton;
class QStackedWidget;

/// The part of the panel above the pages: the server's state, Start and Stop, the command that
/// launches a simulation or the last error, and the memory in use. Its height never changes, so
/// that the pages do not move under the mouse.
class pqDSMHeader : public QWidget
{
  Q_OBJECT
  using Superclass = QWidget;

public:
  explicit pqDSMHeader(QWidget* parent);

  void show(const pqDSMServerProxy& server);
  /// What is possible when ParaView's server has ended, from what was known of it.
  void showLost(const pqDSMServerProxy& server);
  /// Shows one error: a command's, else the reader's, else what an earlier ParaView
  /// crashed of, else the server's last one, with its time and until the next simulation.
  void showError(const pqDSMServerProxy& server, const QString& readerError);
  QString errorText() const;

Q_SIGNALS:
  void startRequested();
  void stopRequested();
  /// Another folder for the contact file is wanted.
  void folderRequested();
  /// Files are to be shown at each flush.
  void flushesRequested();

private:
  QWidget* makeError();
  void showMemory(const pqDSMStatus& status);

  pqDSMStateLine* State;
  QPushButton* Start;
  QPushButton* Stop;
  QStackedWidget* Box; ///< the launch line or, in its place, an error
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
  QProgressBar* Memory;
};

#endif
