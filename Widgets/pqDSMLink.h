// SPDX-License-Identifier: BSD-3-Clause
#ifndef pqDSMLink_h
#define pqDSMLink_h

#include "pqDSMStatus.h"

#include <QJsonObject>
#include <QObject>
#include <QPointer>

#include <vtkSMProxy.h>      // For vtkSmartPointer to one
#include <vtkSmartPointer.h> // For vtkSmartPointer

class pqServer;

/// The DSM server of the active connection, by its proxy: finds or makes it, starts and stops it,
/// and reads what it says of itself.
///
/// Everything here is a round trip to ParaView's server at most, answered by its first rank without
/// asking the others, apart from the commands.
class pqDSMLink : public QObject
{
  Q_OBJECT
  using Superclass = QObject;

public:
  explicit pqDSMLink(QObject* parent);
  ~pqDSMLink() override;

  /// Null when there is no connection, or its server lacks the plugin.
  vtkSMProxy* proxy() const { return this->Proxy; }
  pqServer* server() const;

  /// Whether there is a connection whose server has not loaded the plugin.
  bool pluginMissing() const { return this->PluginMissing; }

  /// Goes on with the active connection's proxy, and asks it for its status when it runs. Returns
  /// false when ParaView is busy with a request of its own, and nothing was asked.
  bool poll();

  const pqDSMStatus& status() const { return this->Status; }

  ///@{
  /// Commands, on all ranks. What goes wrong is in status().CommandError.
  void start();
  void stop();
  void pin(qint64 number, bool pinned);
  /// A steering request, which is not waited for: see DSMCore/Steering/README.md. Returns the
  /// answer; empty when there is none.
  QJsonObject steer(const QJsonObject& request);
  ///@}

  /// Why a setting was refused, or empty: it is told as a CommandError until the next setting,
  /// Start or Stop. The server has forgotten it when the setting goes back to what it was.
  void refused(const QString& why);

  /// How many of the newest samples of each observable status().Steering will have; 0: it is empty.
  void wantSteering(int samples) { this->WantedSteering = samples; }

Q_SIGNALS:
  /// Another proxy, or none.
  void proxyChanged();
  /// After each poll and command.
  void statusChanged();

private:
  void adopt();
  void setActive(bool active);
  void fetch();

  vtkSmartPointer<vtkSMProxy> Proxy;
  QPointer<pqServer> Server;
  bool PluginMissing = false;
  pqDSMStatus Status;
  QString Refusal;
  int WantedSteering = 0;
};

#endif
