// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Describe/DescriptionBuilder.h"
#include "Describe/FileFacts.h"
#include "Describe/OpenPmdRecords.h"

namespace dsm::describe
{

/// Adds the components of a mesh of openPMD to the parts with their points. Throws dsm::Error if
/// it cannot be shown.
void AddMesh(const FileFacts& file, const OpenPmdRecord& record, DescriptionBuilder& result);

}
