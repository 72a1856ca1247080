// SPDX-License-Identifier: BSD-3-Clause
#include "Describe/NothingYet.h"

#include <algorithm>

namespace dsm::describe
{

namespace
{
Description EmptyBecause(const NothingYet& nothing)
{
  Description made{ nothing.Format, nothing.what() };
  made.Empty = true;
  return made;
}

bool HasValues(const FileFacts& file)
{
  const auto& objects = file.Objects();
  return std::any_of(objects.begin(), objects.end(), [](const hdf5::Object& object)
    { return object.Dataset && !object.Null && object.Elements() > 0; });
}
}

Description DescribeOrWait(const FileFacts& file, const std::function<Description()>& describe)
{
  try
  {
    return describe();
  }
  catch (const NothingYet& nothing)
  {
    return EmptyBecause(nothing);
  }
  catch (const Error& error)
  {
    const bool isAsked = error.GetFault() == Fault::Usage; // what users set is wrong now and later
    if (isAsked || error.GetFault() == Fault::Refused || HasValues(file))
    {
      throw;
    }
    const bool datasets = std::any_of(file.Objects().begin(), file.Objects().end(),
      [](const hdf5::Object& object) { return object.Dataset; });
    return EmptyBecause(
      NothingYet("empty", datasets ? "its datasets are empty" : "it has no datasets"));
  }
}

}
