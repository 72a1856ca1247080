// SPDX-License-Identifier: BSD-3-Clause
#include "Driver/ReadExchange.h"

#include "Memory/DeviceBuffers.h"
#include "Mpi/Agreement.h"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <utility>

namespace dsm
{

/// What the others want of this rank.
struct ReadExchange::Asked
{
  PieceMerge Pieces; ///< positions are those of the answers
  std::uint64_t Bytes = 0;
};

ReadExchange::ReadExchange(const Communicator& ranks, MemoryFile& file)
  : PieceExchange(ranks, file)
{
}

void ReadExchange::Add(std::span<const GetPiece> pieces)
{
  this->ForEachPart(
    pieces, [](Slot& slot, std::size_t, std::byte* memory, std::uint64_t size)
    { slot.Memory.Add(reinterpret_cast<std::uintptr_t>(memory), size); },
    [this] { this->Round(true); });
}

void ReadExchange::Finish(std::exception_ptr failure)
{
  if (failure)
  {
    this->Note(std::move(failure));
  }
  while (!this->Broken && this->Round(false))
  {
  }
  if (this->Broken)
  {
    std::rethrow_exception(this->Failure);
  }
  Agree(this->Ranks,
    [this]
    {
      if (this->Failure)
      {
        std::rethrow_exception(this->Failure);
      }
    });
}

// True when some rank has more.
bool ReadExchange::Round(bool more)
{
  this->Broken = true; // unless all of this goes well
  try
  {
    const Announced from = this->Announce(more);
    // Who wants what.
    std::vector<PieceRow> mine;
    Communicator::Parcels questions;
    Communicator::Parcels received;
    for (std::size_t rank = 0; rank < this->Slots.size(); ++rank)
    {
      const PieceRows& places = this->Going[rank].Places;
      mine.insert(mine.end(), places.List().begin(), places.List().end());
      questions.Sizes.push_back(places.Bytes());
      received.Sizes.push_back(from.Rows[rank] * sizeof(PieceRow));
    }
    std::vector<PieceRow> rows(
      std::accumulate(from.Rows.begin(), from.Rows.end(), std::uint64_t{ 0 }));
    questions.Bytes = reinterpret_cast<std::byte*>(mine.data());
    questions.Offsets = OneBehindTheOther(questions.Sizes);
    received.Bytes = reinterpret_cast<std::byte*>(rows.data());
    received.Offsets = OneBehindTheOther(received.Sizes);
    this->Ranks.AllToAll(questions, received);
    // What they get.
    Communicator::Parcels answers{ nullptr, OneBehindTheOther(from.Bytes), from.Bytes };
    Asked asked;
    std::size_t row = 0;
    for (std::size_t rank = 0; rank < this->Slots.size(); ++rank)
    {
      asked.Pieces.Add(std::span(rows).subspan(row, from.Rows[rank]), answers.Offsets[rank]);
      asked.Bytes += from.Bytes[rank];
      row += from.Rows[rank];
    }
    answers.Bytes = this->Answers.Get(asked.Bytes);
    try
    {
      this->Answer(asked, answers.Bytes);
    }
    catch (...)
    {
      this->Note(std::current_exception()); // all hear of it at the end
    }
    Communicator::Parcels replies;
    for (const Slot& slot : this->Going)
    {
      replies.Sizes.push_back(slot.Bytes);
    }
    replies.Offsets = OneBehindTheOther(replies.Sizes);
    replies.Bytes = this->Replies.Get(replies.Offsets.back() + replies.Sizes.back());
    this->Ranks.AllToAll(answers, replies);
    this->TakeAnswers(replies.Bytes);
    this->Broken = false;
    return from.More;
  }
  catch (...)
  {
    this->Note(std::current_exception());
    throw;
  }
}

// Fetches what is wanted, each byte once, and sorts it by who wants it.
void ReadExchange::Answer(const Asked& asked, std::byte* answer)
{
  std::byte* const fetched = this->Fetched.Get(asked.Bytes);
  std::vector<GetPiece> runs;
  std::byte* place = fetched;
  asked.Pieces.ForEach(
    [&](FileOffset address, std::uint64_t size, std::uint64_t)
    {
      if (runs.empty() || address > runs.back().Place + runs.back().Size)
      {
        runs.push_back({ address, place, 0 });
      }
      GetPiece& run = runs.back();
      run.Size = std::max(run.Size, address + size - run.Place);
      place = run.Memory + run.Size;
    });
  if (runs.empty())
  {
    return;
  }
  this->File.ReadPieces(runs, true);
  this->File.Complete();
  const GetPiece* run = runs.data();
  asked.Pieces.ForEach(
    [&](FileOffset address, std::uint64_t size, std::uint64_t position)
    {
      while (address >= run->Place + run->Size)
      {
        ++run;
      }
      CopyPiece(answer + position, run->Memory + (address - run->Place), size);
    });
}

void ReadExchange::TakeAnswers(const std::byte* answers)
{
  for (const Slot& slot : this->Going)
  {
    for (const PieceRow& row : slot.Memory.List())
    {
      for (std::uint64_t i = 0; i < row.Count; ++i, answers += row.Size)
      {
        auto* const place = reinterpret_cast<std::byte*>(row.At(i)); // NOLINT
        if (!DeviceBuffers::Copy(place, answers, row.Size)) [[likely]]
        {
          CopyPiece(place, answers, row.Size);
        }
      }
    }
  }
}

}
