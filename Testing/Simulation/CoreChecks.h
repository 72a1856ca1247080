// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "HostMemory.h"
#include "Journal.h"
#include "Server/Core/ServerCore.h"

#include <cstdint>
#include <map>
#include <utility>

namespace dsm::simulation
{

/// The conditions that must hold in the core after each event.
class CoreChecks
{
public:
  CoreChecks(Journal& journal, const ServerCore& core, const HostMemory& memory)
    : Notes(journal)
    , Core(core)
    , Hosts(memory)
  {
  }

  void Check();

private:
  void CheckSlots();
  void CheckBudget();
  void CheckGenerations();
  void Own(SlotIndex slot, const std::string& who);

  Journal& Notes;
  const ServerCore& Core;
  const HostMemory& Hosts;
  std::map<SlotIndex, std::string> Owners; ///< of slots
  std::uint64_t HighestBudget = 0;
};

}
