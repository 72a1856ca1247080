// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Base/Right.h"
#include "Protocol/GuestMessages.h"

/// The rights of guests.
namespace dsm::access
{

/// Throws Error(Refused), in words for the guest, unless the guest has that right.
void Require(const GuestDescription& guest, Right needed);

}
