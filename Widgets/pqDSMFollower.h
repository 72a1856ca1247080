// SPDX-License-Identifier: BSD-3-Clause
#ifndef pqDSMFollower_h
#define pqDSMFollower_h

#include "pqDSMColorRange.h"
#include "pqDSMComparedReaders.h"
#include "pqDSMFixedReaders.h"
#include "pqDSMSeenSnapshots.h"
#include "pqDSMSharedTime.h"
#include "pqDSMStatus.h"
#include "pqDSMStreamSet.h"

#include <vtkType.h> // For vtkMTimeType

#include <QElapsedTimer>
#include <QHash>
#include <QObject>
#include <QPointer>

#include <memory>
#include <optional>

class pqDSMStream;
class pqPipelineSource;
class pqServer;

/// Shows the newest snapshots of a server's streams, or holds. pqDSMFollowState decides for each
/// stream; this class carries the decisions out on ParaView's proxies.
///
/// ParaView's time says which snapshots are shown: to follow means to go to the newest time
/// whenever there are newer snapshots. So ParaView's time controls play back what is in memory, of
/// all streams together; whoever uses them holds. A reader shows of its stream what there was at
/// that time. Followers of other servers in the window share that time.
class pqDSMFollower
  : public QObject
  , private pqDSMSharedTime::User
{
  Q_OBJECT
  using Superclass = QObject;

public:
  pqDSMFollower(std::shared_ptr<pqDSMSharedTime> time, QObject* parent);
  ~pqDSMFollower() override;

  /// Shows what is new, if that is wanted. May update pipelines and render. While ParaView plays,
  /// or changes its time for another reason, it only asks what is shown: a later call does the
  /// rest.
  void update(pqServer* server, const pqDSMStatus& status);

  /// Whether first snapshots make readers and representations.
  void setAutomatic(bool automatic) { this->Streams.setAutomatic(automatic); }

  /// How color maps go along with what is followed; with the next update.
  void setColorRange(pqDSMColorRange::Mode mode) { this->Colors.setMode(mode); }

  ///@{
  void setFollowing(bool following);
  bool following() const { return this->Time->following(); }
  ///@}

  ///@{
  /// Whether a stream is shown, with its reader.
  void setWanted(const QString& stream, bool wanted) { this->Streams.setWanted(stream, wanted); }
  bool isWanted(const QString& stream) const;
  ///@}

  /// The reader of the first stream; null while there is none.
  pqPipelineSource* reader() const { return this->Streams.reader(); }
  /// The readers of all streams that are shown.
  QList<pqPipelineSource*> readers() const;
  /// A stream that is to be shown, and whose reader was deleted; empty: there is none.
  QString withoutReader() const { return this->Streams.withoutReader(); }
  /// Makes its reader again with the next status.
  void want(const QString& stream);
  /// ParaView's time.
  double sceneTime() const;
  /// Whether it is one of the streams' readers.
  bool has(const pqPipelineSource* reader) const { return reader && this->Streams.owns(reader); }

  /// Shows one snapshot of a stream and holds. If ParaView plays, it stops, and the next update
  /// shows the snapshot. If the snapshot has left the memory, nothing changes but note().
  void pick(qint64 number, const QString& stream, const pqDSMStatus& status);

  /// Why the last pick did not show its snapshot; empty if it did.
  const QString& note() const { return this->Note; }

  /// A reader was told to load other arrays: they are shown, of the newest snapshot with follow.
  void contentsChanged(const pqPipelineSource* reader);

  /// Asks the readers what they show, and whether there was an error.
  void ask();

  /// Another proxy of the server, or none: there is no reader of it yet.
  void connectionChanged();

  /// The number of the snapshot that was shown last, the highest of all streams; 0: none.
  qint64 shown() const;
  /// Those of all streams.
  QVector<qint64> allShown() const;
  /// Snapshots that were not shown, since newer ones had come.
  qint64 skipped() const;
  /// Times in files, by the numbers of the snapshots: of those that readers have listed.
  QHash<qint64, double> times();
  QString error() const;

Q_SIGNALS:
  /// This or another follower was told so or picks a snapshot, or the user went to another time.
  void followingChanged(bool following);

private:
  void noteNumbers();
  void makeReader(pqDSMStream& stream);
  bool takeOtherTimes();
  void askAll();
  void askUnknown();
  void updateTimes();
  bool isBusy() const;
  void watchPlaying();
  void show(pqDSMStream& stream, qint64 number);

  std::optional<double> newestTime() const override;
  bool isElsewhere(double time) const override;
  void wentTo(double time) override;
  void userWentTo(double time) override;
  void followingChosen(bool following, double time) override;

  /// A snapshot that the user has picked.
  struct Choice
  {
    qint64 Number = 0;
    QString Stream;
  };

  std::shared_ptr<pqDSMSharedTime> Time;
  pqDSMStreamSet Streams;
  pqDSMSeenSnapshots Seen;
  pqDSMComparedReaders Compared;
  pqDSMFixedReaders Fixed;
  pqDSMColorRange Colors;
  QVector<pqDSMStatus::Snapshot> Noted; ///< the list whose numbers Seen has
  qint64 NotedFrom = 0;                 ///< from this one on
  QHash<qint64, double> Times;          ///< as the readers listed them
  QVector<vtkMTimeType> TimesOf;        ///< when those lists changed last
  QString Note;
  std::optional<Choice> Waiting; ///< picked while ParaView was busy
  QPointer<pqServer> Server;
  pqDSMStatus Status;
  QElapsedTimer SinceTimes;
  bool Running = false;     ///< there was a server when the status was seen last
  bool ServerIsNew = false; ///< and the streams were not told of it yet
};

#endif
