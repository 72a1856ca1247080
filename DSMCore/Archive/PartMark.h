// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace dsm
{

/// In the name of each part of a file that was divided into several HDF5 files, behind the name of
/// the master that shows them as one (Tools/Repack): out.h5.part_…_1_of_4.
constexpr const char* PartMark = ".part_";

}
