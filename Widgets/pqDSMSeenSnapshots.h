// SPDX-License-Identifier: BSD-3-Clause
#ifndef pqDSMSeenSnapshots_h
#define pqDSMSeenSnapshots_h

#include <cstdint>
#include <map>
#include <string>

/// The snapshots of recent statuses, with their streams: counts what other streams have, so that it
/// does not count as skipped. Without Qt and ParaView.
class pqDSMSeenSnapshots
{
public:
  void clear();
  void add(std::int64_t number, const std::string& stream);
  void removeBelow(std::int64_t number);

  /// Returns how many snapshots of other streams are between two numbers. Those behind the last
  /// status count as well: a reader may be ahead of it, and nobody knows of which streams they are.
  std::int64_t others(const std::string& stream, std::int64_t after, std::int64_t before) const;

private:
  std::map<std::int64_t, std::string> Streams; ///< by the snapshot's number
};

#endif
