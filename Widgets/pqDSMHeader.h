// SPDX-License-Identifier: BSD-3-Clause
#ifndef pqDSMHeader_h
#define pqDSMHeader_h

#include <QWidget>

class pqDSMServerProxy;
struct pqDSMStatus;
class pqDSMStateLine;
class pqDSMWatchButton;
class QProgressBar;
class QPushButton;

/// The line above the pages: the server's state, the memory in use, Start, Watch and Stop.
class pqDSMHeader : public QWidget
{
  Q_OBJECT
  using Superclass = QWidget;

public:
  explicit pqDSMHeader(QWidget* parent);

  void show(const pqDSMServerProxy& server);
  /// What is possible when ParaView's server has ended, from what was known of it.
  void showLost(const pqDSMServerProxy& server);
  pqDSMStateLine* state() { return this->State; }
  pqDSMWatchButton* watch() { return this->Watch; }

Q_SIGNALS:
  void startRequested();
  void stopRequested();

private:
  void showStop(bool watched);
  void showMemory(const pqDSMStatus& status);

  pqDSMStateLine* State;
  pqDSMWatchButton* Watch;
  QPushButton* Start;
  QPushButton* Stop;
  QProgressBar* Memory;
};

#endif
