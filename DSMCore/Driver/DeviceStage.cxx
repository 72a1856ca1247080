// SPDX-License-Identifier: BSD-3-Clause
#include "Driver/DeviceStage.h"

#include "Memory/DeviceBuffers.h"

#include <algorithm>
#include <memory>
#include <vector>

namespace dsm::devicestage
{

namespace
{
// A row of small pieces is copied from the device at once if it has at most so many times their
// bytes.
constexpr std::uint64_t MostAround = 16;

std::byte* Buffer()
{
  static thread_local const auto buffer = std::make_unique_for_overwrite<std::byte[]>(Size);
  return buffer.get();
}

// Pieces that one copy fetches.
struct Row
{
  std::size_t Count = 0;
  const std::byte* Begin = nullptr;
  std::uint64_t Bytes = 0;
};

// The pieces at the front that lie in one allocation, within `room` bytes, and not too far apart.
Row RowOf(std::span<const PutPiece> pieces, const DeviceBuffers::Place& device, std::uint64_t room)
{
  Row row{ 1, pieces.front().Memory, pieces.front().Size };
  std::uint64_t wanted = row.Bytes;
  for (const PutPiece& piece : pieces.subspan(1))
  {
    if (!device.Contains(piece.Memory))
    {
      break;
    }
    const std::byte* const begin = std::min(row.Begin, piece.Memory);
    const std::byte* const end = std::max(row.Begin + row.Bytes, piece.Memory + piece.Size);
    const auto bytes = static_cast<std::uint64_t>(end - begin);
    wanted += piece.Size;
    if (bytes > room || bytes > MostAround * wanted)
    {
      break;
    }
    row = { row.Count + 1, begin, bytes };
  }
  return row;
}
}

void Move(
  std::span<const PutPiece> pieces, const std::function<void(std::span<const PutPiece>)>& write)
{
  std::vector<PutPiece> ready;
  std::uint64_t used = 0;
  const auto pass = [&]
  {
    if (!ready.empty())
    {
      write(ready);
    }
    ready.clear();
    used = 0;
  };
  while (!pieces.empty())
  {
    const PutPiece first = pieces.front();
    const DeviceBuffers::Place* const device = DeviceBuffers::Find(first.Memory);
    if (!device)
    {
      ready.push_back(first);
      pieces = pieces.subspan(1);
      continue;
    }
    if (first.Size > Size - used && used > 0)
    {
      pass();
    }
    std::byte* const buffer = Buffer();
    if (first.Size > Size)
    {
      for (std::uint64_t done = 0; done < first.Size;)
      {
        const std::uint64_t step = std::min(Size, first.Size - done);
        DeviceBuffers::CopyBytes(buffer, first.Memory + done, step);
        ready.push_back({ first.Place + done, buffer, step });
        pass();
        done += step;
      }
      pieces = pieces.subspan(1);
      continue;
    }
    const Row row = RowOf(pieces, *device, Size - used);
    DeviceBuffers::CopyBytes(buffer + used, row.Begin, row.Bytes);
    for (const PutPiece& piece : pieces.first(row.Count))
    {
      ready.push_back({ piece.Place, buffer + used + (piece.Memory - row.Begin), piece.Size });
    }
    used += row.Bytes;
    pieces = pieces.subspan(row.Count);
  }
  pass();
}

void Move(
  std::span<const GetPiece> pieces, const std::function<void(std::span<const GetPiece>)>& read)
{
  std::vector<GetPiece> ready;
  std::vector<std::byte*> targets; // of what is in the buffer
  std::uint64_t used = 0;
  const auto pass = [&]
  {
    if (ready.empty())
    {
      return;
    }
    read(ready);
    for (std::size_t i = 0; i < ready.size(); ++i)
    {
      if (targets[i] != ready[i].Memory)
      {
        DeviceBuffers::CopyBytes(targets[i], ready[i].Memory, ready[i].Size);
      }
    }
    ready.clear();
    targets.clear();
    used = 0;
  };
  for (const GetPiece& piece : pieces)
  {
    if (!DeviceBuffers::Find(piece.Memory))
    {
      ready.push_back(piece);
      targets.push_back(piece.Memory);
      continue;
    }
    for (std::uint64_t done = 0; done < piece.Size;)
    {
      if (used == Size)
      {
        pass();
      }
      const std::uint64_t step = std::min(Size - used, piece.Size - done);
      ready.push_back({ piece.Place + done, Buffer() + used, step });
      targets.push_back(piece.Memory + done);
      used += step;
      done += step;
    }
  }
  pass();
}

}
