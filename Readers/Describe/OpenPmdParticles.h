// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Describe/DescriptionBuilder.h"
#include "Describe/OpenPmdRecords.h"

#include <string>
#include <vector>

namespace dsm::describe
{

/// Adds a part for a species of particles of openPMD. Throws dsm::Error if it cannot be shown.
void AddSpecies(
  const std::string& name, std::vector<OpenPmdRecord> records, DescriptionBuilder& result);

/// Whether a record says where particles are, and is no array.
bool IsPosition(const OpenPmdRecord& record);

}
