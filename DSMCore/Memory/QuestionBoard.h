// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace dsm
{

/// Where ranks that have no control channel ask a server, and are answered, in memory that they
/// reach one-sided (Peer/SharedQuestions is their end): however many they are, the server has no
/// connection more.
///
///     place:  | the question's sheet | the answer's sheet |
///     sheet:  | check | key | length | message …          |
///
/// Nobody owns a place. A rank takes one whose question has its answer, puts its own there, and
/// waits for an answer that has the question's check for its key. Networks have no order and no
/// compare-and-swap, so two may take the same place at the same moment: the check is of all the
/// rest, so a sheet that is half the one's and half the other's is none; and who finds another's
/// question where its own was asks again. The key of a question is a random number, so that no two
/// are the same.
///
/// This is the server's end. Not thread safe.
class QuestionBoard
{
public:
  static constexpr std::uint64_t Places = 32;
  /// Bytes of all; they are 0 at first.
  static constexpr std::uint64_t Size = Places * (UINT64_C(16) << 10);

  /// Bytes of the longest messages.
  static constexpr std::uint64_t LongestQuestion = (UINT64_C(1) << 10) - 24;
  static constexpr std::uint64_t LongestAnswer = (UINT64_C(15) << 10) - 24;

  /// Where the two sheets of a place are.
  static std::uint64_t QuestionOf(std::uint64_t place) { return place * (Size / Places); }
  static std::uint64_t AnswerOf(std::uint64_t place)
  {
    return QuestionOf(place) + LongestQuestion + 24;
  }

  struct Sheet
  {
    std::uint64_t Key = 0;
    std::vector<std::uint8_t> Message;

    /// The check, the key and the length; and all of a message of so many bytes.
    static constexpr std::size_t HeaderWords = 3;
    static std::size_t WordsFor(std::uint64_t length);

    /// As it lies in memory, the check first.
    std::vector<std::uint64_t> ToWords() const;

    /// None unless the words are one sheet, and what is behind it.
    static std::optional<Sheet> FromWords(std::span<const std::uint64_t> words);
  };

  /// `memory`: of all places, at a multiple of 8 bytes.
  explicit QuestionBoard(std::byte* memory);

  struct Question
  {
    std::uint64_t Place = 0;
    std::uint64_t Check = 0;
    std::vector<std::uint8_t> Message;
  };

  /// The questions that have come since.
  std::vector<Question> Take();

  /// False when it is too long.
  bool Answer(const Question& question, const std::vector<std::uint8_t>& message) const;

private:
  std::byte* Memory;
  std::array<std::uint64_t, Places> Taken{}; ///< the check of the last question of each place
};

}
