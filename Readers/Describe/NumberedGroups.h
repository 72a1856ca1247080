// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Describe/Hdf5Contents.h"

#include <optional>
#include <string>
#include <vector>

namespace dsm::describe
{

/// Groups side by side that are the steps of a run: /Step#0, /Step#1 …, /data/100, /Timestep_4,
/// "/Time:  1.0E0 y". Their names have a usual word before the number, or are numbers.
struct NumberedGroups
{
  std::vector<std::string> Paths; ///< ascending by number; empty: there are none
  std::vector<double> Numbers;
};

NumberedGroups FindSteps(const std::vector<hdf5::Object>& objects);

/// The objects without those in other steps than that one.
std::vector<hdf5::Object> OfStep(
  const std::vector<hdf5::Object>& objects, const NumberedGroups& steps, std::size_t step);

/// The path of an object without its step, so that it is the same in all of them.
std::string WithoutStep(const std::string& path, const NumberedGroups& steps, std::size_t step);

}
