// SPDX-License-Identifier: BSD-3-Clause
#ifndef pqDSMFollower_h
#define pqDSMFollower_h

#include "pqDSMFollowState.h"
#include "pqDSMStatus.h"

#include <QObject>
#include <QPointer>

class pqPipelineSource;
class pqServer;
class vtkSMSourceProxy;

/// A DSMReader in ParaView's pipeline that shows the server's newest snapshot, or holds one.
/// pqDSMFollowState decides; this class carries the decisions out on ParaView's proxies.
///
/// Which snapshot is shown is given by ParaView's time: to follow means to go to the time of the
/// newest snapshot whenever there is a newer one. So ParaView's time controls play back what is in
/// memory; whoever uses them holds.
class pqDSMFollower : public QObject
{
  Q_OBJECT
  using Superclass = QObject;

public:
  explicit pqDSMFollower(QObject* parent);
  ~pqDSMFollower() override;

  /// Shows what is new, if that is wanted. May update pipelines and render.
  void update(pqServer* server, const pqDSMStatus& status);

  ///@{
  /// Whether the first snapshot makes a reader and a representation.
  void setAutomatic(bool automatic) { this->State.setAutomatic(automatic); }
  bool automatic() const { return this->State.automatic(); }
  ///@}

  ///@{
  void setFollowing(bool following);
  bool following() const { return this->State.following(); }
  ///@}

  /// Null while there is none.
  pqPipelineSource* reader() const;

  /// Shows one snapshot and holds it.
  void pick(qint64 number);

  /// The reader was told to load other arrays: they are shown, of the newest snapshot with follow.
  void contentsChanged();

  /// Asks the reader what it shows, and whether there was an error.
  void ask();

  /// Another proxy of the server, or none: there is no reader of it yet.
  void connectionChanged();

  /// The number of the snapshot that was shown last; 0: none.
  qint64 shown() const { return this->State.shown(); }
  /// Snapshots that were not shown, since newer ones had come.
  qint64 skipped() const { return this->State.skipped(); }
  QString error() const { return this->Error; }

Q_SIGNALS:
  /// By setFollowing or pick, or because the user went to another time.
  void followingChanged(bool following);

private:
  pqPipelineSource* findReader() const;
  void updateReader();
  void makeReader();
  void display(pqPipelineSource* reader);
  void updateList(vtkSMSourceProxy* reader) const;
  void updateKind();
  QString kind() const;
  void showNewest();
  void selectNumber(qint64 number);
  void goToTime(double time);
  bool goToNewest(vtkSMSourceProxy* reader);
  qint64 askShown();
  double sceneTime() const;
  void emitFollowing(bool before);

  pqDSMFollowState State;
  QPointer<pqServer> Server;
  QPointer<pqPipelineSource> Reader;
  pqDSMStatus Status;
  QString Error;
};

#endif
