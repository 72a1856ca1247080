// SPDX-License-Identifier: BSD-3-Clause
#include "Archive/SaveSnapshot.h"

#include "Archive/ArchivePath.h"

#include <algorithm>
#include <filesystem>
#include <vector>

namespace dsm
{

namespace
{
constexpr std::uint64_t Step = UINT64_C(8) << 20;
// So much is written from where it is; what is in smaller pieces is collected before.
constexpr std::uint64_t LongRun = UINT64_C(256) << 10;
}

void CopySnapshot(const SnapshotView& snapshot, const StripedFiles& files,
  const std::function<void(std::uint64_t)>& wrote)
{
  const std::uint64_t fileSize = snapshot.Description().FileSize;
  files.Reserve(fileSize);
  std::vector<std::byte> buffer;
  for (FileOffset address = 0; address < fileSize;)
  {
    std::uint64_t size = std::min(Step, fileSize - address);
    const std::uint64_t run = std::min(size, snapshot.Consecutive(address));
    const bool isLong = run >= std::min(LongRun, size);
    const std::byte* source = isLong ? snapshot.Direct(address, run) : nullptr;
    if (source)
    {
      size = run;
    }
    else
    {
      buffer.resize(std::max<std::size_t>(buffer.size(), size));
      snapshot.Read(address, buffer.data(), size);
      source = buffer.data();
    }
    files.Write(address, source, size, fileSize, wrote);
    address += size;
  }
  snapshot.RequireHeld();
}

void SaveSnapshot(const SnapshotView& snapshot, const std::string& path)
{
  NewFile file(path, snapshot.Description().Access);
  CopySnapshot(snapshot, file);
  file.Finish();
}

void SaveParts(const std::shared_ptr<Connection>& server, const SnapshotDescription& snapshot,
  const std::string& folder,
  const std::function<void(const SnapshotView& part, const std::string& path)>& save)
{
  std::vector<SnapshotDescription> parts;
  parts.reserve(snapshot.Parts.size());
  for (const SnapshotId number : snapshot.Parts)
  {
    parts.push_back(SnapshotView(server, number).Description());
  }
  const auto places = archivepath::PartsIn(folder, parts);
  for (std::size_t part = 0; part < parts.size(); ++part)
  {
    archivepath::MakeFolderOf(places[part]);
    save(SnapshotView(server, parts[part].Number), places[part]);
  }
}

}
