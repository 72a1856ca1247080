// SPDX-License-Identifier: BSD-3-Clause
#ifndef pqDSMFurtherPanels_h
#define pqDSMFurtherPanels_h

#include <QList>
#include <QObject>
#include <QString>

#include <memory>

class pqDSMServerPanel;
class pqDSMServerProxy;
class pqDSMSharedTime;
class pqServer;
class QDockWidget;

/// The docks of the servers that a window shows beside its first one. Each has a dock, behind the
/// first panel's, while it is watched: the user opens its contact file, a script starts or watches
/// it, or a state file has it.
class pqDSMFurtherPanels : public QObject
{
  Q_OBJECT
  using Superclass = QObject;

public:
  pqDSMFurtherPanels(std::shared_ptr<pqDSMSharedTime> time, QDockWidget* first);

  struct Outcome
  {
    bool IsNew = false;
    QString Refusal; ///< why the server cannot be watched; empty if it is
  };
  /// Watches a server in a dock of its own, and brings that to the front. Where there is one
  /// already, it comes to the front.
  Outcome watch(pqServer* server, const QString& contact);

  /// Makes docks for servers that run and that nobody shows; removes those of servers that have
  /// been stopped. If a server that a state file or a script wants does not run, its proxy becomes
  /// inactive, so that the server is not asked again. Returns the reasons of those, once.
  QString update(pqServer* server);

  const QList<pqDSMServerPanel*>& all() const { return this->Panels; }

Q_SIGNALS:
  /// One of them shows other snapshots.
  void shownChanged();

private:
  void add(pqDSMServerProxy* proxy);
  void removeStopped();

  std::shared_ptr<pqDSMSharedTime> Time;
  QDockWidget* First;
  QList<pqDSMServerPanel*> Panels;
};

#endif
