// SPDX-License-Identifier: BSD-3-Clause
#include "Archive/ArchivePath.h"

#include "Archive/SaveSnapshot.h"
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

std::string FreeIn(const std::string& folder, const SnapshotDescription& snapshot)
{
  const fs::path path = PlaceIn(folder, snapshot);
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
  return fs::is_directory(path) && snapshot.Parts.empty() ? PlaceIn(path, snapshot) : path;
}

}
