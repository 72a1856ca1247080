// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "InternalReader.h"

namespace dsm::readers
{

/// ParaView's reader for XDMF 2, with a description that was adapted to its file. Throws
/// dsm::Error(Unsupported) if this ParaView was built without it.
InternalReader MakeXdmfReader(const std::string& text);

}
