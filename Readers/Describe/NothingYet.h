// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Base/Error.h"
#include "Describe/Description.h"
#include "Describe/FileFacts.h"

#include <functional>
#include <string>

namespace dsm::describe
{

/// Thrown if a file is one that can be shown, and the simulation has written nothing into it yet.
class NothingYet final : public Error
{
public:
  /// `why` is a sentence about the file: "it has no step".
  NothingYet(std::string format, const std::string& why)
    : Error(Fault::Unsupported, "there is nothing in it yet: {}", why)
    , Format(std::move(format))
  {
  }

  const std::string Format;
};

/// Returns what `describe` does. If that throws NothingYet, or throws of a file without any value,
/// returns a description that is empty and says why: to wait for a simulation is no error. Other
/// errors pass, and Fault::Refused in any case, which no value would mend.
Description DescribeOrWait(const FileFacts& file, const std::function<Description()>& describe);

}
