// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Describe/Hdf5Handle.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

class vtkDataAssembly;

namespace dsm::readers
{

/// A member of a collection in a VTKHDF file: an image, an unstructured grid or a surface.
struct VtkHdfMember
{
  std::string Path;
  bool IsImage = false;
  unsigned Index = 0;      ///< among the collection's
  std::uint64_t Parts = 1; ///< into which the file divides it, in one step
  std::uint64_t Bytes = 0; ///< about as much as there is to read
};

/// What a group contains, in the order in which it was made.
std::vector<std::string> OrderedNames(hid_t file, const std::string& group);

/// Whether it is a link to a member, and not a group of such.
bool IsLink(hid_t file, const std::string& path);

/// The member in that group, of a file that CheckVtkHdf found good.
VtkHdfMember MemberOf(hid_t file, const std::string& path, std::size_t step);

/// The groups of the file's Assembly, with the members' indices.
void FillAssembly(hid_t file, vtkDataAssembly* assembly);

}
