// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Transport/Mpi/PieceMessages.h"
#include "Transport/Mpi/Transfers.h"
#include "Transport/Transport.h"

#include <memory>
#include <vector>

namespace dsm
{

/// Two-sided: a put is a message that the host receives into its segment (see MessageService), a
/// get asks for one. For MPI libraries whose one-sided side is slow or needs the target anyway.
class MpiMessages final : public Transport
{
public:
  MpiMessages(const std::shared_ptr<MpiLink>& link, const WaitPolicy& waitPolicy);

  std::string Name() const override { return "mpi-messages"; }
  void Put(HostIndex host, std::uint64_t offset, const void* source, std::uint64_t size) override;
  void Get(HostIndex host, std::uint64_t offset, void* destination, std::uint64_t size) override;
  void PutPieces(HostIndex host, std::span<const PutPiece> pieces) override;
  void GetPieces(HostIndex host, std::span<const GetPiece> pieces) override;
  void Flush() override;
  const std::byte* Direct(HostIndex, std::uint64_t) const override { return nullptr; }

private:
  Transfers UnderWay;
  PieceMessages Pieces;
  std::vector<bool> Touched; ///< hosts with puts since the last flush
};

}
