// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Describe/Hdf5Handle.h"

#include <cstddef>
#include <string>
#include <vector>

/// What recognisers ask of groups. Nothing is printed, whatever a file holds.
namespace dsm::hdf5
{

/// What a path leads to.
enum class Thing
{
  Nothing, ///< also an object of another kind, and a link that leads nowhere
  Group,
  Dataset
};
Thing WhatIs(hid_t file, const std::string& path);

/// The names of a group's members, in the order of their names; at most so many.
std::vector<std::string> MembersOf(hid_t file, const std::string& path, std::size_t most = 100000);

}
