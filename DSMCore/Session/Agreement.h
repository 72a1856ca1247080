// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Mpi/Communicator.h"

#include <nlohmann/json.hpp>

#include <functional>

/// How ranks succeed or fail together: an error on one becomes the same error on all, so that none
/// waits in a collective for another that has already left.
namespace dsm
{

/// Collective. Rank 0 asks; all ranks get the answer, or throw the same Error.
nlohmann::json AskAsOne(
  const Communicator& communicator, const std::function<nlohmann::json()>& ask);

/// Collective. Every rank works; if any throws, all throw: the lowest such rank's Error, with the
/// number of that rank when it is another.
void Agree(const Communicator& communicator, const std::function<void()>& work);

}
