// SPDX-License-Identifier: BSD-3-Clause
#ifndef pqDSMStreamSet_h
#define pqDSMStreamSet_h

#include "pqDSMStream.h"
#include "pqDSMStreams.h"

#include <QHash>
#include <QPointer>
#include <QVector>

#include <memory>
#include <vector>

class pqPipelineSource;
class pqServer;

/// The streams that a server has snapshots of, each with its DSMReader in ParaView's pipeline.
///
/// When another simulation comes, with streams of other names, readers of simulations that have
/// ended go on with those, so that a pipeline stays in use.
class pqDSMStreamSet
{
public:
  /// Another proxy of the server, or none: there is no reader of it yet.
  void clear();

  /// Takes what the server has now.
  void setStatus(pqServer* server, const pqDSMStatus& status);
  const QVector<pqDSMStreams::Group>& groups() const { return this->Groups; }

  /// Adds streams that have come, and finds their readers; removes streams that have gone. Without
  /// `following`, new ones hold at ParaView's time.
  void update(bool following);

  auto begin() const { return this->All.begin(); }
  auto end() const { return this->All.end(); }

  /// What is written of a stream in the present run; null: nothing.
  const pqDSMStreams::Group* present(const QString& name) const;
  /// Null if there is none of this name.
  pqDSMStream* find(const QString& name) const;
  /// Of a stream that an earlier simulation wrote: the first one with a reader.
  pqDSMStream* owner(const QString& name) const;

  /// The reader of the first stream; null while there is none.
  pqPipelineSource* reader() const;
  /// The streams that are shown, and have a reader.
  std::vector<pqDSMStream*> shown() const;
  bool owns(const pqPipelineSource* reader) const;
  /// Returns all readers of this server that show snapshots of ParaView's time, in the order in
  /// which they were made.
  std::vector<pqPipelineSource*> readersInPipeline() const;
  /// Returns its other readers: each shows one snapshot.
  std::vector<pqPipelineSource*> fixedReaders() const;
  /// A stream that is to be shown, and whose reader was deleted; empty: there is none.
  QString withoutReader() const;

  /// Whether first snapshots make readers and representations.
  void setAutomatic(bool automatic);
  void setWanted(const QString& name, bool wanted);

private:
  using Streams = std::vector<std::unique_ptr<pqDSMStream>>;

  std::vector<pqPipelineSource*> allReaders(bool fixed) const;
  Streams::const_iterator firstWithReader() const;
  void add(const pqDSMStreams::Group& group, bool following);
  void findReader(pqDSMStream& stream);

  Streams All;
  pqDSMStreams::Cache Known;
  QVector<pqDSMStreams::Group> Groups;
  QHash<QString, bool> Ticks; ///< what the user has chosen for streams
  QPointer<pqServer> Server;
  QString ContactPath;
  bool Automatic = true;
};

#endif
