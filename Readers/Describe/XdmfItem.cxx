// SPDX-License-Identifier: BSD-3-Clause
#include "Describe/XdmfItem.h"

#include "Base/Error.h"
#include "Describe/Text.h"
#include "Describe/XdmfFunction.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

namespace dsm::describe
{

namespace
{
constexpr int DeepestNesting = 20;
constexpr std::uint64_t MostNumbers = std::uint64_t{ 1 } << 48U;
// Of coordinates along an axis, times, selections.
constexpr std::uint64_t MostRead = 10'000'000;

std::string SizeText(const std::vector<std::uint64_t>& sizes)
{
  return sizes.empty() ? "a single value" : fmt::format("{}", fmt::join(sizes, " x "));
}

std::vector<std::uint64_t> WithoutOnes(std::vector<std::uint64_t> sizes)
{
  sizes.erase(std::remove(sizes.begin(), sizes.end(), 1), sizes.end());
  return sizes;
}

// Selections are numbers, too, and may be written as "0.0".
std::vector<std::uint64_t> AsCounts(const XmlElement& element, const std::vector<double>& numbers)
{
  std::vector<std::uint64_t> counts;
  for (const double number : numbers)
  {
    if (!(number >= 0) || number != std::floor(number) || number > static_cast<double>(MostNumbers))
    {
      throw Error(Fault::Usage, "{} selects by {}, which is no count", element.Told(), number);
    }
    counts.push_back(static_cast<std::uint64_t>(number));
  }
  return counts;
}
}

std::vector<std::uint64_t> XdmfCounts(const XmlElement& element, const std::string& text)
{
  std::vector<std::uint64_t> counts;
  for (const std::string& one : Split(text, " \t\r\n,"))
  {
    const auto count = AsCount(one);
    if (!count || *count > MostNumbers)
    {
      throw Error(
        Fault::Usage, "{} has the size \"{}\", which is no list of counts", element.Told(), text);
    }
    counts.push_back(*count);
  }
  return counts;
}

std::uint64_t XdmfProduct(const XmlElement& element, const std::vector<std::uint64_t>& counts)
{
  std::uint64_t product = 1;
  bool none = false;
  for (const std::uint64_t count : counts)
  {
    none = none || count == 0;
    if (count > 0 && product > MostNumbers / count)
    {
      throw Error(
        Fault::Usage, "{} has the size {}, which no file has", element.Told(), SizeText(counts));
    }
    product *= std::max<std::uint64_t>(count, 1);
  }
  return none ? 0 : product;
}

std::vector<const XmlElement*> XdmfChildren(const XmlElement& element, const std::string& name)
{
  std::vector<const XmlElement*> found;
  for (const auto& child : element.Children)
  {
    if (LowerCase(child->Name) == name)
    {
      found.push_back(child.get());
    }
  }
  return found;
}

XdmfItem::XdmfItem(const XmlElement& element, const XdmfNames& names, const NamedData& data)
  : XdmfItem(Make(element, names, data, false, 1))
{
}

XdmfItem XdmfItem::Make(const XmlElement& element, const XdmfNames& names, const NamedData& data,
  bool selected, int depth)
{
  if (depth > DeepestNesting)
  {
    throw Error(Fault::Unsupported, "{} is nested too deep", element.Told());
  }
  XdmfItem item(element);
  item.Said = XdmfCounts(element, element["dimensions"]);
  std::string kind = LowerCase(element["itemtype"]);
  kind = kind.empty() ? LowerCase(element["type"]) : kind;
  const std::string format = LowerCase(element["format"]);
  if (kind == "hyperslab")
  {
    item.MakeSlab(names, data, depth);
  }
  else if (kind == "function")
  {
    item.MakeFunction(names, data, depth);
  }
  else if (!kind.empty() && kind != "uniform")
  {
    throw Error(Fault::Unsupported, "{} is of the type {}, which is not supported", element.Told(),
      element["itemtype"].empty() ? element["type"] : element["itemtype"]);
  }
  else if (format == "hdf" || format == "hdf5")
  {
    item.MakeStored(names, data, selected);
  }
  else if (format.empty() || format == "xml")
  {
    item.MakeLiteral();
  }
  else
  {
    throw Error(Fault::Unsupported, "{} is in a file of the format {}, and only HDF5 is read",
      element.Told(), element["format"]);
  }
  if (item.Said.empty())
  {
    for (const Slab& slab : item.Slabs)
    {
      item.Said.push_back(slab.Count);
    }
  }
  return item;
}

void XdmfItem::MakeLiteral()
{
  Literal numbers;
  for (const std::string& one : Split(this->At->Text, " \t\r\n,"))
  {
    const auto number = AsNumber(one);
    if (!number)
    {
      throw Error(
        Fault::Usage, "{} holds \"{}\", which is no number", this->At->Told(), one.substr(0, 40));
    }
    numbers.Values.push_back(*number);
  }
  this->Whole =
    this->Said.empty() ? std::vector<std::uint64_t>{ numbers.Values.size() } : this->Said;
  if (XdmfProduct(*this->At, this->Whole) != numbers.Values.size())
  {
    throw Error(Fault::Usage, "{} holds {} numbers, and its Dimensions say {}", this->At->Told(),
      numbers.Values.size(), SizeText(this->Whole));
  }
  this->From = std::move(numbers);
  for (const std::uint64_t count : this->Whole)
  {
    this->Slabs.push_back({ 0, 1, count });
  }
}

void XdmfItem::MakeStored(const XdmfNames& names, const NamedData& data, bool selected)
{
  const auto reference = ReferenceOf(*this->At);
  if (!reference)
  {
    throw Error(Fault::Usage, "{} names no dataset", this->At->Told());
  }
  Stored stored{ reference->Path, names.FileOf(*reference) };
  try
  {
    this->Whole = data.Shape(stored.File, stored.Path);
  }
  catch (const Error& error)
  {
    throw Error(error.GetFault(), "{} names {}: {}", this->At->Told(), stored.Path, error.what());
  }
  for (const std::uint64_t count : this->Whole)
  {
    this->Slabs.push_back({ 0, 1, count });
  }
  this->From = stored;
  const auto total = XdmfProduct(*this->At, this->Whole);
  if (!reference->Selection.empty())
  {
    const auto parts = Split(reference->Selection, ":");
    if (parts.size() < 3 || parts.size() > 4)
    {
      throw Error(Fault::Unsupported, "{} selects by \"{}\", and start:stride:count is expected",
        this->At->Told(), reference->Selection);
    }
    // The dimensions are those of what is selected.
    const auto said = std::move(this->Said);
    this->Said.clear();
    this->Select(XdmfCounts(*this->At, parts[0]), XdmfCounts(*this->At, parts[1]),
      XdmfCounts(*this->At, parts[2]));
    this->Said = said;
    this->CheckSaid();
    return;
  }
  if (this->Said.empty() || XdmfProduct(*this->At, this->Said) == total)
  {
    return;
  }
  // A HyperSlab's array may have grown since the text was written.
  if (!selected || this->Said.size() != this->Whole.size())
  {
    throw Error(Fault::Usage, "{} says that {} has the size {}, and it has {}", this->At->Told(),
      stored.Path, SizeText(this->Said), SizeText(this->Whole));
  }
  this->Said = this->Whole;
}

void XdmfItem::MakeSlab(const XdmfNames& names, const NamedData& data, int depth)
{
  const auto items = XdmfChildren(*this->At, "dataitem");
  if (items.size() != 2)
  {
    throw Error(Fault::Usage,
      "{} is a HyperSlab with {} DataItems: it needs a selection and an array", this->At->Told(),
      items.size());
  }
  const auto numbers =
    AsCounts(*items[0], Make(*items[0], names, data, false, depth + 1).Numbers(data));
  const auto rank = numbers.size() / 3;
  if (numbers.size() % 3 != 0)
  {
    throw Error(Fault::Usage,
      "{} selects by {} numbers: start, stride and count of each dimension are "
      "expected",
      items[0]->Told(), numbers.size());
  }
  const XmlElement* const own = this->At;
  const auto said = this->Said;
  *this = Make(*items[1], names, data, true, depth + 1);
  this->At = own;
  const auto part = [&](std::size_t index)
  {
    const auto begin = numbers.begin() + static_cast<std::ptrdiff_t>(index * rank);
    return std::vector(begin, begin + static_cast<std::ptrdiff_t>(rank));
  };
  this->Select(part(0), part(1), part(2));
  this->Said = said;
  this->CheckSaid();
}

// That the text's dimensions are those of so many numbers.
void XdmfItem::CheckSaid() const
{
  if (!this->Said.empty() && XdmfProduct(*this->At, this->Said) != this->Count())
  {
    throw Error(Fault::Usage, "{} has {} numbers, and its Dimensions say {}", this->At->Told(),
      this->Count(), SizeText(this->Said));
  }
}

void XdmfItem::MakeFunction(const XdmfNames& names, const NamedData& data, int depth)
{
  XdmfFunction function;
  try
  {
    function = ParseXdmfFunction((*this->At)["function"]);
  }
  catch (const Error& error)
  {
    throw Error(error.GetFault(), "{}: {}", this->At->Told(), error.what());
  }
  const auto items = XdmfChildren(*this->At, "dataitem");
  const auto argument = [&](std::size_t index)
  {
    if (index >= items.size())
    {
      throw Error(Fault::Usage, "{} calculates with ${}, and has {} DataItems", this->At->Told(),
        index, items.size());
    }
    return Make(*items[index], names, data, false, depth + 1);
  };
  const auto plain = [&](XdmfItem item)
  {
    if (!item.Joined.empty())
    {
      throw Error(Fault::Unsupported, "{} calculates with what is joined", this->At->Told());
    }
    return item;
  };
  if (!function.Joined.empty())
  {
    for (const std::size_t index : function.Joined)
    {
      this->Joined.push_back(plain(argument(index)));
    }
    return;
  }
  if (function.Factor.empty())
  {
    throw Error(Fault::Unsupported, "{} calculates with no DataItem", this->At->Told());
  }
  const XmlElement* const own = this->At;
  const auto said = this->Said;
  std::vector<XdmfItem> terms;
  for (const auto& [index, factor] : function.Factor)
  {
    XdmfItem term = plain(argument(index));
    term.Scale *= factor;
    term.Offset *= factor;
    for (XdmfItem& added : term.Added)
    {
      added.Scale *= factor;
      added.Offset *= factor;
    }
    if (!terms.empty() && term.Count() != terms.front().Count())
    {
      throw Error(
        Fault::Usage, "{} adds {} numbers to {}", own->Told(), term.Count(), terms.front().Count());
    }
    terms.push_back(std::move(term));
  }
  std::vector<XdmfItem> others(terms.begin() + 1, terms.end());
  *this = std::move(terms.front());
  this->Offset += function.Added;
  for (XdmfItem& other : others)
  {
    std::vector<XdmfItem> below;
    below.swap(other.Added);
    this->Added.push_back(std::move(other));
    this->Added.insert(this->Added.end(), below.begin(), below.end());
  }
  this->At = own;
  this->Said = said.empty() ? this->Said : said;
  this->CheckSaid();
}

void XdmfItem::Select(const std::vector<std::uint64_t>& starts,
  const std::vector<std::uint64_t>& strides, const std::vector<std::uint64_t>& counts)
{
  if (!this->Joined.empty() || !this->Added.empty())
  {
    throw Error(Fault::Unsupported, "{} selects of what is calculated", this->At->Told());
  }
  std::vector<std::uint64_t> sizes;
  sizes.reserve(this->Slabs.size());
  for (const Slab& slab : this->Slabs)
  {
    sizes.push_back(slab.Count);
  }
  // The text may say other dimensions than the file, for the same numbers: some of size 1 more or
  // less, or quite others.
  if (!this->Said.empty() && this->Said != sizes && this->Said.size() == starts.size())
  {
    if (WithoutOnes(this->Said) == WithoutOnes(sizes))
    {
      this->SelectAlong(this->SlabsOf(this->Said), starts, strides, counts);
      return;
    }
    this->Flatten();
  }
  if (starts.size() != this->Slabs.size())
  {
    throw Error(Fault::Usage, "{} selects along {} dimensions of an array that has {}",
      this->At->Told(), starts.size(), this->Slabs.size());
  }
  std::vector<std::optional<std::size_t>> all;
  all.reserve(starts.size());
  for (std::size_t i = 0; i < starts.size(); ++i)
  {
    all.emplace_back(i);
  }
  this->SelectAlong(all, starts, strides, counts);
}

// Which of the slabs is each dimension that the text says; those of size 1 may have none.
std::vector<std::optional<std::size_t>> XdmfItem::SlabsOf(
  const std::vector<std::uint64_t>& said) const
{
  std::vector<std::optional<std::size_t>> found;
  std::size_t slab = 0;
  for (const std::uint64_t count : said)
  {
    if (count == 1)
    {
      found.emplace_back();
      continue;
    }
    while (this->Slabs[slab].Count == 1)
    {
      ++slab;
    }
    found.emplace_back(slab++);
  }
  return found;
}

void XdmfItem::SelectAlong(const std::vector<std::optional<std::size_t>>& slabs,
  const std::vector<std::uint64_t>& starts, const std::vector<std::uint64_t>& strides,
  const std::vector<std::uint64_t>& counts)
{
  for (std::size_t i = 0; i < starts.size(); ++i)
  {
    Slab one;
    const auto own = slabs[i];
    Slab& slab = own ? this->Slabs[*own] : one;
    const std::uint64_t stride = counts[i] > 1 ? std::max<std::uint64_t>(strides[i], 1) : 1;
    if (counts[i] > slab.Count ||
      (counts[i] > 0 &&
        (starts[i] >= slab.Count || (counts[i] - 1) > (slab.Count - 1 - starts[i]) / stride)))
    {
      throw Error(Fault::Usage,
        "{} selects {} from {} on by {} along dimension {}, which has only {}", this->At->Told(),
        counts[i], starts[i], stride, i, slab.Count);
    }
    slab.Start += starts[i] * slab.Stride;
    slab.Stride *= stride;
    slab.Count = counts[i];
  }
  this->Said.clear();
  if (auto* literal = std::get_if<Literal>(&this->From))
  {
    // Whoever reads need not select of them.
    literal->Values = this->Chosen(literal->Values);
    for (std::size_t i = 0; i < this->Slabs.size(); ++i)
    {
      this->Whole[i] = this->Slabs[i].Count;
      this->Slabs[i] = { 0, 1, this->Whole[i] };
    }
  }
}

// What is selected of all numbers.
std::vector<double> XdmfItem::Chosen(const std::vector<double>& numbers) const
{
  std::vector<double> chosen;
  std::vector<std::uint64_t> index(this->Slabs.size(), 0);
  for (std::uint64_t left = this->Count(); left > 0; --left)
  {
    std::uint64_t at = 0;
    for (std::size_t i = 0; i < index.size(); ++i)
    {
      at = at * this->Whole[i] + this->Slabs[i].Start + index[i] * this->Slabs[i].Stride;
    }
    chosen.push_back(numbers[at]);
    for (std::size_t i = index.size(); i > 0; --i)
    {
      if (++index[i - 1] < this->Slabs[i - 1].Count)
      {
        break;
      }
      index[i - 1] = 0;
    }
  }
  return chosen;
}

// The same numbers in the dimensions that the text says, where they lie one behind the other.
void XdmfItem::Flatten()
{
  this->CheckSaid();
  std::optional<std::uint64_t> first = 0;
  bool several = false; // along a dimension before: then all of the following must be whole
  for (std::size_t i = 0; i < this->Slabs.size() && first; ++i)
  {
    const Slab& slab = this->Slabs[i];
    const bool whole = slab.Start == 0 && slab.Count == this->Whole[i];
    *first = *first * this->Whole[i] + slab.Start;
    if ((several && !whole) || (slab.Stride != 1 && slab.Count > 1))
    {
      first.reset();
    }
    several = several || slab.Count > 1;
  }
  if (!first)
  {
    throw Error(Fault::Unsupported,
      "{} takes {} numbers that do not lie one behind the other as {}", this->At->Told(),
      this->Count(), SizeText(this->Said));
  }
  if (auto* stored = std::get_if<Stored>(&this->From))
  {
    stored->FlatFrom = stored->FlatFrom.value_or(0) + *first;
  }
  this->Whole = this->Said;
  this->Slabs.clear();
  for (const std::uint64_t count : this->Whole)
  {
    this->Slabs.push_back({ 0, 1, count });
  }
}

std::uint64_t XdmfItem::Count() const
{
  if (!this->Joined.empty())
  {
    std::uint64_t count = 0;
    for (const XdmfItem& one : this->Joined)
    {
      count += one.Count();
    }
    return count;
  }
  std::uint64_t count = 1;
  for (const Slab& slab : this->Slabs)
  {
    count *= slab.Count;
  }
  return count;
}

std::uint64_t XdmfItem::ComponentsOn(const XdmfLayout& layout) const
{
  std::vector<std::uint64_t> sizes;
  for (const auto& [role, count] : layout)
  {
    sizes.push_back(count);
  }
  const std::uint64_t places = XdmfProduct(*this->At, sizes), count = this->Count();
  if (places == 0 ? count != 0 : (count == 0 || count % places != 0))
  {
    throw Error(Fault::Usage, "{} has {} numbers ({}), which does not fit {}", this->At->Told(),
      count, SizeText(this->Said), SizeText(sizes));
  }
  return places == 0 ? 1 : count / places;
}

std::vector<Source> XdmfItem::On(
  const XdmfLayout& layout, std::uint64_t components, std::vector<std::string>& guessed) const
{
  if (this->Joined.empty())
  {
    return { this->One(layout, components, guessed) };
  }
  std::vector<Source> sources;
  for (const XdmfItem& one : this->Joined)
  {
    if (one.ComponentsOn(layout) != 1)
    {
      throw Error(
        Fault::Unsupported, "{} joins more than one number for each place", this->At->Told());
    }
    sources.push_back(one.One(layout, 1, guessed));
  }
  return sources;
}

Source XdmfItem::One(
  const XdmfLayout& layout, std::uint64_t components, std::vector<std::string>& guessed) const
{
  XdmfLayout wanted = layout;
  if (components != 1)
  {
    wanted.emplace_back(Role::Component, components);
  }
  std::erase_if(wanted, [](const auto& one) { return one.second == 1; });
  std::vector<std::uint64_t> has;
  for (const Slab& slab : this->Slabs)
  {
    if (slab.Count != 1)
    {
      has.push_back(slab.Count);
    }
  }
  const auto fits = [&](const XdmfLayout& one)
  {
    return std::equal(one.begin(), one.end(), has.begin(), has.end(),
      [](const auto& dimension, std::uint64_t count) { return dimension.second == count; });
  };
  Source source{ std::visit(
    [](const auto& from) -> decltype(Source::From) { return from; }, this->From) };
  if (!fits(wanted) && components != 1 && wanted.size() > 1)
  {
    // The file has a field for each component: what the text calls it cannot be meant.
    XdmfLayout turned = wanted;
    std::rotate(turned.begin(), turned.end() - 1, turned.end());
    if (fits(turned))
    {
      wanted = turned;
      guessed.push_back(fmt::format(
        "{}: the components are the slowest dimension, as in the file", this->At->Told()));
    }
  }
  const auto* stored = std::get_if<Stored>(&this->From);
  if (!fits(wanted) || (stored && stored->FlatFrom))
  {
    XdmfItem flat = *this;
    flat.Said.clear();
    for (const auto& [role, count] : wanted)
    {
      flat.Said.push_back(count);
    }
    flat.Flatten();
    source.From =
      std::visit([](const auto& from) -> decltype(Source::From) { return from; }, flat.From);
    for (const auto& [role, count] : wanted)
    {
      source.Dimensions.push_back({ role, 0, count });
    }
  }
  else
  {
    auto role = wanted.begin();
    for (const Slab& slab : this->Slabs)
    {
      const bool one = slab.Count == 1;
      if (!one || stored)
      {
        source.Dimensions.push_back(
          { one ? Role::Fixed : role->first, slab.Start, slab.Count, one ? 1 : slab.Stride });
      }
      role += one ? 0 : 1;
    }
  }
  source.Scale = this->Scale;
  source.Offset = this->Offset;
  for (const XdmfItem& added : this->Added)
  {
    source.Added.push_back(added.One(layout, components, guessed));
  }
  return source;
}

std::vector<double> XdmfItem::Numbers(const NamedData& data) const
{
  if (!this->Joined.empty() || !this->Added.empty() || this->Count() > MostRead)
  {
    throw Error(Fault::Unsupported, "{} is too much to be read at once", this->At->Told());
  }
  std::vector<double> numbers;
  if (const auto* stored = std::get_if<Stored>(&this->From))
  {
    if (stored->FlatFrom)
    {
      throw Error(Fault::Unsupported, "{} selects of {} in other dimensions than the file's",
        this->At->Told(), stored->Path);
    }
    numbers = this->Chosen(data.Numbers(stored->File, stored->Path, MostRead));
  }
  else
  {
    numbers = std::get<Literal>(this->From).Values;
  }
  for (double& number : numbers)
  {
    number = number * this->Scale + this->Offset;
  }
  return numbers;
}

}
