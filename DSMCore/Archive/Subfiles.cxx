// SPDX-License-Identifier: BSD-3-Clause
#include "Archive/Subfiles.h"

#include "Archive/NewFile.h"
#include "Archive/SubfileNames.h"
#include "Base/Error.h"
#include "Base/FileMark.h"
#include "Base/FileName.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <string_view>

namespace dsm
{

namespace
{
namespace fs = std::filesystem;

// What follows the key at the beginning of a line; none where it does not begin so.
std::optional<std::string> ValueOf(const std::string& line, std::string_view key)
{
  return line.starts_with(key) ? std::optional(line.substr(key.size())) : std::nullopt;
}

std::uint64_t NumberIn(const std::string& text)
{
  std::uint64_t number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}
}

std::optional<Subfiles> Subfiles::Of(const std::string& stub)
{
  const auto mark = FileMark::Of(stub);
  if (!mark)
  {
    return std::nullopt;
  }
  Subfiles found;
  found.Configuration = SubfileNames(stub, mark->Inode).Configuration();
  std::ifstream file(found.Configuration);
  if (!file)
  {
    return std::nullopt;
  }
  std::uint64_t count = 0;
  fs::path folder = fs::path(stub).parent_path();
  bool listed = false;
  for (std::string line; std::getline(file, line);)
  {
    if (listed)
    {
      found.Paths.push_back((folder / line).string());
    }
    else if (const auto stripe = ValueOf(line, "stripe_size="))
    {
      found.StripeSize = NumberIn(*stripe);
    }
    else if (const auto number = ValueOf(line, "subfile_count="))
    {
      count = NumberIn(*number);
    }
    else if (const auto where = ValueOf(line, "subfile_dir="))
    {
      folder = *where;
      listed = true; // what follows are their names
    }
  }
  if (found.StripeSize == 0 || found.Paths.empty() || found.Paths.size() != count)
  {
    throw Error(Fault::System, "{} is no configuration of HDF5's Subfiling driver that makes sense",
      found.Configuration);
  }
  return found;
}

void Subfiles::Rename(const std::string& before, const std::string& now)
{
  try
  {
    const auto known = Of(before);
    const auto mark = FileMark::Of(before);
    Subfiles renamed;
    if (known && mark)
    {
      const SubfileNames names(now, mark->Inode);
      renamed = { known->StripeSize, {}, names.Configuration() };
      for (std::uint64_t number = 1; number <= known->Paths.size(); ++number)
      {
        renamed.Paths.push_back(names.Subfile(number, known->Paths.size()));
        fs::create_hard_link(known->Paths[number - 1], renamed.Paths.back());
      }
      NewFile configuration(renamed.Configuration);
      configuration.WriteText(renamed.ConfigurationOf(now));
      configuration.Finish();
    }
    fs::rename(before, now);
    if (known)
    {
      std::for_each(known->Paths.begin(), known->Paths.end(),
        [](const std::string& path) { fs::remove(path); });
      fs::remove(known->Configuration);
    }
  }
  catch (const fs::filesystem_error& error)
  {
    throw Error(Fault::System, "cannot rename {} to {}: {}", before, now, error.code().message());
  }
}

std::string Subfiles::ConfigurationOf(const std::string& stub) const
{
  const fs::path path = AbsoluteName(stub);
  std::string text = fmt::format("stripe_size={}\naggregator_count={}\nsubfile_count={}\n"
                                 "hdf5_file={}\nsubfile_dir={}\n",
    this->StripeSize, this->Paths.size(), this->Paths.size(), path.string(),
    path.parent_path().string());
  for (const std::string& subfile : this->Paths)
  {
    text += fs::path(subfile).filename().string() + "\n";
  }
  return text;
}

// Where the last byte of any subfile stands in the file.
std::uint64_t Subfiles::FileSize() const
{
  std::uint64_t end = 0;
  for (std::uint64_t number = 0; number < this->Paths.size(); ++number)
  {
    std::error_code failed;
    const std::uint64_t size = fs::file_size(this->Paths[number], failed);
    if (failed)
    {
      throw Error(Fault::System, "the subfile {}, which {} names, cannot be read: {}",
        this->Paths[number], this->Configuration, failed.message());
    }
    if (size > 0)
    {
      const std::uint64_t last = (size - 1) / this->StripeSize;
      end = std::max(end,
        (last * this->Paths.size() + number) * this->StripeSize + (size - 1) % this->StripeSize +
          1);
    }
  }
  return end;
}

}
