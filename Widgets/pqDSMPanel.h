// SPDX-License-Identifier: BSD-3-Clause
#ifndef pqDSMPanel_h
#define pqDSMPanel_h

#include <QDockWidget>
#include <QTimer>

class pqDSMActivity;
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
  /// The longest that one look at the server kept ParaView's window from answering, in
  /// milliseconds; pipelines that were updated meanwhile not counted.
  Q_PROPERTY(double longestPoll READ longestPoll)
  /// The snapshot shown, those skipped, and what went wrong last: for tests.
  Q_PROPERTY(qlonglong shown READ shown)
  Q_PROPERTY(qlonglong skipped READ skipped)
  Q_PROPERTY(QString errorText READ errorText)

public:
  explicit pqDSMPanel(QWidget* parent = nullptr, Qt::WindowFlags flags = {});
  ~pqDSMPanel() override;

  double longestPoll() const { return this->LongestPoll; }
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
  pqDSMSettingsPage* Settings;
  pqDSMActivity* Activity;
  pqDSMSteeringPage* Steering;
  QTimer Clock;
  double LongestPoll = 0;
  bool Sized = false;
};

#endif
