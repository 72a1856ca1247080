// SPDX-License-Identifier: BSD-3-Clause
#include "Archive/ArchivePath.h"

#include "Base/Error.h"
#include "Base/FileName.h"

#include <algorithm>
#include <climits>
#include <filesystem>

namespace dsm::archivepath
{

namespace fs = std::filesystem;

void MakeFolder(const std::string& folder)
{
  std::error_code failed;
  fs::create_directories(folder, failed);
  if (failed)
  {
    throw Error(
      Fault::System, "cannot make the folder {} for snapshots: {}", folder, failed.message());
  }
}

namespace
{
// Returns a path without the folders of the file.
fs::path InItself(const std::string& folder, const SnapshotDescription& snapshot)
{
  return fs::path(folder) / fs::path(snapshot.FileName).filename();
}
}

std::string PlaceIn(
  const std::string& folder, const SnapshotDescription& snapshot, const std::string& contact)
{
  const fs::path file = snapshot.FileName;
  const fs::path below = PathBelow(fs::path(contact).parent_path(), file);
  return fs::path(folder) / (below.empty() ? file.relative_path() : below);
}

std::vector<std::string> PartsIn(
  const std::string& folder, const std::vector<SnapshotDescription>& parts)
{
  fs::path common = parts.empty() ? fs::path() : fs::path(parts.front().FileName).parent_path();
  for (const SnapshotDescription& part : parts)
  {
    while (common.has_relative_path() && PathBelow(common, part.FileName).empty())
    {
      common = common.parent_path();
    }
  }
  std::vector<std::string> places;
  places.reserve(parts.size());
  for (const SnapshotDescription& part : parts)
  {
    places.push_back(fs::path(folder) / PathBelow(common, part.FileName));
  }
  return places;
}

void MakeFolderOf(const std::string& file)
{
  MakeFolder(fs::path(file).parent_path());
}

std::string FreeIn(const std::string& folder, const SnapshotDescription& snapshot)
{
  const fs::path path = InItself(folder, snapshot);
  if (!fs::exists(path))
  {
    return path;
  }
  const std::string end = fmt::format(".snapshot{}{}", snapshot.Number, path.extension().string());
  return fs::path(folder) /
    (Shortened(path.stem().string(), NAME_MAX - std::min<std::size_t>(NAME_MAX, end.size())) + end);
}

std::string Default(const std::string& contact, const SnapshotDescription& snapshot)
{
  const std::string folder = contact + ".saved";
  if (!snapshot.Parts.empty())
  {
    return fs::path(folder) / fmt::format("snapshot{}", snapshot.Number);
  }
  MakeFolder(folder);
  return FreeIn(folder, snapshot);
}

std::string At(const std::string& path, const SnapshotDescription& snapshot)
{
  return fs::is_directory(path) && snapshot.Parts.empty() ? InItself(path, snapshot).string()
                                                          : path;
}

}
