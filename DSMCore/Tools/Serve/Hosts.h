// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Base/PlainLine.h"
#include "Mpi/RankGroup.h"
#include "Protocol/TransportChoice.h"

#include <cstdio>
#include <exception>
#include <functional>
#include <memory>
#include <string>

/// Lets the hosts of dsm-serve find each other. Two programs share the rest: one has no MPI, and
/// becomes the other where that is needed.
namespace hosts
{

struct Request
{
  std::string ContactFile;
  dsm::TransportChoice Transport;
  std::string Place; ///< "2/4"; empty: as the launcher says
  bool OneThread = false;
  std::function<bool()> IsStopped; ///< whether this program was asked to end
};

/// Says on standard error why this program, or what it was asked to do, fails.
inline void SayError(const std::exception& error)
{
  std::fprintf(stderr, "dsm-serve: %s\n", dsm::PlainLine(error.what()).c_str());
}

/// Calls `serve` with the hosts of this launch, and returns its status. Collective over them. An
/// exception of `serve` is said on standard error, by one of the hosts if all have it.
int Run(int argc, char** argv, const Request& request,
  const std::function<int(const std::shared_ptr<dsm::RankGroup>&)>& serve);

}
