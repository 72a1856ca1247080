// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Mpi/Communicator.h"

#include <string>

namespace dsm
{

/// A port that another job's ranks connect to. Move-only; closed by the destructor.
class Port
{
public:
  /// Throws Error(System) where the MPI library offers none (and does not abort, which is what some
  /// libraries do by default).
  static Port Open();

  Port() = default;
  Port(Port&& other) noexcept;
  Port& operator=(Port&& other) noexcept;
  Port(const Port&) = delete;
  Port& operator=(const Port&) = delete;
  ~Port();

  const std::string& Name() const { return this->Text; }

private:
  std::string Text;
};

/// Two groups of ranks as one communicator: the first's ranks keep their numbers, the second's
/// follow. Move-only; the destructor lets the handles go, since freeing is collective.
///
/// All four ways to make one are collective over both groups and wait for the other without limit:
/// be sure that it comes (GroupBarrier), and let a Watchdog look on.
class MergedJobs
{
public:
  /// The two sides of two groups of one MPI_COMM_WORLD. `otherLeader` is the world's rank of the
  /// other group's first rank, `tag` the same on both sides and used by nothing else meanwhile.
  static MergedJobs JoinAsFirst(const Communicator& ours, int otherLeader, int tag);
  static MergedJobs JoinAsSecond(const Communicator& ours, int otherLeader, int tag);

  /// The two sides of two jobs. The port's name matters on each side's rank 0.
  static MergedJobs Accept(const Communicator& ours, const std::string& port);
  static MergedJobs Connect(const Communicator& ours, const std::string& port);

  /// One group alone, by a duplicate of its communicator.
  static MergedJobs Alone(const Communicator& ours);

  const Communicator& Ranks() const { return this->All; }

  /// Collective.
  void Free();

  MergedJobs(MergedJobs&&) noexcept = default;
  MergedJobs& operator=(MergedJobs&&) noexcept = default;
  ~MergedJobs();

private:
  MergedJobs() = default;
  static MergedJobs Merge(MPI_Comm both, bool second, bool twoJobs);

  Communicator All = Communicator::Single();
  Communicator Between = Communicator::Single();
  bool TwoJobs = false;
};

}
