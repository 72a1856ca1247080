// SPDX-License-Identifier: BSD-3-Clause
#include "Archive/NewSubfiles.h"

#include "Archive/Subfiles.h"
#include "Base/Error.h"
#include "Base/Log.h"

#include <unistd.h>

#include <optional>

namespace dsm
{

namespace
{
// Those of the file that is replaced. What they say need not make sense any more.
std::optional<Subfiles> Before(const std::string& stub)
{
  try
  {
    return Subfiles::Of(stub);
  }
  catch (const Error& error)
  {
    Log().warn("what is left of the file that was {} stays: {}", stub, error.what());
    return std::nullopt;
  }
}
}

NewSubfiles::NewSubfiles(const std::string& path, std::uint64_t count, std::uint64_t stripeSize,
  const std::optional<FileAccess>& access)
  : Stub(path, access)
  , Names(path, this->Stub.Mark().Inode)
  , StripeSize(stripeSize)
  , Access(access)
{
  for (std::uint64_t number = 1; number <= count; ++number)
  {
    this->Paths.push_back(this->Names.Subfile(number, count));
    this->Subfile.push_back(std::make_unique<NewFile>(this->Paths.back(), access));
  }
}

StripedFiles NewSubfiles::Files() const
{
  std::vector<NewFile*> files;
  files.reserve(this->Subfile.size());
  for (const auto& subfile : this->Subfile)
  {
    files.push_back(subfile.get());
  }
  return { std::move(files), this->StripeSize };
}

void NewSubfiles::Finish()
{
  const auto before = Before(this->Names.StubPath());
  Subfiles known;
  known.StripeSize = this->StripeSize;
  known.Paths = this->Paths;
  known.Configuration = this->Names.Configuration();
  NewFile configuration(known.Configuration, this->Access);
  configuration.WriteText(known.ConfigurationOf(this->Names.StubPath()));
  std::vector<std::string> there;
  try
  {
    for (std::size_t number = 0; number < this->Subfile.size(); ++number)
    {
      this->Subfile[number]->Finish();
      there.push_back(this->Paths[number]);
    }
    configuration.Finish();
    there.push_back(known.Configuration);
    this->Stub.Finish();
  }
  catch (const Error&)
  {
    for (const std::string& path : there)
    {
      unlink(path.c_str());
    }
    throw;
  }
  if (before)
  {
    for (const std::string& path : before->Paths)
    {
      unlink(path.c_str());
    }
    unlink(before->Configuration.c_str());
  }
}

}
