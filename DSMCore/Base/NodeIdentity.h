// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

namespace dsm
{

/// This machine's name, for people; empty where it has none.
std::string MachineName();

/// Identifies this machine and its boot: processes with equal identities can share memory.
std::string NodeIdentity();

/// Identifies this machine, its boot and this process's network namespace: processes with equal
/// identities reach each other over the loopback interface.
std::string NetworkIdentity();

}
