// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Base/Deadline.h"
#include "Transport/Mpi/MpiLink.h"
#include "Transport/Transport.h"

#include <deque>
#include <memory>
#include <vector>

namespace dsm
{

/// One-sided MPI with passive target: MPI_Put and MPI_Get on the link's window, MPI_Win_flush.
/// Whether bytes move while the host's program does something else depends on the MPI library; the
/// host's MpiService makes progress for those that need it.
class MpiRma final : public Transport
{
public:
  MpiRma(std::shared_ptr<MpiLink> link, MpiPatience patience);

  std::string Name() const override { return "mpi-rma"; }
  void Put(
    std::uint64_t host, std::uint64_t offset, const void* source, std::uint64_t size) override;
  void Get(
    std::uint64_t host, std::uint64_t offset, void* destination, std::uint64_t size) override;
  void Flush() override;
  const std::byte* Direct(std::uint64_t, std::uint64_t) const override { return nullptr; }

private:
  void Touch(std::uint64_t host);

  struct Host
  {
    bool Touched = false;         ///< since the last flush
    Clock::time_point LastWake{}; ///< when it was told that transfers begin
  };

  std::shared_ptr<MpiLink> Link;
  MpiPatience Patience;
  std::vector<Host> Hosts;
  std::deque<Request> Wakes;
};

}
