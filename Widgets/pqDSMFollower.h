// SPDX-License-Identifier: BSD-3-Clause
#ifndef pqDSMFollower_h
#define pqDSMFollower_h

#include "pqDSMStatus.h"

#include <QObject>
#include <QPointer>

class pqPipelineSource;
class pqServer;
class vtkSMSourceProxy;

/// The live pipeline: a DSMReader that shows the server's newest snapshot, or holds one.
///
/// What is shown is a matter of ParaView's time: to follow means to go to the newest snapshot's
/// time whenever there is a newer one, so ParaView's time controls play back what is in memory. Who
/// uses them holds.
class pqDSMFollower : public QObject
{
  Q_OBJECT
  using Superclass = QObject;

public:
  explicit pqDSMFollower(QObject* parent);
  ~pqDSMFollower() override;

  /// Shows what is new, where that is wished. May update pipelines and render.
  void update(pqServer* server, const pqDSMStatus& status);

  ///@{
  /// Whether the first snapshot makes a reader and a picture by itself.
  void setAutomatic(bool automatic) { this->Automatic = automatic; }
  bool automatic() const { return this->Automatic; }
  ///@}

  ///@{
  void setFollowing(bool following);
  bool following() const { return this->Following; }
  ///@}

  /// The reader that shows what comes; null while there is none.
  pqPipelineSource* reader() const;

  /// Shows one snapshot and holds it.
  void pick(qint64 number);

  /// Shows what the reader's properties ask for now: of the newest snapshot, who follows.
  void refresh();

  /// Goes on with no pipeline: another connection.
  void forget();

  qint64 shown() const { return this->Shown; }
  /// Snapshots that came and went while the picture was being made.
  qint64 skipped() const { return this->Skipped; }
  QString error() const { return this->Error; }

Q_SIGNALS:
  /// By itself, or because the user went to another time.
  void followingChanged(bool following);

private:
  pqPipelineSource* findReader() const;
  void adoptReader();
  void makeReader();
  void display(pqPipelineSource* reader);
  void look(vtkSMSourceProxy* reader) const;
  void lookAgain();
  QString kind() const;
  void showNewest();
  void goTo(double time);
  bool goToNewest(vtkSMSourceProxy* reader);
  void noteShown();
  double sceneTime() const;

  bool Automatic = true;
  bool Following = true;
  QPointer<pqServer> Server;
  QPointer<pqPipelineSource> Reader;
  pqDSMStatus Status;
  bool Offered = false; ///< a reader was made since Start: who deletes it does not want it
  qint64 Newest = 0;    ///< that was looked at
  qint64 Shown = 0;
  QString Kind;        ///< the class of data that is shown
  qint64 ShownBy = -1; ///< how many simulations had come when that was seen; -1: another may have
  qint64 Skipped = 0;
  double Time = 0; ///< that we went to
  QString Error;
};

#endif
