// SPDX-License-Identifier: BSD-3-Clause
#ifndef pqDSMPanel_h
#define pqDSMPanel_h

#include "pqDSMAutoPin.h"
#include "pqDSMPinRules.h"
#include "pqDSMPythonStates.h"
#include "pqDSMStatus.h"
#include "pqDSMStopwatch.h"
#include "pqDSMStreams.h"

#include <QDockWidget>
#include <QTimer>

class pqDSMActivityPage;
class pqDSMCatalystMenu;
class pqDSMContentsPage;
class pqDSMExtracts;
class pqDSMFollower;
class pqDSMHeader;
class pqDSMLeaveGuard;
class pqDSMNotices;
class pqDSMServerProxy;
class pqDSMSettingsPage;
class pqDSMSnapshotPage;
class pqDSMStartGuard;
class pqDSMSteeringPage;
class pqDSMTerms;
class pqPipelineSource;
class QMenu;
class QTabWidget;

/// The dock "DSM": starts and stops the server of the active connection, shows what simulations
/// write into it, and lets the user choose what is displayed. Knows the server by its proxy only.
class pqDSMPanel : public QDockWidget
{
  Q_OBJECT
  using Superclass = QDockWidget;
  /// For tests: the longest that the panel kept ParaView's event loop since longestPoll was set to
  /// 0, in milliseconds. To ask the server for its status and show it (without waits for a
  /// processor, and with them: see pqDSMStopwatch), and to update the pipeline and the views, which
  /// is ParaView's own work for the most part.
  Q_PROPERTY(double longestPoll READ longestPoll WRITE setLongest)
  Q_PROPERTY(double longestPollWallTime READ longestPollWallTime)
  Q_PROPERTY(double longestUpdate READ longestUpdate)
  Q_PROPERTY(qlonglong polls MEMBER PollCount)
  /// For tests: the pause between two polls, in milliseconds. A change begins a new pause.
  Q_PROPERTY(int pollInterval READ pollInterval WRITE setPollInterval)
  /// For tests: the snapshot shown, how many were skipped, and the last error.
  Q_PROPERTY(qlonglong shown READ shown)
  Q_PROPERTY(qlonglong skipped READ skipped)
  Q_PROPERTY(QString errorText READ errorText)

public:
  explicit pqDSMPanel(QWidget* parent = nullptr, Qt::WindowFlags flags = {});
  ~pqDSMPanel() override;

  double longestPoll() const { return this->PollTime.longest(); }
  double longestPollWallTime() const { return this->PollTime.longestWallTime(); }
  double longestUpdate() const { return this->UpdateTime.longest(); }
  void setLongest(double) { this->PollTime = this->UpdateTime = {}; }
  int pollInterval() const { return this->PollInterval; }
  void setPollInterval(int milliseconds);
  qlonglong shown() const;
  qlonglong skipped() const;
  QString errorText() const;

private:
  void poll();
  void takeStatus();
  void chooseFolder();
  void chooseWatched();
  void showLost();
  void takeShown();
  void chooseExtracts(bool wanted);
  void showCatalyst();
  void display();
  pqPipelineSource* reader() const;
  void askReader();
  void openSnapshotMenu(const QVector<pqDSMStatus::Snapshot>& snapshots, const QPoint& place);
  void openGroupMenu(const pqDSMStreams::Group& group, const QPoint& place);
  void addExport(QMenu* menu);
  void addPinEvery(QMenu* menu, const QString& stream);
  void renderContents();
  void changeProxy();
  void showEvent(QShowEvent* event) override;

  pqDSMServerProxy* ServerProxy;
  pqDSMStartGuard* StartGuard;
  pqDSMLeaveGuard* LeaveGuard;
  pqDSMFollower* Follower;
  pqDSMHeader* Header;
  pqDSMNotices* Notices;
  pqDSMSnapshotPage* Snapshots;
  pqDSMContentsPage* Contents;
  pqDSMSettingsPage* Settings;
  pqDSMActivityPage* Activity;
  pqDSMSteeringPage* Steering;
  QTabWidget* Pages = nullptr;
  pqDSMCatalystMenu* Catalyst;
  pqDSMExtracts* Extracts;
  QTimer Timer;
  pqDSMAutoPin AutoPin;
  pqDSMPinRules PinRules;
  pqDSMPythonStates PythonStates;
  pqDSMTerms* Terms;
  qlonglong PollCount = 0;
  int PollInterval;
  pqDSMStopwatch PollTime;
  pqDSMStopwatch UpdateTime;
  bool Sized = false;
};

#endif
