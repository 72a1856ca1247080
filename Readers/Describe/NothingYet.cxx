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

// Values that HDF5 cannot read are why a format lacks them.
void RequireReadable(const FileFacts& file, const std::string& what)
{
  for (const hdf5::Object& object : file.Objects())
  {
    if (!object.Unreadable.empty() && what.find(object.Unreadable) == std::string::npos)
    {
      throw Error(Fault::Unsupported, "{}; {}: {}", what, object.Path, object.Unreadable);
    }
  }
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
    RequireReadable(file, nothing.what());
    return EmptyBecause(nothing);
  }
  catch (const Error& error)
  {
    const bool isAsked = error.GetFault() == Fault::Usage; // what users set is wrong now and later
    if (isAsked || error.GetFault() == Fault::Refused || HasValues(file))
    {
      if (!isAsked)
      {
        RequireReadable(file, error.what());
      }
      throw;
    }
    const bool datasets = std::any_of(file.Objects().begin(), file.Objects().end(),
      [](const hdf5::Object& object) { return object.Dataset; });
    return EmptyBecause(
      NothingYet("empty", datasets ? "its datasets are empty" : "it has no datasets"));
  }
}

}
