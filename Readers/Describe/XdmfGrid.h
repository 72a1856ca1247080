// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Describe/Description.h"
#include "Describe/NamedData.h"
#include "Describe/XdmfNames.h"
#include "Describe/XmlTree.h"

namespace dsm::describe
{

/// A Grid of the type Uniform as a part. What is not supported of its attributes is added to
/// `about`'s list of what was left out, what is not said to what was guessed. Throws dsm::Error: of
/// Unsupported the whole grid may be left out, of Usage the text is wrong.
Part XdmfPart(
  const XmlElement& grid, const XdmfNames& names, const NamedData& data, Description& about);

}
