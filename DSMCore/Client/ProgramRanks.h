// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Client/dsm.h"
#include "Mpi/RankGroup.h"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace dsm
{

/// The ranks of a steered program. They communicate through the program's own MPI library: the
/// program passes its functions and handles (dsm_mpi).
///
/// If there is no MPI, the group has one rank and no function communicates. Move-only. The
/// destructor frees the communicator, which is collective, unless MPI has ended or an exception is
/// under way.
class ProgramRanks final : public RankGroup
{
public:
  /// One process, without MPI.
  ProgramRanks() = default;

  /// Collective over `comm`, which is duplicated. `mpi` is copied. Throws Error(Usage) if MPI is
  /// not running, or there is no communicator.
  ProgramRanks(const dsm_mpi& mpi, std::intptr_t comm);

  ProgramRanks(ProgramRanks&& other) noexcept;
  ProgramRanks& operator=(ProgramRanks&&) = delete;
  ProgramRanks(const ProgramRanks&) = delete;
  ProgramRanks& operator=(const ProgramRanks&) = delete;
  ~ProgramRanks() override;

  int Rank() const override { return this->MyRank; }
  int Size() const override { return this->Ranks; }

  void Barrier() const override { this->Max(0); }
  void Broadcast(void* data, std::uint64_t bytes, int root = 0) const;
  std::string BroadcastText(const std::string& text, int root = 0) const override;
  std::vector<std::string> AllGatherText(const std::string& text) const override;
  std::uint64_t Max(std::uint64_t value) const override;
  /// One by one; as many values on all ranks.
  std::vector<std::uint64_t> Sum(const std::vector<std::uint64_t>& values) const;
  void BroadcastYielding(
    void* data, std::uint64_t bytes, const std::function<void()>& rest) const override;

  void Free() override;

  /// Forgets the communicator without freeing it.
  void Abandon() noexcept { this->Comm = this->Mpi.comm_null; }

  /// Throws Error(Usage) if the program has called MPI_Finalize.
  void RequireRunning() const;

  /// Returns the name and version of the MPI library, or an empty text if there is none.
  std::string LibraryName() const;

private:
  bool HasMpi() const { return this->Mpi.size > 0 && this->Comm != this->Mpi.comm_null; }
  void Check(int rc, const char* call) const;
  std::vector<std::uint64_t> Reduce(
    const std::vector<std::uint64_t>& values, std::intptr_t operation) const;

  dsm_mpi Mpi{}; ///< its size is 0 if there is none
  std::intptr_t Comm = 0;
  int MyRank = 0;
  int Ranks = 1;
};

}
