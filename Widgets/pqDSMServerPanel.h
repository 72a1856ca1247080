// SPDX-License-Identifier: BSD-3-Clause
#ifndef pqDSMServerPanel_h
#define pqDSMServerPanel_h

#include "pqDSMAutoPin.h"
#include "pqDSMPinRules.h"
#include "pqDSMStatus.h"
#include "pqDSMStopwatch.h"
#include "pqDSMStreams.h"

#include <QDockWidget>
#include <QElapsedTimer>
#include <QTimer>

#include <memory>

class pqDSMActivityPage;
class pqDSMContentsPage;
class pqDSMFollower;
class pqDSMHeader;
class pqDSMLeaveGuard;
class pqDSMNotices;
class pqDSMServerProxy;
class pqDSMSettingsPage;
class pqDSMSharedTime;
class pqDSMSnapshotPage;
class pqDSMSteeringPage;
class pqPipelineSource;
class QMenu;
class QTabWidget;

/// The dock of one server: shows what simulations write into it, and lets the user choose what is
/// displayed, steer and stop it. Knows the server by its proxy only.
class pqDSMServerPanel : public QDockWidget
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
  /// For tests: whether the panel looks for new snapshots between two polls.
  Q_PROPERTY(bool looks MEMBER Looks)
  /// For tests: the snapshot shown, how many were skipped, and the last error.
  Q_PROPERTY(qlonglong shown READ shown)
  Q_PROPERTY(qlonglong skipped READ skipped)
  Q_PROPERTY(QString errorText READ errorText)

public:
  /// Takes `server` over.
  pqDSMServerPanel(pqDSMServerProxy* server, std::shared_ptr<pqDSMSharedTime> time,
    const QString& title, QWidget* parent, Qt::WindowFlags flags = {});
  ~pqDSMServerPanel() override;

  pqDSMServerProxy* serverProxy() const { return this->ServerProxy; }
  pqDSMFollower* follower() const { return this->Follower; }
  /// Returns whether the page Contents shows this reader if it is ParaView's active source.
  virtual bool mayShow(const pqPipelineSource* reader) const;

  double longestPoll() const { return this->PollTime.longest(); }
  double longestPollWallTime() const { return this->PollTime.longestWallTime(); }
  double longestUpdate() const { return this->UpdateTime.longest(); }
  void setLongest(double) { this->PollTime = this->UpdateTime = {}; }
  int pollInterval() const { return this->PollInterval; }
  void setPollInterval(int milliseconds);
  qlonglong shown() const;
  qlonglong skipped() const;
  QString errorText() const;

Q_SIGNALS:
  /// The server is asked for its status next.
  void polling();
  /// The server's status, or what is shown of it, is another one.
  void displayed();
  /// Other snapshots are shown.
  void shownChanged();

protected:
  pqDSMHeader* header() const { return this->Header; }
  pqDSMLeaveGuard* leaveGuard() const { return this->LeaveGuard; }
  pqDSMSteeringPage* steering() const { return this->Steering; }
  /// Brings the page Steering to the front.
  void showSteering();

private:
  void look();
  void poll();
  /// Waits for the next poll, or for so many milliseconds until the next look.
  void wait(double least);
  void takeStatus();
  void chooseFolder();
  void showLost();
  void takeShown();
  void display();
  pqPipelineSource* reader() const;
  void askReader();
  void openSnapshotMenu(const QVector<pqDSMStatus::Snapshot>& snapshots, const QPoint& place);
  void openGroupMenu(const pqDSMStreams::Group& group, const QPoint& place);
  void addExport(QMenu* menu);
  void addPinEvery(QMenu* menu, const QString& stream);
  void renderContents();
  void changeProxy();

  pqDSMServerProxy* ServerProxy;
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
  QTimer Timer;
  QElapsedTimer SincePoll;
  pqDSMAutoPin AutoPin;
  pqDSMPinRules PinRules;
  qlonglong PollCount = 0;
  int PollInterval;
  bool Looks = true;
  pqDSMStopwatch PollTime;
  pqDSMStopwatch UpdateTime;
};

#endif
