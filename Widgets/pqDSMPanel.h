// SPDX-License-Identifier: BSD-3-Clause
#ifndef pqDSMPanel_h
#define pqDSMPanel_h

#include <QDockWidget>
#include <QTimer>

class pqDSMActivity;
class pqDSMFollower;
class pqDSMLink;
class pqDSMSnapshotModel;
class pqDSMStateLine;
class pqProxyWidget;
class QCheckBox;
class QLabel;
class QProgressBar;
class QPushButton;
class QTableView;
class QToolButton;
class QVBoxLayout;

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
  QWidget* makeHead();
  QWidget* makeSnapshots();
  QWidget* makeSettings();
  void connectAll();

  void look();
  void display();
  void displayMemory();
  void displayError();
  void showSettings();
  void showEvent(QShowEvent* event) override;
  void setFollowing(bool following);

  pqDSMLink* Link;
  pqDSMFollower* Follower;
  pqDSMSnapshotModel* Snapshots;
  QTimer Clock;
  double LongestPoll = 0;

  pqDSMStateLine* State = nullptr;
  QPushButton* Start = nullptr;
  QPushButton* Stop = nullptr;
  QWidget* Launch = nullptr;
  QLabel* LaunchLine = nullptr;
  QToolButton* Copy = nullptr;
  QWidget* ErrorBox = nullptr;
  QLabel* ErrorText = nullptr;
  QToolButton* Dismiss = nullptr;
  QString Dismissed;
  bool Sized = false;
  QString Reported; ///< in ParaView's messages
  QProgressBar* Memory = nullptr;
  QToolButton* Follow = nullptr;
  QToolButton* Hold = nullptr;
  QCheckBox* Automatic = nullptr;
  QLabel* Counts = nullptr;
  QTableView* Table = nullptr;
  QVBoxLayout* SettingsLayout = nullptr;
  QWidget* Settings = nullptr;
  QLabel* SettingsNote = nullptr;
  pqDSMActivity* Activity = nullptr;
};

#endif
