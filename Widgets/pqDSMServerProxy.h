// SPDX-License-Identifier: BSD-3-Clause
#ifndef pqDSMServerProxy_h
#define pqDSMServerProxy_h

#include "pqDSMFoundServer.h"
#include "pqDSMStatus.h"

#include <QByteArray>
#include <QJsonObject>
#include <QObject>
#include <QPointer>

#include <optional>

#include <vtkSMProxy.h>      // For vtkSmartPointer to one
#include <vtkSMSession.h>    // For vtkWeakPointer to one
#include <vtkSmartPointer.h> // For vtkSmartPointer
#include <vtkWeakPointer.h>  // For vtkWeakPointer

class pqServer;

/// A proxy DSMServer: starts and stops its server, or watches one of another program, and reads its
/// status. It is the first one of the active connection, which is found or made, or a given one.
///
/// A status takes one request, which the first rank of ParaView's server answers without the
/// others. Commands are carried out by all ranks.
class pqDSMServerProxy : public QObject
{
  Q_OBJECT
  using Superclass = QObject;

public:
  /// Without `given`, the proxy is the first one of the active connection. A given one is left when
  /// state files keep it no longer.
  explicit pqDSMServerProxy(QObject* parent, vtkSMProxy* given = nullptr);
  ~pqDSMServerProxy() override;

  /// Null when there is no connection, or its server lacks the plugin.
  vtkSMProxy* proxy() const { return this->Proxy; }
  pqServer* server() const;

  /// Whether there is a connection whose server has not loaded the plugin.
  bool pluginMissing() const { return this->PluginMissing; }
  /// Whether a connection is being made, or its server has the plugin and the proxy is on its way.
  bool comingUp() const { return this->ComingUp; }

  /// ParaView's server has ended without the client: nothing may be asked of it.
  bool serverLost() const { return this->Lost; }

  /// Takes the proxy of the connection that is active now, and asks it for its status if the server
  /// runs. Returns false, without asking, while ParaView waits for another request.
  bool poll();

  const pqDSMStatus& status() const { return this->Status; }

  /// Whether hasNews can tell anything.
  bool canHaveNews() const { return this->Announcements >= 0 && this->Status.running(); }
  /// Asks for one number alone. Returns whether snapshots were announced since the last poll;
  /// false, without asking, while ParaView waits for another request.
  bool hasNews();

  ///@{
  /// Where Start would write the contact file, on the server's machine; empty if that is not known.
  const QString& contactPlace() const { return this->ContactPlace; }
  void setContactFolder(const QString& folder);
  void setContactFile(const QString& file);
  ///@}

  ///@{
  /// Commands. Errors are in status().CommandError.
  void start();
  /// Watches the server that runs with this contact file. Returns whether it answers.
  bool watchServer(const QString& contact);
  /// A server that is only watched goes on.
  void stop();
  /// Looks for a server of another program that runs with the contact file.
  std::optional<pqDSMFoundServer> find();
  /// Starts with host processes of their own, those that run with the contact file.
  void reconnect();
  /// Stops the server that find() has found. Returns whether that worked.
  bool stopFound();
  /// As stop, but hosts of their own go on.
  void leave();
  /// Writes a snapshot to a file on the server's machine. Returns whether that worked.
  bool save(qint64 number, const QString& path);
  /// Begins to make a file on the server's machine a snapshot, which programs open by that name:
  /// see status().Restored. Why it has failed is a CommandError as well.
  void restore(const QString& path, const QString& name);
  void pin(qint64 number, bool pinned);
  /// Pins and unpins several, in one go. The first error ends it.
  void changePins(const QVector<qint64>& pinned, const QVector<qint64>& unpinned);
  /// Drops snapshots from memory, pinned or not. The first error ends it.
  void drop(const QVector<qint64>& numbers);
  /// Sends a steering request and does not wait for its outcome: see DSMCore/Steering/README.md.
  /// Returns the reply; empty when there is none.
  QJsonObject steer(const QJsonObject& request);
  ///@}

  /// Snapshots in memory that nobody has saved, oldest first.
  QVector<pqDSMStatus::Snapshot> unsaved() const;
  /// What needs the server's memory now.
  pqDSMStake stake() const;
  /// Whether the next Start keeps data in host processes of their own.
  bool separate() const;
  /// Whether simulations may bring files. If not, they write to disk, and no snapshot has to go.
  void takeFiles(bool take);

  /// Why the panel could not do what the user asked, such as to change a setting; or empty. It is
  /// reported as a CommandError until the next command or setting: the server has no error any more
  /// once the setting has its old value.
  void setRefusal(const QString& reason);

  /// How many of the newest samples of each observable status().Steering will have; 0: it is empty.
  void setSteeringSamples(int samples) { this->SteeringSamples = samples; }

Q_SIGNALS:
  /// Another proxy, or none.
  void proxyChanged();
  /// After each poll and command.
  void statusChanged();
  /// ParaView's server has ended without the client, which ParaView says next.
  void serverHasEnded();

private:
  void observe(vtkSMSession* session);
  void markLost();
  pqServer* connection() const;
  void updateProxy();
  vtkSMProxy* findFirst(pqServer* server);
  void show(vtkSMProxy* proxy);
  void setActive(bool active);
  void begin(bool watching);
  void forgetWatched();
  void fetch();
  /// Keeps the status out of a state file. The next fetch() has it again.
  void forgetStatus();
  bool runForEach(const char* command, const QVector<qint64>& numbers);
  void takeRestored(const pqDSMStatus& status);
  void fetchContactPlace();

  vtkSmartPointer<vtkSMProxy> Given; ///< null: the first one
  vtkSmartPointer<vtkSMProxy> Proxy;
  QPointer<pqServer> Server;
  bool PluginMissing = false;
  bool ComingUp = false;
  vtkWeakPointer<vtkSMSession> Watched;
  unsigned long Observer = 0;
  bool Lost = false;
  pqDSMStatus Status;
  qint64 Announcements = -1; ///< as the server counted them at the last fetch
  QString ContactPlace;
  QString ContactFile; ///< the setting of which ContactPlace is the absolute path
  std::optional<QByteArray> OwnContactFile; ///< that setting before another server was watched
  QString Refusal; ///< of a setting, or of a file that was to be brought back or saved
  int SteeringSamples = 0;
};

#endif
