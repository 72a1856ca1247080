// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Describe/DescriptionBuilder.h"
#include "Describe/FileFacts.h"
#include "Describe/ScaledVariable.h"

namespace dsm::describe
{

/// Decides what each dimension of a variable runs along: by its scale, else by its name, else by
/// its place. Records in `result` what is guessed.
void SetRoles(ScaledVariable& variable, const FileFacts& file, DescriptionBuilder& result);

}
