// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <hdf5.h>

#include <set>
#include <string>

/// A file whose large datasets are virtual, over parts beside it that were made for it
/// (RepackedFile).
namespace dsm::repack
{

/// The paths of the parts; none where it has no such dataset, or there is no such HDF5 file. Throws
/// Error(System) where it is broken.
std::set<std::string> PartsOf(const std::string& path);

/// Whether a dataset with these properties has its values in such parts, and nowhere else.
bool IsOverParts(hid_t creationList);

}
