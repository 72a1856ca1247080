// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

/// What the ranks of this ParaView server tell each other. All functions are collective over the
/// global controller; with one rank, or no controller, they return what they got.
namespace dsm::readers
{

int Rank();
int Size();

/// Rank 0's text, on all ranks.
std::string FromRoot(const std::string& text);

/// The first non-empty text in the order of ranks, on all ranks: an empty answer means that no
/// rank has an error.
std::string FirstError(const std::string& error);

}
