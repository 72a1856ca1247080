// SPDX-License-Identifier: BSD-3-Clause
#ifndef pqDSMFollower_h
#define pqDSMFollower_h

#include "pqDSMStatus.h"
#include "pqDSMStreams.h"

#include <QElapsedTimer>
#include <QHash>
#include <QMap>
#include <QObject>
#include <QPointer>

#include <memory>
#include <vector>

class pqDSMStream;
class pqPipelineSource;
class pqServer;

/// The streams that a server has snapshots of, each with a DSMReader in ParaView's pipeline: shows
/// the newest snapshots, or holds. pqDSMFollowState decides for each stream; this class carries the
/// decisions out on ParaView's proxies.
///
/// Which snapshots are shown is given by ParaView's time: to follow means to go to the newest time
/// whenever there are newer snapshots. So ParaView's time controls play back what is in memory, of
/// all streams together; whoever uses them holds. A reader shows of its stream what there was at
/// that time.
///
/// When another simulation comes, with streams of other names, readers of simulations that have
/// ended go on with those, so that a pipeline stays in use.
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
  /// Whether first snapshots make readers and representations.
  void setAutomatic(bool automatic);
  bool automatic() const { return this->Automatic; }
  ///@}

  ///@{
  void setFollowing(bool following);
  bool following() const { return this->Following; }
  ///@}

  ///@{
  /// Whether a stream is shown, with its reader.
  void setWanted(const QString& stream, bool wanted);
  bool isWanted(const QString& stream) const;
  ///@}

  /// The reader of the first stream; null while there is none.
  pqPipelineSource* reader() const;
  /// The readers of all streams that are shown.
  QList<pqPipelineSource*> readers() const;
  /// A stream that is to be shown, and whose reader was deleted; empty: there is none.
  QString withoutReader() const;
  /// Makes its reader again with the next status.
  void want(const QString& stream);
  /// ParaView's time.
  double sceneTime() const;
  /// Whether it is one of the streams' readers.
  bool has(const pqPipelineSource* reader) const;

  /// Shows one snapshot and holds. The list may be newer than the last status here, so it says of
  /// which stream it is.
  void pick(qint64 number, const QString& stream);

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
  QHash<qint64, double> times() const;
  QString error() const;

Q_SIGNALS:
  /// By setFollowing or pick, or because the user went to another time.
  void followingChanged(bool following);

private:
  using Streams = std::vector<std::unique_ptr<pqDSMStream>>;

  const pqDSMStreams::Group* present(const QString& name) const;
  pqDSMStream* find(const QString& name) const;
  pqDSMStream* owner(const QString& stream) const;
  std::vector<pqPipelineSource*> readersInPipeline() const;
  bool isOwned(const pqPipelineSource* reader) const;
  void updateStreams();
  void addStream(const QString& name);
  void updateReader(pqDSMStream& stream);
  void noteNumbers();
  qint64 others(const QString& stream, qint64 after, qint64 before) const;
  void makeReader(pqDSMStream& stream);
  void goToTime(double time);
  bool takeOtherTimes();
  bool viewsAreElsewhere() const;
  bool goToNewest();
  void toldTime();
  void askAll();
  void updateTimes();
  bool updateCompared();
  void setFollows(bool following);

  Streams All;
  QVector<pqDSMStreams::Group> Groups; ///< of Status
  QMap<qint64, QString> Seen;          ///< snapshots and their streams, of recent statuses
  QHash<QString, bool> Ticks;          ///< what the user has chosen for streams
  QHash<QString, qint64> Compared;     ///< newest snapshots, by patterns of readers that compare
  QPointer<pqServer> Server;
  pqDSMStatus Status;
  QElapsedTimer SinceTimes;
  bool Automatic = true;
  bool Following = true;
};

#endif
