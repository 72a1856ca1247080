// SPDX-License-Identifier: BSD-3-Clause
#ifndef pqDSMPanel_h
#define pqDSMPanel_h

#include "pqDSMKeeper.h"
#include "pqDSMStopwatch.h"

#include <QDockWidget>
#include <QTimer>

class pqDSMActivity;
class pqDSMContents;
class pqDSMFollower;
class pqDSMHead;
class pqDSMLink;
class pqDSMSettingsPage;
class pqDSMSnapshotPage;
class pqDSMSteeringPage;

/// The dock "DSM": start and stop the server of the active connection, watch what simulations write
/// into it, choose what is shown. Knows the server by its proxy only.
class pqDSMPanel : public QDockWidget
{
  Q_OBJECT
  using Superclass = QDockWidget;
  /// The longest that the panel kept ParaView's window from answering since these were set to 0, in
  /// milliseconds: to look at the server and to show what it said, and to bring the picture up to
  /// date, which is ParaView's pipelines and views for the most part. See pqDSMStopwatch for what
  /// counts.
  Q_PROPERTY(double longestLook READ longestLook WRITE setLongest)
  Q_PROPERTY(double longestLookOnTheWall READ longestLookOnTheWall)
  Q_PROPERTY(double longestPicture READ longestPicture)
  Q_PROPERTY(qlonglong looks MEMBER LookCount)
  /// The snapshot shown, those skipped, and what went wrong last: for tests.
  Q_PROPERTY(qlonglong shown READ shown)
  Q_PROPERTY(qlonglong skipped READ skipped)
  Q_PROPERTY(QString errorText READ errorText)

public:
  explicit pqDSMPanel(QWidget* parent = nullptr, Qt::WindowFlags flags = {});
  ~pqDSMPanel() override;

  double longestLook() const { return this->Looks.longest(); }
  double longestLookOnTheWall() const { return this->Looks.longestOnTheWall(); }
  double longestPicture() const { return this->Pictures.longest(); }
  void setLongest(double) { this->Looks = this->Pictures = {}; }
  qlonglong shown() const;
  qlonglong skipped() const;
  QString errorText() const;

private:
  void look();
  void display();
  void adoptProxy();
  void showEvent(QShowEvent* event) override;

  pqDSMLink* Link;
  pqDSMFollower* Follower;
  pqDSMHead* Head;
  pqDSMSnapshotPage* Snapshots;
  pqDSMContents* Contents;
  pqDSMSettingsPage* Settings;
  pqDSMActivity* Activity;
  pqDSMSteeringPage* Steering;
  QTimer Clock;
  pqDSMKeeper Keeper;
  qlonglong LookCount = 0;
  pqDSMStopwatch Looks;
  pqDSMStopwatch Pictures;
  bool Sized = false;
};

#endif
