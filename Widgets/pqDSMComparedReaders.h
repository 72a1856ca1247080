// SPDX-License-Identifier: BSD-3-Clause
#ifndef pqDSMComparedReaders_h
#define pqDSMComparedReaders_h

#include "pqDSMStreams.h"

#include <QHash>
#include <QString>

#include <vector>

class pqPipelineSource;

/// Lets readers that compare runs, of which each shows what the other has as well, ask for what is
/// new.
class pqDSMComparedReaders
{
public:
  void clear() { this->Newest.clear(); }

  /// Returns whether there is something new for them.
  bool update(
    const std::vector<pqPipelineSource*>& all, const QVector<pqDSMStreams::Group>& groups);

private:
  QHash<QString, qint64> Newest; ///< snapshots, by the readers' patterns
};

#endif
