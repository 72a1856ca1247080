// SPDX-License-Identifier: BSD-3-Clause
#include "Driver/SingleProcess.h"

#include "Base/Error.h"
#include "Driver/AskedBytes.h"
#include "Driver/AtomicMode.h"
#include "Driver/CallRecord.h"
#include "Driver/Hdf5Library.h"
#include "Driver/PieceTransfer.h"
#include "Driver/SingleProcessProperty.h"
#include "Memory/DeviceBuffers.h"
#include "Mpi/Agreement.h"
#include "Mpi/CollectiveWait.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <vector>

namespace dsm
{

namespace
{
template <typename Byte>
AskedBytes Asked(const SingleProcess::Pieces<Byte>& pieces)
{
  AskedBytes asked;
  pieces([&](haddr_t address, Byte*, std::uint64_t size) { asked.Add(FileOffset(address), size); });
  asked.Finish();
  return asked;
}

/// Short answers travel with the news that rank 0 has them, longer ones behind it, in steps.
constexpr std::uint64_t MostInNews = 512;
constexpr std::uint64_t Step = UINT64_C(1) << 20;

[[noreturn]] void ThrowDifferent(const OpenMemoryFile& file, const AskedBytes& mine)
{
  const auto all = GatherAll(file.Shared, mine);
  const auto other = std::find_if(all.begin(), all.end(),
    [&](const AskedBytes& asked)
    {
      return asked.First != all[0].First || asked.Bytes != all[0].Bytes ||
        asked.Runs != all[0].Runs;
    });
  const auto text = [](const AskedBytes& asked)
  {
    return fmt::format("{} bytes in {} piece{} from address {} on", asked.Bytes, asked.Runs,
      asked.Runs == 1 ? "" : "s", asked.First);
  };
  const std::string what = other == all.end()
    ? "all of them as many, in as many pieces, at different places"
    : fmt::format("rank 0 {}, rank {} {}", text(all[0]), other - all.begin(), text(*other));
  throw AgreedError(Fault::Usage,
    "{}: in single-process I/O all ranks have to ask for the same bytes, and they do not: {}. "
    "Select the same on all ranks, or do without H5Pset_dxpl_dsm_single_process",
    file.Name, what);
}

/// One exchange.
bool AreSame(const Communicator& ranks, std::uint64_t digest)
{
  const auto highest = ranks.Max(std::array{ digest, ~digest });
  return highest[0] == ~highest[1];
}

/// Sends rank 0's pieces, `bytes` in all, to the others' as one stream: each rank may divide it
/// otherwise, and the steps are the same on all.
void Broadcast(
  const Communicator& ranks, const SingleProcess::Pieces<std::byte>& pieces, std::uint64_t bytes)
{
  const bool sends = ranks.Rank() == 0;
  std::vector<std::byte> step(std::min(Step, bytes));
  std::uint64_t position = 0;
  const auto pass = [&](std::uint64_t begin)
  { ranks.Broadcast(step.data(), std::min(Step, bytes - begin)); };
  pieces(
    [&](haddr_t, std::byte* buffer, std::uint64_t size)
    {
      for (std::uint64_t done = 0; done < size && position < bytes;)
      {
        const std::uint64_t within = position % Step;
        const std::uint64_t length = std::min({ size - done, Step - within, bytes - position });
        if (sends)
        {
          DeviceBuffers::CopyBytes(step.data() + within, buffer + done, length);
        }
        else
        {
          if (within == 0)
          {
            pass(position);
          }
          DeviceBuffers::CopyBytes(buffer + done, step.data() + within, length);
        }
        done += length;
        position += length;
        if (sends && (position % Step == 0 || position == bytes))
        {
          pass(position - (within + length));
        }
      }
    });
  // Who asked for less takes part all the same.
  for (position += (Step - position % Step) % Step; !sends && position < bytes; position += Step)
  {
    pass(position);
  }
}

/// Notes in the trace what was asked for by a rank that moves nothing for it.
void NoteAsked(const OpenMemoryFile& file, const AskedBytes& asked)
{
  if (file.Traced)
  {
    file.Traced->Address = asked.First;
    file.Traced->Size = asked.Bytes;
    file.Traced->Pieces = asked.Runs;
  }
}

/// Moves the pieces between rank 0 and the file, as those of a transfer that others do not see.
template <typename Piece, typename Byte>
void MoveByThisRank(
  OpenMemoryFile& file, hid_t transferList, const SingleProcess::Pieces<Byte>& pieces)
{
  if (file.Traced)
  {
    pieces([&](haddr_t address, Byte*, std::uint64_t size)
      { file.NotePiece(FileOffset(address), size); });
  }
  MovePieces<Piece>(file, transferList, false,
    [&](PieceTransfer<Piece>& transfer)
    {
      pieces([&](haddr_t address, Byte* buffer, std::uint64_t size)
        { transfer.Add(FileOffset(address), buffer, size); });
    });
  file.File->Complete();
}

/// Whether one process may do it for all; throws where it has to and cannot.
bool MayBeOne(const OpenMemoryFile& file, SingleProcess::Check check, const AskedBytes& asked)
{
  if (check != SingleProcess::Check::None && !AreSame(file.Shared, asked.Digest))
  {
    if (check == SingleProcess::Check::Required)
    {
      ThrowDifferent(file, asked);
    }
    return false;
  }
  if (file.Traced)
  {
    file.Traced->Mode = "single process";
  }
  if (file.Shared.Rank() > 0)
  {
    NoteAsked(file, asked);
  }
  return true;
}

/// What rank 0 tells of what it has read: how many bytes, and these where they are few.
Bytes NewsOf(const SingleProcess::Pieces<std::byte>& pieces, std::uint64_t bytes)
{
  Bytes news(sizeof bytes + (bytes <= MostInNews ? bytes : 0));
  std::memcpy(news.data(), &bytes, sizeof bytes);
  if (bytes <= MostInNews)
  {
    auto* to = news.data() + sizeof bytes;
    pieces(
      [&](haddr_t, std::byte* buffer, std::uint64_t size)
      {
        DeviceBuffers::CopyBytes(to, buffer, size);
        to += size;
      });
  }
  return news;
}

/// The pieces' bytes, as one stream; as many as there are.
void TakeFrom(
  const std::byte* stream, std::uint64_t there, const SingleProcess::Pieces<std::byte>& pieces)
{
  pieces(
    [&](haddr_t, std::byte* buffer, std::uint64_t size)
    {
      const std::uint64_t length = std::min(size, there);
      DeviceBuffers::CopyBytes(buffer, stream, length);
      stream += length;
      there -= length;
    });
}

/// Of a file that never changes, small pieces come with others that lie beside them. False where
/// that does not pay.
bool ReadWithOthers(
  OpenMemoryFile& file, const AskedBytes& asked, const SingleProcess::Pieces<std::byte>& pieces)
{
  if (!file.File->IsReadOnly() || asked.Runs != 1)
  {
    return false;
  }
  if (file.Ahead.Find(asked.First, asked.Bytes))
  {
    NoteAsked(file, asked);
  }
  else
  {
    const auto range = file.Ahead.Next(asked.First, asked.Bytes, file.File->InitialEnd());
    if (!range)
    {
      return false;
    }
    file.Ahead.Keep(range->Begin,
      RunOnRankZeroBytes(file.Shared,
        [&]
        {
          Bytes bytes(range->End - range->Begin);
          file.Read(FileOffset(range->Begin), bytes.data(), bytes.size());
          file.File->Complete();
          return bytes;
        }));
  }
  TakeFrom(file.Ahead.Find(asked.First, asked.Bytes), asked.Bytes, pieces);
  return true;
}
}

std::optional<SingleProcess::Check> SingleProcess::Wanted(
  OpenMemoryFile& file, hid_t dxpl, bool reads)
{
  if (!file.Parallel || file.Shared.Size() == 1 || file.OneForAll == SingleProcessPolicy::Off)
  {
    return std::nullopt;
  }
  switch (SingleProcessProperty(dxpl))
  {
    case H5FD_DSM_SINGLE_PROCESS:
      return Check::Required;
    case H5FD_DSM_SINGLE_PROCESS_UNCHECKED:
      return Check::None;
    default:
      break;
  }
  if (reads && hdf5library::AllReadTheSame() && !file.File->IsMapped())
  {
    return Check::None;
  }
  return file.OneForAll == SingleProcessPolicy::Same ? std::optional(Check::Tried) : std::nullopt;
}

bool SingleProcess::Read(
  OpenMemoryFile& file, hid_t transferList, Check check, const Pieces<std::byte>& pieces)
{
  const CollectiveWait::Purpose purpose("reading " + file.Name);
  const AskedBytes asked = Asked(pieces);
  if (!MayBeOne(file, check, asked))
  {
    return false;
  }
  if (ReadWithOthers(file, asked, pieces))
  {
    return true;
  }
  const Bytes news = RunOnRankZeroBytes(file.Shared,
    [&]
    {
      const atomicmode::Access access(file, false);
      MoveByThisRank<GetPiece>(file, transferList, pieces);
      return NewsOf(pieces, asked.Bytes);
    });
  std::uint64_t bytes = 0;
  std::memcpy(&bytes, news.data(), sizeof bytes);
  if (bytes > MostInNews)
  {
    Broadcast(file.Shared, pieces, bytes);
  }
  else if (file.Shared.Rank() > 0)
  {
    const auto* stream = reinterpret_cast<const std::byte*>(news.data());
    TakeFrom(stream + sizeof bytes, news.size() - sizeof bytes, pieces);
  }
  if (asked.Bytes != bytes)
  {
    throw Error(Fault::Usage,
      "{}: in single-process I/O all ranks have to ask for the same bytes, and this one asks for "
      "{} where rank 0 asks for {}",
      file.Name, asked.Bytes, bytes);
  }
  return true;
}

bool SingleProcess::Write(
  OpenMemoryFile& file, hid_t transferList, Check check, const Pieces<const std::byte>& pieces)
{
  const CollectiveWait::Purpose purpose("writing " + file.Name);
  const AskedBytes asked = Asked(pieces);
  if (!MayBeOne(file, check, asked))
  {
    return false;
  }
  RunOnRankZero(file.Shared,
    [&]
    {
      const atomicmode::Access access(file, true);
      MoveByThisRank<PutPiece>(file, transferList, pieces);
    });
  return true;
}

}
