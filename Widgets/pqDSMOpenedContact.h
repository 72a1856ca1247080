// SPDX-License-Identifier: BSD-3-Clause
#ifndef pqDSMOpenedContact_h
#define pqDSMOpenedContact_h

#include <QObject>
#include <QString>

#include <functional>

class pqPipelineSource;

/// Turns File > Open of a contact file into watching its server: a panel then has the snapshots,
/// and its own readers in place of the one that ParaView has made. If no server answers, or a panel
/// shows it already, ParaView's reader stays.
class pqDSMOpenedContact : public QObject
{
  Q_OBJECT
  using Superclass = QObject;

public:
  /// `watch` is given a contact file, and returns whether a panel shows its server since then.
  pqDSMOpenedContact(std::function<bool(const QString&)> watch, QObject* parent);

private:
  void take(pqPipelineSource* reader);
  void replace(pqPipelineSource* reader);

  std::function<bool(const QString&)> Watch;
};

#endif
