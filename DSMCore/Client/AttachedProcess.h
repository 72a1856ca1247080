// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

/// This process, coupled while it runs: the HDF5 libraries that it has loaded write into memory.
/// The loader (Driver/Attach.c) does it, since it knows them all; here it is found.
namespace dsm::attachedprocess
{

/// Couples it with the server of a contact file; "" takes that from DSM_CONTACT, else it is
/// run.dsm. Throws Error(NoServer) where there is no such file, Error(Unsupported) without a
/// loader. Not while another thread is in HDF5 or asks for variables of the environment.
void Attach(const std::string& contact);

/// Undoes it. Nothing happens without `Attach`.
void Detach();

}
