// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Base/StrongType.h"
#include "Mpi/MergedJobs.h"
#include "Mpi/Request.h"
#include "Mpi/Window.h"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <vector>

namespace dsm
{

/// Hosts and a client's ranks in one communicator, hosts first, with the hosts' segments open to
/// all: what the MPI transports move bytes over. Each side holds one; the hosts also hold one among
/// themselves.
///
/// Ending it is collective, and the others may be gone by then. So the ranks meet first, in a
/// barrier that can be given up; only then is anything freed. A link that is destroyed without that
/// leaves its handles behind.
class MpiLink
{
public:
  /// Collective over the ranks of `jobs`. A host opens its segment, a client null and 0. Without
  /// `oneSided` there is no window (for mpi-messages alone).
  MpiLink(
    MergedJobs jobs, std::uint64_t hosts, std::byte* segment, std::uint64_t size, bool oneSided);
  MpiLink(const MpiLink&) = delete;
  MpiLink& operator=(const MpiLink&) = delete;

  /// Throws Error(PeerLost) when the link has ended or was given up, with the reason.
  const Communicator& Ranks() const;
  std::uint64_t Hosts() const { return this->HostCount; }
  Window& Memory(); ///< throws as Ranks
  bool OneSided() const { return this->HasWindow; }

  std::byte* Segment() const { return this->Bytes; }
  std::uint64_t SegmentSize() const { return this->Size; }

  /// Begins to end the link; true, once all ranks have done so, and then it is freed.
  bool TryFree();

  /// Ends it without the others: what it holds is left behind.
  void Leak() { this->Ended = true; }

  /// Does the same because others no longer answer; the first reason counts. Thread safe: a host's
  /// own link is read by one thread and served by another.
  void GiveUp(const std::string& why);
  bool GivenUp() const { return this->IsGivenUp; }
  void RequireNotGivenUp() const; ///< throws as Ranks

private:
  MergedJobs Jobs;
  std::uint64_t HostCount;
  std::byte* Bytes;
  std::uint64_t Size;
  bool HasWindow;
  Window Opened;
  Request Parting;
  bool IsParting = false;
  bool Ended = false;
  std::once_flag Once;
  std::string Reason; ///< written once, before IsGivenUp
  std::atomic<bool> IsGivenUp = false;
};

/// A host, for messages.
struct HostName
{
  HostIndex Host = 0;
  std::uint64_t Of = 0; ///< 0: all of them
};

/// How a rank waits for MPI without waiting for ever.
struct WaitPolicy
{
  /// False when the other side is known to be gone. Asked now and then, not each time.
  std::function<bool()> PeersAlive = [] { return true; };
  /// Called while waiting: a host that waits must go on serving.
  std::function<void()> WhileWaiting;
  /// Longest wait in which nothing at all completes.
  double Limit = 30;
  /// A call that cannot be given up has taken longer than Limit. Not in the thread that is in it.
  std::function<void(const char* call)> Overdue = [](const char*) {};
};

/// Waits until `done` says so. Throws Error(PeerLost) or Error(TimedOut) with what was waited for,
/// and from which host.
void WaitFor(const WaitPolicy& waitPolicy, const char* what, const std::function<bool()>& done,
  HostName from = {});

}
