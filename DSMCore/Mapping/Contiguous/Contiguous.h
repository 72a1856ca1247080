// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Mapping/Strategy.h"

namespace dsm
{

/// The file is cut into P pieces of l bytes, one after the other:
///
///     address   0 ........ l ........ 2l ........ 3l
///     host        0          1           2
///
/// One file-sized dataset keeps all links busy; several small ones meet on the first hosts.
class Contiguous final : public Strategy
{
public:
  Contiguous(std::uint64_t hosts, std::uint64_t hostCapacity);

  std::uint64_t Capacity() const override;
  Location Locate(FileOffset address) const override;
  FileOffset Address(HostIndex host, std::uint64_t offset) const override;
  std::uint64_t LocalSize(HostIndex host, std::uint64_t fileSize) const override;

private:
  std::uint64_t Hosts;
  std::uint64_t HostCapacity;
};

/// For Strategies().
StrategyKind ContiguousStrategy();

}
