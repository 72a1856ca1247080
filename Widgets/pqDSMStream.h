// SPDX-License-Identifier: BSD-3-Clause
#ifndef pqDSMStream_h
#define pqDSMStream_h

#include "pqDSMFollowState.h"

#include <vtkType.h> // For vtkMTimeType

#include <QPointer>
#include <QString>

#include <vector>

class pqPipelineSource;
class pqServer;
class vtkSMSourceProxy;

/// The reader of one stream of snapshots, a DSMReader in ParaView's pipeline: what pqDSMFollower
/// does with each of them.
class pqDSMStream
{
public:
  explicit pqDSMStream(QString name);

  /// As the server calls it.
  const QString& name() const { return this->Name; }
  /// Goes on with another stream, by the same reader.
  void rename(const QString& name);

  pqDSMFollowState& state() { return this->State; }
  const pqDSMFollowState& state() const { return this->State; }

  ///@{
  /// Whether it is shown; else its reader, if there is one, is hidden and not updated.
  bool isWanted() const { return this->Wanted; }
  void setWanted(bool wanted);
  ///@}

  ///@{
  /// Readers come and go without us: by hand, by a state file, by undo.
  pqPipelineSource* reader() const;
  void setReader(pqPipelineSource* reader);
  vtkSMSourceProxy* proxy() const;
  static QString pattern(pqPipelineSource* reader);
  void setPattern();
  ///@}

  /// Null when it cannot be made. `only`: it is the first one, which is named after the contact
  /// file; others after their streams.
  pqPipelineSource* makeReader(pqServer* server, const QString& contact, bool only);
  /// There are others now.
  void showName(const QString& contact);

  /// Lets the reader list the snapshots that there are now: on all ranks, but it reads no data.
  void updateList();
  /// The snapshots in that list, oldest first.
  std::vector<pqDSMFollowState::Listed> listed() const;
  /// When that list changed last, by VTK's clock.
  vtkMTimeType listChange() const;
  /// Whether the user says since the last call that the times stand somewhere else in the files.
  bool takeOtherTimes();
  /// Asks for the times of what came since, without a change of the pipeline.
  void updateTimes();

  /// The class of the reader's data.
  QString kind() const;
  /// Shows data of another kind anew.
  void updateKind(double time);
  /// The same for data of another simulation, which may lack the array by which they are coloured;
  /// once they are read.
  void updateColours();

  /// Forgets the numbers of snapshots: another server counts from 1.
  void serverStarted();

  /// Shows a snapshot by its number; 0: the newest, or the one of ParaView's time.
  void selectNumber(qint64 number);

  /// Asks the reader which snapshot it shows, and whether there was an error. Returns 0 while it
  /// shows one of a server that has ended.
  qint64 askShown();
  const QString& error() const { return this->Error; }
  void clearError() { this->Error.clear(); }

private:
  void forgetArrays();

  QString Name;
  QString TimeFrom;
  pqDSMFollowState State;
  QPointer<pqPipelineSource> Reader;
  QString Error;
  bool Wanted = true;
  bool ShowsFormer = false; ///< a snapshot of a server that has ended
  bool MustCheckColours = false;
};

#endif
