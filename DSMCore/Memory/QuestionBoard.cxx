// SPDX-License-Identifier: BSD-3-Clause
#include "Memory/QuestionBoard.h"

#include "Base/RoundUp.h"
#include "Memory/SharedNumber.h"

#include <algorithm>
#include <cstring>

namespace dsm
{

namespace
{
constexpr std::uint64_t Word = sizeof(std::uint64_t);
static_assert(
  QuestionBoard::LongestQuestion % Word == 0 && QuestionBoard::LongestAnswer % Word == 0);

// FNV-1a, by words; never 0, which is that of an empty place.
std::uint64_t CheckOf(std::span<const std::uint64_t> words)
{
  std::uint64_t check = UINT64_C(0xcbf29ce484222325);
  for (const std::uint64_t word : words)
  {
    check = (check ^ word) * UINT64_C(0x100000001b3);
    check ^= check >> 32; // a word's high bits matter to all bits of the check
  }
  return check == 0 ? 1 : check;
}
}

std::size_t QuestionBoard::Sheet::WordsFor(std::uint64_t length)
{
  return HeaderWords + static_cast<std::size_t>(RoundUp(length, Word) / Word);
}

std::vector<std::uint64_t> QuestionBoard::Sheet::ToWords() const
{
  std::vector<std::uint64_t> words(WordsFor(this->Message.size()));
  words[1] = this->Key;
  words[2] = this->Message.size();
  if (!this->Message.empty())
  {
    std::memcpy(&words[HeaderWords], this->Message.data(), this->Message.size());
  }
  words[0] = CheckOf(std::span(words).subspan(1));
  return words;
}

std::optional<QuestionBoard::Sheet> QuestionBoard::Sheet::FromWords(
  std::span<const std::uint64_t> words)
{
  if (words.size() < HeaderWords || words[2] > (words.size() - HeaderWords) * Word)
  {
    return std::nullopt;
  }
  if (words[0] != CheckOf(words.subspan(1, WordsFor(words[2]) - 1)))
  {
    return std::nullopt;
  }
  Sheet sheet{ words[1], std::vector<std::uint8_t>(words[2]) };
  if (!sheet.Message.empty())
  {
    std::memcpy(sheet.Message.data(), &words[HeaderWords], sheet.Message.size());
  }
  return sheet;
}

QuestionBoard::QuestionBoard(std::byte* memory)
  : Memory(memory)
{
}

std::vector<QuestionBoard::Question> QuestionBoard::Take()
{
  std::vector<Question> questions;
  for (std::uint64_t place = 0; place < Places; ++place)
  {
    std::byte* const there = this->Memory + QuestionOf(place);
    const std::uint64_t check = SharedNumber(there).Load();
    if (check == 0 || check == this->Taken[place])
    {
      continue;
    }
    std::array<std::uint64_t, Sheet::HeaderWords + LongestQuestion / Word> words{};
    for (std::size_t i = 0; i < words.size(); ++i)
    {
      words[i] = SharedNumber(there + i * Word).Load();
    }
    // One that is not whole yet is looked at again.
    if (auto sheet = Sheet::FromWords(words))
    {
      this->Taken[place] = words[0];
      questions.push_back({ place, words[0], std::move(sheet->Message) });
    }
  }
  return questions;
}

bool QuestionBoard::Answer(const Question& question, const std::vector<std::uint8_t>& message) const
{
  if (message.size() > LongestAnswer)
  {
    return false;
  }
  const auto words = Sheet{ question.Check, message }.ToWords();
  std::byte* const there = this->Memory + AnswerOf(question.Place);
  for (std::size_t i = words.size(); i-- > 0;)
  {
    SharedNumber(there + i * Word).Store(words[i]);
  }
  return true;
}

}
