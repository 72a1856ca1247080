// SPDX-License-Identifier: BSD-3-Clause
#include "Server/Core/NumberRoles.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <iterator>
#include <string_view>
#include <tuple>
#include <utility>

namespace dsm
{

namespace
{
// The number of files of a writer from which roles are learned.
constexpr std::size_t Remembered = 64;
// As many processes are followed. What they write has the same names but for their numbers.
constexpr std::size_t MostWriters = 64;
// As many numbers of a name are looked at.
constexpr std::size_t MostVarying = 6;
// Without a step, a number tells kinds if there are no more of them, and one comes in that round.
constexpr std::size_t MostWithoutStep = 8;
constexpr std::size_t Rounds = 3;
// With as many kinds of one file each, it is not the number that tells kinds.
constexpr std::size_t TooMany = 4;

bool IsFraction(std::size_t place)
{
  return place % 2 == 1;
}

// As integers: "2" is before "10", and nothing before "0".
int CompareNumbers(std::string_view one, std::string_view other)
{
  const auto bare = [](std::string_view digits)
  { return digits.substr(std::min(digits.find_first_not_of('0'), digits.size())); };
  const std::string_view a = bare(one);
  const std::string_view b = bare(other);
  return a.size() != b.size() ? (a.size() < b.size() ? -1 : 1) : a.compare(b);
}

// As what stands behind a point: "75" is before "8".
int CompareFractions(std::string_view one, std::string_view other)
{
  const auto bare = [](std::string_view digits)
  { return digits.substr(0, digits.find_last_not_of('0') + 1); };
  return bare(one).compare(bare(other));
}

double ValueOf(const std::string& text)
{
  double value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

// Whether what stands before a number says that it is a process's: ".p3", "_rank3".
bool NamesProcess(std::string_view before)
{
  constexpr std::array<std::string_view, 5> Words{ "p", "proc", "rank", "cpu", "pe" };
  const auto isLetter = [](char c) { return ('a' <= c && c <= 'z') || ('A' <= c && c <= 'Z'); };
  const auto begin = std::find_if_not(before.rbegin(), before.rend(), isLetter);
  const std::string_view word = before.substr(static_cast<std::size_t>(before.rend() - begin));
  return begin != before.rend() && std::find(Words.begin(), Words.end(), word) != Words.end();
}
}

// ---- Trials.

bool NumberRoles::Trial::Explains() const
{
  if (!this->IsConsistent)
  {
    return false;
  }
  if (!this->HasStep)
  {
    return this->Classes > 1 && this->Classes <= MostWithoutStep &&
      this->Files > (Rounds - 1) * this->Classes;
  }
  return this->Growths > 0 && (this->Falls == 0 || 2 * this->Growths >= this->Classes);
}

bool NumberRoles::Trial::IsBetterThan(const Trial& other) const
{
  const auto rank = [](const Trial& trial)
  {
    return std::tuple(!trial.HasStep, trial.Falls, trial.Classes,
      std::count(trial.Kinds.begin(), trial.Kinds.end(), true));
  };
  return rank(*this) < rank(other);
}

NumberRoles::Digits NumberRoles::DigitsOf(const NumberedStem& name)
{
  Digits digits;
  digits.reserve(2 * name.Numbers.size());
  for (const NameNumber& number : name.Numbers)
  {
    digits.push_back(number.Whole);
    digits.push_back(number.Fraction);
  }
  return digits;
}

NumberRoles::Digits NumberRoles::KindOf(const Digits& name, const Flags& kinds)
{
  Digits kind;
  for (std::size_t place = 0; place < name.size(); ++place)
  {
    if (kinds[place])
    {
      kind.push_back(name[place]);
    }
  }
  return kind;
}

// A fraction of the number before; or two numbers of equal width, with a single sign between them.
bool NumberRoles::MayCarry(std::size_t place, const Digits& before, const Digits& after) const
{
  if (IsFraction(place))
  {
    return true;
  }
  const std::size_t width = before[place].size();
  return place > 0 && this->Between[place / 2].size() == 1 && width > 1 &&
    after[place].size() == width;
}

NumberRoles::Comparison NumberRoles::Compare(
  const Digits& before, const Digits& after, const Flags& kinds) const
{
  Comparison result;
  result.Grown.assign(before.size(), false);
  result.Carried.assign(before.size(), false);
  bool carries = false; // the number before has grown, or has fallen because that before it has
  for (std::size_t place = 0; place < before.size(); ++place)
  {
    if (kinds[place])
    {
      carries = false;
      continue;
    }
    const int number = CompareNumbers(before[place], after[place]);
    const int fraction = IsFraction(place) ? CompareFractions(before[place], after[place]) : number;
    if (number < 0 || fraction < 0)
    {
      result.Grown[place] = result.Grows = carries = true;
    }
    else if (number > 0)
    {
      const bool carried = carries && this->MayCarry(place, before, after);
      result.Carried[place] = carried;
      result.Falls = result.Falls || !carried;
      carries = carried;
    }
    else if (!(IsFraction(place) && before[place].empty()))
    {
      carries = false;
    }
  }
  return result;
}

NumberRoles::Trial NumberRoles::Try(const std::deque<Digits>& files, const Flags& kinds) const
{
  Trial trial;
  trial.Kinds = kinds;
  trial.Files = files.size();
  std::map<Digits, const Digits*> latest;
  const Digits* before = nullptr;
  for (const Digits& file : files)
  {
    if (before)
    {
      trial.Falls += this->Compare(*before, file, kinds).Falls ? 1 : 0;
    }
    before = &file;
    const auto [kind, isNew] = latest.try_emplace(KindOf(file, kinds), &file);
    if (!isNew)
    {
      const Comparison step = this->Compare(*kind->second, file, kinds);
      trial.IsConsistent = trial.IsConsistent && !step.Falls;
      trial.Growths += step.Grows ? 1 : 0;
      kind->second = &file;
    }
  }
  trial.Classes = latest.size();
  const auto varying = Varying(files);
  trial.HasStep =
    std::any_of(varying.begin(), varying.end(), [&](std::size_t place) { return !kinds[place]; });
  return trial;
}

// Which numbers are not the same in all names, the first ones.
std::vector<std::size_t> NumberRoles::Varying(const std::deque<Digits>& files)
{
  std::vector<std::size_t> varying;
  for (std::size_t place = 0; place < files.front().size(); ++place)
  {
    const bool varies = std::any_of(files.begin(), files.end(),
      [&](const Digits& file) { return file[place] != files.front()[place]; });
    if (varies && varying.size() < MostVarying)
    {
      varying.push_back(place);
    }
  }
  return varying;
}

// The best choice of numbers that tell kinds; none if no choice explains these files.
std::optional<NumberRoles::Flags> NumberRoles::Learn(const std::deque<Digits>& files) const
{
  const std::vector<std::size_t> varying = Varying(files);
  std::optional<Trial> best;
  for (std::size_t choice = 1; choice < (std::size_t(1) << varying.size()); ++choice)
  {
    Flags kinds(files.front().size(), false);
    for (std::size_t number = 0; number < varying.size(); ++number)
    {
      kinds[varying[number]] = ((choice >> number) & 1) != 0;
    }
    Trial trial = this->Try(files, kinds);
    if (trial.Explains() && (!best || trial.IsBetterThan(*best)))
    {
      best = std::move(trial);
    }
  }
  return best ? std::optional(best->Kinds) : std::nullopt;
}

// Whether the numbers that tell kinds still do.
bool NumberRoles::StillExplains(const std::deque<Digits>& files) const
{
  const Trial now = this->Try(files, this->Kinds);
  const bool knowsStep =
    now.HasStep || std::find(this->Grown.begin(), this->Grown.end(), true) != this->Grown.end();
  return knowsStep ? now.IsConsistent && (now.Falls == 0 || 2 * now.Growths >= now.Classes)
                   : now.Explains();
}

// ---- Names as they come.

void NumberRoles::Settle(Sequence& sequence, bool startsAgain) const
{
  if (startsAgain && sequence.Recent.size() > 1)
  {
    sequence.Recent.erase(sequence.Recent.begin(), std::prev(sequence.Recent.end()));
  }
  sequence.Latest.clear();
  for (const Digits& file : sequence.Recent)
  {
    sequence.Latest[KindOf(file, this->Kinds)] = file;
  }
}

// What two files of a kind say of the numbers that tell their steps.
bool NumberRoles::LearnStep(const Digits& before, const Digits& after)
{
  const Comparison step = this->Compare(before, after, this->Kinds);
  if (step.Falls)
  {
    return false;
  }
  bool learned = false;
  const auto note = [&](Flags& flags, std::size_t place, bool value)
  {
    learned = learned || flags[place] != value;
    flags[place] = value;
  };
  for (std::size_t place = 0; place < before.size(); ++place)
  {
    if (step.Grown[place])
    {
      note(this->Grown, place, true);
    }
    if (step.Carried[place])
    {
      note(this->Carried, place, true);
    }
    if (IsFraction(place) && !this->Kinds[place])
    {
      const int number = CompareNumbers(before[place], after[place]);
      const int fraction = CompareFractions(before[place], after[place]);
      if (step.Carried[place] || (number > 0 && fraction < 0))
      {
        note(this->Counters, place, false);
      }
      else if (number < 0 && fraction > 0 && before[place - 1] == after[place - 1])
      {
        note(this->Counters, place, true);
      }
    }
  }
  return learned;
}

bool NumberRoles::Note(const std::string& writer, const NumberedStem& name)
{
  const Digits digits = DigitsOf(name);
  if (digits.empty())
  {
    return false;
  }
  if (this->Between.empty())
  {
    this->Between = name.Between;
    this->Kinds.assign(digits.size(), false);
    this->Grown = this->Carried = this->Counters = this->Kinds;
    for (std::size_t place = 1; place < digits.size(); place += 2)
    {
      // "out1.00000": times have fewer zeros behind the point.
      this->Counters[place] = digits[place].size() > 3 && digits[place].starts_with("00");
    }
  }
  if (!this->Writers.contains(writer) && this->Writers.size() >= MostWriters)
  {
    this->Writers.erase(this->Writers.begin());
  }
  Sequence& sequence = this->Writers[writer];
  if (!sequence.Recent.empty() && sequence.Recent.back() == digits)
  {
    return false; // it is opened again, or shown by another flush
  }
  sequence.Recent.push_back(digits);
  if (sequence.Recent.size() > Remembered)
  {
    sequence.Recent.pop_front();
  }
  const Flags none(digits.size(), false);
  const auto latest = sequence.Latest.find(KindOf(digits, this->Kinds));
  const bool isNewKind = latest == sequence.Latest.end();
  if (!isNewKind && !this->Compare(latest->second, digits, this->Kinds).Falls)
  {
    const bool learned = this->LearnStep(latest->second, digits);
    latest->second = digits;
    return learned;
  }
  if (isNewKind && this->Kinds == none)
  {
    sequence.Latest[{}] = digits; // the writer's first file
    return false;
  }
  if (isNewKind)
  {
    if (this->StillExplains(sequence.Recent))
    {
      sequence.Latest[KindOf(digits, this->Kinds)] = digits;
      return false;
    }
  }
  std::optional<Flags> kinds = this->Learn(sequence.Recent);
  const bool explains = kinds.has_value();
  if (!kinds && isNewKind)
  {
    const Trial now = this->Try(sequence.Recent, this->Kinds);
    kinds = now.Classes >= TooMany && 2 * now.Growths < now.Classes ? none : this->Kinds;
  }
  // A program that goes back to an earlier step writes the same kinds as before.
  const bool changes = kinds && *kinds != this->Kinds && (isNewKind || this->Kinds == none);
  if (changes)
  {
    this->Kinds = *kinds;
    this->Grown = this->Carried = none;
  }
  this->Settle(
    sequence, !changes && !isNewKind && !explains && Varying(sequence.Recent).size() > 1);
  if (changes)
  {
    for (auto& [other, theirs] : this->Writers)
    {
      this->Settle(theirs, false);
    }
    std::map<Digits, Digits> before;
    for (const Digits& file : sequence.Recent)
    {
      const auto [kind, isFirst] = before.try_emplace(KindOf(file, this->Kinds), file);
      if (!isFirst)
      {
        this->LearnStep(kind->second, file);
        kind->second = file;
      }
    }
  }
  return changes;
}

void NumberRoles::Follow(const std::string& writer, const std::string& before)
{
  if (auto gone = this->Writers.extract(before); gone && !this->Writers.contains(writer))
  {
    gone.key() = writer;
    this->Writers.insert(std::move(gone));
  }
}

// ---- What was learned.

std::string NumberRoles::StreamOf(const NumberedStem& name) const
{
  std::string stream = name.Between.front();
  const bool known = this->Kinds.size() == 2 * name.Numbers.size();
  for (std::size_t number = 0; number < name.Numbers.size(); ++number)
  {
    const NameNumber& text = name.Numbers[number];
    const bool wholeIsKind = known && this->Kinds[2 * number];
    const bool fractionIsKind = known && this->Kinds[2 * number + 1];
    stream += wholeIsKind ? text.Whole : "#";
    if ((wholeIsKind || fractionIsKind) && !text.Fraction.empty())
    {
      stream.append(".").append(fractionIsKind ? text.Fraction : "#");
    }
    stream += name.Between[number + 1];
  }
  return stream;
}

bool NumberRoles::MayBeStep(std::size_t place, const Digits& name, bool careful) const
{
  const bool isProcess =
    careful && !IsFraction(place) && place > 0 && NamesProcess(this->Between[place / 2]);
  return !this->Kinds[place] && !name[place].empty() && !isProcess;
}

// The last number that has grown. Before any has, the last one that is likely a step.
std::optional<std::size_t> NumberRoles::StepPlace(const Digits& name) const
{
  const bool hasGrown =
    std::find(this->Grown.begin(), this->Grown.end(), true) != this->Grown.end();
  for (const bool careful : { true, false })
  {
    for (std::size_t place = name.size(); place-- > 0;)
    {
      const bool fits = hasGrown ? this->Grown[place] : this->MayBeStep(place, name, careful);
      if (fits)
      {
        return place;
      }
    }
  }
  return std::nullopt;
}

std::optional<double> NumberRoles::StepOf(const NumberedStem& name) const
{
  const Digits digits = DigitsOf(name);
  if (digits.empty() || digits.size() != this->Kinds.size())
  {
    return std::nullopt;
  }
  const auto found = this->StepPlace(digits);
  if (!found)
  {
    return std::nullopt;
  }
  const std::size_t whole = *found / 2 * 2;
  const std::size_t fraction = whole + 1;
  const bool isOne = !this->Kinds[whole] && !this->Kinds[fraction] && !this->Counters[fraction];
  const std::size_t last = isOne ? whole : *found;
  std::size_t first = last;
  while (first >= 2 && !IsFraction(first) && this->Carried[first])
  {
    first -= 2; // "11-30" is followed by "12-00"
  }
  std::string text;
  for (std::size_t place = first; place <= last; place += 2)
  {
    text += digits[place];
  }
  if (isOne && !digits[fraction].empty())
  {
    text.append(".").append(digits[fraction]);
  }
  return ValueOf(text);
}

}
