// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "InnerReader.h"

namespace dsm::readers
{

/// ParaView's reader for XDMF (version 2), given a description that is fitted to its file. Throws
/// dsm::Error(Unsupported) where this ParaView was built without it.
InnerReader MakeXdmfReader(const std::string& text);

}
