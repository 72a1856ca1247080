// SPDX-License-Identifier: BSD-3-Clause
#include "Archive/SaveSnapshot.h"

#include "Base/Error.h"
#include "Base/Log.h"
#include "Protocol/SnapshotMessages.h"
#include "Session/Connection.h"

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

// A server that has ended meanwhile needs to know no more, nor whom it does not believe.
void Tell(Connection& server, std::uint64_t number) noexcept
{
  try
  {
    server.Request(NoteSaved{ number });
  }
  catch (const std::exception& error)
  {
    Log().info("snapshot {} is saved, and the server not told: {}", number, error.what());
  }
}
}

std::string PlaceIn(const std::string& folder, const SnapshotDescription& snapshot)
{
  return std::filesystem::path(folder) / std::filesystem::path(snapshot.FileName).filename();
}

void SaveSnapshot(const std::shared_ptr<Connection>& server, const SnapshotDescription& snapshot,
  const std::string& path)
{
  if (snapshot.Parts.empty())
  {
    SaveSnapshot(SnapshotView(server, snapshot.Number), path);
    Tell(*server, snapshot.Number);
    return;
  }
  std::error_code failed;
  std::filesystem::create_directories(path, failed);
  if (failed)
  {
    throw Error(Fault::System, "cannot make the folder {} for the {} files of a snapshot: {}", path,
      snapshot.Parts.size(), failed.message());
  }
  for (const std::uint64_t number : snapshot.Parts)
  {
    const SnapshotView part(server, number);
    SaveSnapshot(part, PlaceIn(path, part.Description()));
  }
  Tell(*server, snapshot.Number);
}

void CopySnapshot(const SnapshotView& snapshot, const NewFile& file,
  const std::function<void(std::uint64_t)>& wrote)
{
  const std::uint64_t fileSize = snapshot.Description().FileSize;
  file.Reserve(fileSize);
  std::vector<std::byte> buffer;
  for (std::uint64_t address = 0; address < fileSize;)
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
    // What it did not take is read again.
    const std::uint64_t done = file.Write(source, size);
    address += done;
    if (wrote)
    {
      wrote(done);
    }
  }
  snapshot.RequireHeld();
}

void SaveSnapshot(const SnapshotView& snapshot, const std::string& path)
{
  NewFile file(path);
  CopySnapshot(snapshot, file);
  file.Finish();
}

}
