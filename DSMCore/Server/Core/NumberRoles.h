// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Base/FileName.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace dsm
{

/// Learns what the numbers in names are that differ in numbers only:
///
///     B.out1.00000.h5  B.out2.00000.h5  B.out1.00001.h5  B.out2.00001.h5
///          '- falls, while the other one grows: it tells kinds of files apart
///            '- grows within each kind: the step
///
/// A number that falls while another one grows tells kinds. So does one that keeps coming back if
/// there is no other ("Fields0.h5", "Fields1.h5", which stay open). Of the others, the last one
/// that has grown is the step; a process's own number never grows.
///
/// A number that falls as the one before it grows may only carry over: "4.75" is followed by
/// "5.00", and "11-30" by "12-00". Such names are one kind until a number falls without that. If
/// all numbers fall, the program has gone back to an earlier step, and nothing is learned.
///
/// Decisions only: no lock or thread. Not thread safe.
class NumberRoles
{
public:
  /// Notes that a writer has begun a file, or that a flush has shown another state of one. Each
  /// process is a writer of its own, because numbers of one process follow each other. All names
  /// must have the same StreamName. Returns whether anything was learned that changes what
  /// StreamOf or StepOf return.
  bool Note(const std::string& writer, const NumberedStem& name);

  /// A writer that has gone is followed by another one, whose files go on with its steps.
  void Follow(const std::string& writer, const std::string& before);

  /// Returns the name with '#' for the numbers that do not tell kinds.
  std::string StreamOf(const NumberedStem& name) const;

  /// Whether some number tells kinds, as far as is known.
  bool HasKinds() const
  {
    return std::find(this->Kinds.begin(), this->Kinds.end(), true) != this->Kinds.end();
  }

  /// Returns the number that is the step. None if the name has no number that can be one.
  std::optional<double> StepOf(const NumberedStem& name) const;

private:
  /// Each number counts twice: its whole part, and its fraction, which may tell something else
  /// ("out1.00000").
  using Digits = std::vector<std::string>;
  using Flags = std::vector<bool>;

  /// The files of one writer.
  struct Sequence
  {
    std::deque<Digits> Recent;
    std::map<Digits, Digits> Latest; ///< of each kind
  };

  /// How two names of one kind follow each other.
  struct Comparison
  {
    bool Falls = false; ///< a number falls, and does not only carry over
    bool Grows = false;
    Flags Grown;
    Flags Carried;
  };

  /// How well a choice of numbers that tell kinds explains a sequence.
  struct Trial
  {
    Flags Kinds;
    std::size_t Files = 0;
    std::size_t Classes = 0;
    std::size_t Growths = 0; ///< from one file to the next one of its kind
    std::size_t Falls = 0;   ///< of the other numbers, from file to file
    bool IsConsistent = true;
    bool HasStep = false;

    bool Explains() const;
    bool IsBetterThan(const Trial& other) const;
  };

  static std::vector<std::size_t> Varying(const std::deque<Digits>& files);
  bool StillExplains(const std::deque<Digits>& files) const;
  static Digits DigitsOf(const NumberedStem& name);
  static Digits KindOf(const Digits& name, const Flags& kinds);
  Comparison Compare(const Digits& before, const Digits& after, const Flags& kinds) const;
  Trial Try(const std::deque<Digits>& files, const Flags& kinds) const;
  std::optional<Flags> Learn(const std::deque<Digits>& files) const;
  bool LearnStep(const Digits& before, const Digits& after);
  void Settle(Sequence& sequence, bool startsAgain) const;
  bool MayCarry(std::size_t place, const Digits& before, const Digits& after) const;
  bool MayBeStep(std::size_t place, const Digits& name, bool careful) const;
  std::optional<std::size_t> StepPlace(const Digits& name) const;

  std::vector<std::string> Between;
  Flags Kinds;    ///< which numbers tell kinds
  Flags Grown;    ///< which have grown within a kind
  Flags Carried;  ///< which have fallen as the one before grew
  Flags Counters; ///< of fractions: they count by themselves, as in "out1.00009", "out1.00010"
  std::map<std::string, Sequence> Writers;
};

}
