// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Process.h"
#include "Protocol/HostMessages.h"

#include <cstdint>
#include <deque>

namespace dsm::simulation
{

/// A host's agent: it does what it is told with its memory, one order after the other, and reports
/// each.
class Host final : public Process
{
public:
  Host(World& world, HostIndex number);

private:
  void Prepare(Hello& hello) override;
  void Run() override;
  void Receive(const Envelope& event) override;
  void Work();
  void Finish(const PrepareMemory& order);
  void Write(const WriteShare& share);

  const HostIndex Number;
  std::deque<PrepareMemory> Orders;
  bool IsBusy = false;
};

}
