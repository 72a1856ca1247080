// SPDX-License-Identifier: BSD-3-Clause
#include "Peer/SharedQuestions.h"

#include "Base/Doorbell.h"
#include "Base/RandomNumber.h"
#include "Memory/QuestionBoard.h"
#include "Memory/SharedNumber.h"
#include "Peer/AnswerWait.h"

#include <utility>

namespace dsm
{

namespace
{
constexpr std::uint64_t Word = sizeof(std::uint64_t);
// Over a network each look at a place is a round trip.
constexpr std::uint64_t MostLooks = 4;
// A place is as good as free after that: whoever asked there has gone, or has no answer for long.
constexpr Seconds Patience(1);
}

SharedQuestions::SharedQuestions(std::shared_ptr<Transport> route, const ServerDescription& server)
  : Route(std::move(route))
  , Layout(server.SlotSize, server.SlotCount)
{
}

std::vector<std::uint64_t> SharedQuestions::Load(std::uint64_t offset, std::size_t words) const
{
  std::vector<std::uint64_t> loaded(words);
  const std::uint64_t begin = this->Layout.Questions + offset;
  if (std::byte* place = this->Route->Shared(0, begin))
  {
    for (std::size_t i = 0; i < words; ++i)
    {
      loaded[i] = SharedNumber(place + i * Word).Load();
    }
    return loaded;
  }
  this->Route->Get(0, begin, loaded.data(), words * Word);
  this->Route->Flush();
  return loaded;
}

// The check last: whoever looks meanwhile finds none, or the one before.
void SharedQuestions::Store(std::uint64_t offset, const std::vector<std::uint64_t>& words) const
{
  const std::uint64_t begin = this->Layout.Questions + offset;
  if (std::byte* place = this->Route->Shared(0, begin))
  {
    for (std::size_t i = words.size(); i-- > 0;)
    {
      SharedNumber(place + i * Word).Store(words[i]);
    }
    return;
  }
  this->Route->Put(0, begin, words.data(), words.size() * Word);
  this->Route->Flush();
}

// One whose question has its answer, or has had none.
std::optional<std::uint64_t> SharedQuestions::FreePlace(std::uint64_t first) const
{
  for (std::uint64_t look = 0; look < MostLooks; ++look)
  {
    const std::uint64_t place = (first + look) % QuestionBoard::Places;
    if (this->Load(QuestionBoard::QuestionOf(place), 1)[0] ==
      this->Load(QuestionBoard::AnswerOf(place), 2)[1])
    {
      return place;
    }
  }
  return std::nullopt;
}

std::optional<Bytes> SharedQuestions::AnswerTo(std::uint64_t check, std::uint64_t place) const
{
  const std::uint64_t offset = QuestionBoard::AnswerOf(place);
  const auto header = this->Load(offset, QuestionBoard::Sheet::HeaderWords);
  if (header[1] != check || header[2] > QuestionBoard::LongestAnswer)
  {
    return std::nullopt;
  }
  auto sheet =
    QuestionBoard::Sheet::FromWords(this->Load(offset, QuestionBoard::Sheet::WordsFor(header[2])));
  return sheet && sheet->Key == check ? std::optional(std::move(sheet->Message)) : std::nullopt;
}

std::optional<Bytes> SharedQuestions::Ask(
  const Bytes& message, Seconds limit, Seconds silence, const std::function<bool()>& hasEnded) const
{
  if (message.size() > QuestionBoard::LongestQuestion)
  {
    return std::nullopt;
  }
  AnswerWait wait(*this->Route, this->Layout, limit, silence, hasEnded);
  std::optional<std::uint64_t> place;
  std::vector<std::uint64_t> sheet;
  auto patient = Deadline(Patience);
  do
  {
    wait.BeginLook();
    if (place)
    {
      if (auto answer = this->AnswerTo(sheet[0], *place))
      {
        return answer;
      }
      const auto there = this->Load(QuestionBoard::QuestionOf(*place), sheet.size());
      if (there == sheet)
      {
        continue;
      }
      // Another's words may be among these; then nobody else will put that right.
      if (there[0] != sheet[0])
      {
        place.reset();
      }
    }
    if (!place)
    {
      place = this->FreePlace(RandomNumber());
    }
    if (!place && !patient.Expired())
    {
      continue;
    }
    place = place.value_or(RandomNumber() % QuestionBoard::Places);
    patient = Deadline(Patience);
    sheet = QuestionBoard::Sheet{ RandomNumber(), message }.ToWords();
    this->Store(QuestionBoard::QuestionOf(*place), sheet);
    if (std::byte* bell =
          this->Route->Shared(0, this->Layout.Signals.OffsetOf(SegmentLayout::Bell)))
    {
      Doorbell(bell).Ring();
    }
  } while (wait.UntilNext());
  return std::nullopt;
}

}
