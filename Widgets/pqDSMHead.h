// SPDX-License-Identifier: BSD-3-Clause
#ifndef pqDSMHead_h
#define pqDSMHead_h

#include <QString>
#include <QWidget>

class pqDSMLink;
class pqDSMStateLine;
class pqDSMNotice;
class QLabel;
class QProgressBar;
class QPushButton;
class QToolButton;

/// What stands above the panel's pages: the server's state, Start and Stop, how a simulation is
/// launched, what went wrong, and the memory in use.
class pqDSMHead : public QWidget
{
  Q_OBJECT
  using Superclass = QWidget;

public:
  explicit pqDSMHead(QWidget* parent);

  void show(const pqDSMLink& link);
  /// What went wrong with what is shown; an error of a command comes first.
  void showError(const pqDSMLink& link, const QString& ofPicture);
  QString errorText() const;

Q_SIGNALS:
  void startRequested();
  void stopRequested();

private:
  QWidget* makeLaunch();
  QWidget* makeError();
  void showMemory(const pqDSMLink& link);

  pqDSMStateLine* State;
  QPushButton* Start;
  QPushButton* Stop;
  QWidget* Launch = nullptr;
  QLabel* LaunchLine = nullptr;
  QWidget* ErrorBox = nullptr;
  pqDSMNotice* ErrorText = nullptr;
  QString Dismissed;
  QString Reported; ///< in ParaView's messages
  QProgressBar* Memory;
};

#endif
