// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Mpi/RankGroup.h"
#include "Mpi/Totals.h"

#include <mpi.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace dsm
{

/// Throws Error(System) with the call's name, the error class and MPI's own text unless rc is
/// MPI_SUCCESS.
void CheckMpi(int rc, const char* call);

/// An owned duplicate of a communicator, with the few collectives the library needs, in 64-bit
/// sizes. Errors return instead of aborting, and become dsm::Error.
///
/// `Communicator::Single()` is one rank without MPI: it works before MPI_Init and in programs that
/// never call it. Move-only. Free() is collective; the destructor calls it only when MPI is alive
/// and no exception is under way, and otherwise abandons the handle rather than hang.
class Communicator final : public RankGroup
{
public:
  /// One rank, no MPI.
  static Communicator Single() { return Communicator(); }

  /// Collective over `comm`: duplicates it. MPI_COMM_NULL gives Single().
  static Communicator Duplicate(MPI_Comm comm);

  /// Takes over a communicator that the caller would have to free. MPI_COMM_NULL gives Single().
  static Communicator Adopt(MPI_Comm comm);

  /// The same communicator, which stays the other's and must not outlive its handle.
  static Communicator Borrow(const Communicator& other);

  /// Does the same for a handle whose owner has set MPI_ERRORS_RETURN. MPI_COMM_NULL gives
  /// Single().
  static Communicator Borrow(MPI_Comm comm);

  /// Returns true if the handle is another object's.
  bool IsBorrowed() const { return !this->Owned; }

  Communicator(Communicator&& other) noexcept;
  Communicator& operator=(Communicator&& other) noexcept;
  Communicator(const Communicator&) = delete;
  Communicator& operator=(const Communicator&) = delete;
  ~Communicator() override;

  /// Collective: gives the duplicate back.
  void Free() override;

  /// Collective: gives it back and ends what connects its jobs, if nothing else does. For
  /// communicators that reach into another job.
  void Disconnect();

  /// Lets the handle go without giving it back: for when others of the communicator are gone, and
  /// a collective call would wait for them.
  void Leak() noexcept;

  int Rank() const override { return this->MyRank; }
  int Size() const override { return this->Ranks; }
  MPI_Comm Handle() const { return this->Comm; }

  /// Collective over all ranks, as their MPI namesakes.
  void Barrier() const override;
  void Broadcast(void* data, std::uint64_t bytes, int root = 0) const;
  std::string BroadcastText(const std::string& text, int root = 0) const override;
  /// Less than 2 GiB, from whichever rank; `rest` as RankGroup's, or a millisecond's sleep.
  void BroadcastYielding(
    void* data, std::uint64_t bytes, int root, const std::function<void()>& rest = {}) const;
  void BroadcastYielding(
    void* data, std::uint64_t bytes, const std::function<void()>& rest) const override
  {
    this->BroadcastYielding(data, bytes, 0, rest);
  }
  std::vector<std::string> AllGatherText(const std::string& text) const override;
  std::uint64_t Max(std::uint64_t value) const override;
  /// One by one. Of what Combine does as well this is what MPI does fastest.
  std::array<std::uint64_t, 2> Max(std::array<std::uint64_t, 2> values) const;
  std::uint64_t Sum(std::uint64_t value) const;
  /// One by one; as many values on all ranks.
  std::vector<std::uint64_t> Sum(std::vector<std::uint64_t> values) const;
  double Max(double value) const;

  /// Both in one call, one by one; as many values on all ranks.
  Totals Combine(Totals values) const;

  /// Each rank has `width` numbers for each, by rank; returns what they have for this one.
  std::vector<std::uint64_t> AllToAll(std::span<const std::uint64_t> mine, std::size_t width) const;

  /// What a rank has for each, or has from each: so many bytes from there on, by rank.
  struct Parcels
  {
    std::byte* Bytes = nullptr;
    std::vector<std::uint64_t> Offsets;
    std::vector<std::uint64_t> Sizes;
  };
  /// Each rank sends each its parcel. What is received has the sizes that the others send; no
  /// buffer is of 2 GiB or more.
  void AllToAll(const Parcels& sent, const Parcels& received) const;

  /// "Open MPI 5.0.7": the library in use, for messages.
  static std::string LibraryName();

  /// The same while MPI is alive, else empty.
  static std::string RunningLibrary();

private:
  Communicator() = default;

  MPI_Comm Comm = MPI_COMM_NULL;
  bool Owned = true;
  int MyRank = 0;
  int Ranks = 1;
};

/// True between MPI_Init and MPI_Finalize.
bool MpiIsAlive();

}
