// SPDX-License-Identifier: BSD-3-Clause
#ifndef pqDSMOpenedContact_h
#define pqDSMOpenedContact_h

#include <QObject>

class pqDSMServerProxy;
class pqPipelineSource;

/// Turns File > Open of a contact file into watching its server: the panel then has the snapshots,
/// and its own readers in place of the one that ParaView has made. If no server answers, or the
/// window already shows one, ParaView's reader stays.
class pqDSMOpenedContact : public QObject
{
  Q_OBJECT
  using Superclass = QObject;

public:
  pqDSMOpenedContact(pqDSMServerProxy* server, QObject* parent);

private:
  void take(pqPipelineSource* reader);
  void watch(pqPipelineSource* reader);

  pqDSMServerProxy* Server;
};

#endif
