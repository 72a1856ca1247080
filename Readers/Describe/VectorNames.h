// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

namespace dsm::describe
{

/// An array of one component or several: its name, and the names of what it is made of.
struct JoinedName
{
  std::string Name;
  std::vector<std::string> Members;

  bool operator==(const JoinedName&) const = default;
};

/// Puts together what differs in a last letter only: "VelocityX", "VelocityY", "VelocityZ" are
/// Velocity, "disp_x" and "disp_y" disp. Others stay as they are, components of tensors among them;
/// in the order of first members.
std::vector<JoinedName> JoinVectors(const std::vector<std::string>& names);

}
