// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Encoding/Fields.h"

#include <string>
#include <vector>

namespace dsm
{

/// Fields that get their values from the record. Nothing can be asked of them.
class WritingFields : public Fields
{
public:
  bool Reading() const final { return false; }
  bool Has(const char*) const final { return false; }
  bool IsText(const char*) const final { return false; }
  std::vector<std::string> Names() const final { return {}; }
  /// Throws Error(Usage).
  [[noreturn]] void Fail(const char* name, const std::string& what) const final;
};

}
