// SPDX-License-Identifier: BSD-3-Clause
#ifndef pqDSMFixedReaders_h
#define pqDSMFixedReaders_h

#include "pqDSMStatus.h"

#include <QVector>

#include <vector>

class pqPipelineSource;

/// The readers that each show one snapshot, which they know by its stream and time. In a state that
/// was loaded they look for it in the memory of another server, where it may come later.
class pqDSMFixedReaders
{
public:
  /// Returns whether a reader shows the snapshot of one time, whatever ParaView's time is.
  static bool isFixed(pqPipelineSource* reader);

  void clear() { this->Seen.clear(); }

  /// Lets the readers that have not found their snapshots look again if others are there, and
  /// renders what was found.
  void update(const std::vector<pqPipelineSource*>& fixed, const pqDSMStatus& status);

private:
  QVector<pqDSMStatus::Snapshot> Seen; ///< among which the readers have looked
};

#endif
