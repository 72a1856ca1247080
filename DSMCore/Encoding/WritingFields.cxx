// SPDX-License-Identifier: BSD-3-Clause
#include "Encoding/WritingFields.h"

#include "Base/Error.h"

namespace dsm
{

void WritingFields::Fail(const char* name, const std::string& what) const
{
  throw Error(Fault::Usage, "\"{}\" {}", name ? name : "an element", what);
}

}
