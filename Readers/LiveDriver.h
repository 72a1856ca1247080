// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace dsm::readers
{

/// From now on HDF5's default driver is the DSM's: ParaView's readers, which use the default one,
/// read files in memory as well. To be called before each use, since a server's Stop may have reset
/// that. Throws dsm::Error(Unsupported) or (System) where it cannot be.
void UseLiveDriver();

}
