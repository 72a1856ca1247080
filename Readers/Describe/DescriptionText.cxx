// SPDX-License-Identifier: BSD-3-Clause
#include "Describe/DescriptionText.h"

#include <fmt/ranges.h>

#include <array>

namespace dsm::describe
{

namespace
{
template <typename... Functions>
struct Overloaded : Functions...
{
  using Functions::operator()...;
};

const char* NameOf(Role role)
{
  constexpr std::array names = { "", "x", "y", "z", "i", "c", "b", "t" };
  return names.at(static_cast<std::size_t>(role));
}

std::string TextOf(const Dimension& dimension)
{
  const std::string name = NameOf(dimension.Is);
  if (dimension.Is == Role::Fixed || dimension.Is == Role::Time)
  {
    return name.empty() ? fmt::format("{}", dimension.Start)
                        : fmt::format("{}={}", name, dimension.Start);
  }
  std::string text = fmt::format("{}{}:{}", dimension.Reversed ? "-" : "", name, dimension.Count);
  if (dimension.Start != 0)
  {
    text += fmt::format(" from {}", dimension.Start);
  }
  if (dimension.Of != 0)
  {
    text += fmt::format(" of {}", dimension.Of);
  }
  if (dimension.Stride != 1)
  {
    text += fmt::format(" by {}", dimension.Stride);
  }
  return text;
}

std::string TextOf(const std::vector<Source>& sources)
{
  std::vector<std::string> texts;
  texts.reserve(sources.size());
  for (const Source& source : sources)
  {
    texts.push_back(Text(source));
  }
  return fmt::format("{}", fmt::join(texts, ", "));
}

std::string TextOf(const PerAxis& points)
{
  return fmt::format("{}", fmt::join(points, " x "));
}

std::string TextOf(const std::vector<CellRange>& covered)
{
  std::uint64_t cells = 0;
  for (const CellRange& range : covered)
  {
    cells += range.Count[0] * range.Count[1] * range.Count[2];
  }
  return cells == 0 ? "" : fmt::format(", {} cells of it covered", cells);
}

std::string TextOf(const std::variant<SameCells, MixedCells, OffsetCells>& cells)
{
  return std::visit(
    Overloaded{ [](const SameCells& by)
      {
        return fmt::format("of VTK's type {} with {} points each, {}{}", by.Type, by.PointsPerCell,
          Text(by.Connectivity),
          by.Order.empty() ? "" : fmt::format(" in the order {}", fmt::join(by.Order, " ")));
      },
      [](const MixedCells& by)
      { return fmt::format("of several types, a list of {}, {}", by.Length, Text(by.List)); },
      [](const OffsetCells& by)
      {
        return fmt::format("of several types, {} numbers {}, offsets {}, types {}", by.Length,
          Text(by.Connectivity), Text(by.Offsets), Text(by.Types));
      } },
    cells);
}

std::string TextOf(const Geometry& geometry)
{
  return std::visit(
    Overloaded{ [](const Rows& on) { return fmt::format("table of {} rows", on.Count); },
      [](const Uniform& on)
      {
        return fmt::format("uniform, {} points, origin {}, spacing {}", TextOf(on.Points),
          fmt::join(on.Origin, " "), fmt::join(on.Spacing, " "));
      },
      [](const Rectilinear& on)
      {
        return fmt::format("rectilinear, {} points, at {}; {}; {}", TextOf(on.Points),
          Text(on.Axes[0]), Text(on.Axes[1]), Text(on.Axes[2]));
      },
      [](const Curvilinear& on)
      { return fmt::format("curvilinear, {} points, at {}", TextOf(on.Points), TextOf(on.At)); },
      [](const Vertices& on)
      { return fmt::format("{} points without cells, at {}", on.Count, TextOf(on.At)); },
      [](const Unstructured& on)
      {
        return fmt::format("unstructured, {} points at {}; {} cells {}{}", on.Points, TextOf(on.At),
          on.Cells, TextOf(on.By),
          on.FirstPoint == 0 ? "" : fmt::format(", points from {}", on.FirstPoint));
      } },
    geometry);
}

std::string TextOf(const Array& array)
{
  constexpr std::array centrings = { "point", "cell", "field" };
  std::string text =
    fmt::format("{} array {}", centrings.at(static_cast<std::size_t>(array.On)), array.Name);
  if (!array.ComponentNames.empty())
  {
    text += fmt::format(" ({})", fmt::join(array.ComponentNames, ", "));
  }
  if (!array.Units.empty())
  {
    text += fmt::format(" [{}]", array.Units);
  }
  return fmt::format("{}: {}", text, TextOf(array.Sources));
}

std::string TextOf(const Part& part)
{
  std::string text = fmt::format("part {}: {}\n", part.Name, TextOf(part.On));
  if (part.Level != 0)
  {
    text += fmt::format("  level {}\n", part.Level);
  }
  if (!part.Covered.empty())
  {
    text += fmt::format("  {}\n", TextOf(part.Covered).substr(2));
  }
  if (part.AxisNames != decltype(part.AxisNames){})
  {
    text += fmt::format("  axes {}\n", fmt::join(part.AxisNames, "; "));
  }
  for (const Block& block : part.Blocks)
  {
    text += fmt::format("  block {}: level {}, origin {}, spacing {}", block.Index, block.Level,
      fmt::join(block.Origin, " "), fmt::join(block.Spacing, " "));
    if (block.Points)
    {
      text +=
        fmt::format(", {} points, from element {}", TextOf(*block.Points), block.FirstElement);
    }
    text += TextOf(block.Covered) + "\n";
  }
  for (const Array& array : part.Arrays)
  {
    text += fmt::format("  {}\n", TextOf(array));
  }
  return text;
}
}

std::string Text(const Source& source)
{
  std::string text = std::visit(
    Overloaded{ [](const Stored& from)
      {
        return fmt::format("{}{}{}{}{}", from.File, from.File.empty() ? "" : ":", from.Path,
          from.Member.empty() ? "" : "." + from.Member,
          from.FlatFrom ? fmt::format(" from its element {}", *from.FlatFrom) +
              (from.Plane == 0 ? "" : fmt::format(" after {} others", from.Plane))
                        : "");
      },
      [](const Literal& from)
      {
        constexpr std::size_t most = 8;
        return from.Values.size() <= most ? fmt::format("{{{}}}", fmt::join(from.Values, " "))
                                          : fmt::format("{} numbers", from.Values.size());
      },
      [](const Constant& from) { return fmt::format("{}", from.Value); } },
    source.From);
  if (!source.Dimensions.empty())
  {
    std::vector<std::string> texts;
    texts.reserve(source.Dimensions.size());
    for (const Dimension& dimension : source.Dimensions)
    {
      texts.push_back(TextOf(dimension));
    }
    text += fmt::format("[{}]", fmt::join(texts, ", "));
  }
  if (source.Scale != 1)
  {
    text += fmt::format(" * {}", source.Scale);
  }
  if (source.Offset != 0)
  {
    text += fmt::format(" + {}", source.Offset);
  }
  if (!source.Missing.empty())
  {
    text += fmt::format(" without {}", fmt::join(source.Missing, ", "));
  }
  for (const Source& added : source.Added)
  {
    text += " + " + Text(added);
  }
  return text;
}

std::string Text(const Description& description)
{
  std::string text = fmt::format("{}: {}\n", description.Format, description.Rule);
  if (description.Time)
  {
    text += fmt::format("time {}{}{}\n", *description.Time,
      description.TimeUnits.empty() ? "" : " ", description.TimeUnits);
  }
  if (!description.Times.empty())
  {
    text += fmt::format("step {} of {}, times {} to {}\n", description.Step,
      description.Times.size(), description.Times.front(), description.Times.back());
  }
  for (const Part& part : description.Parts)
  {
    text += TextOf(part);
  }
  for (const Settable& set : description.Set)
  {
    text += fmt::format("set: {}\n", set.Text);
  }
  for (const std::string& guess : description.Guessed)
  {
    text += fmt::format("guessed: {}\n", guess);
  }
  for (const Settable& assumed : description.Assumed)
  {
    text += fmt::format("guessed: {}\n", assumed.Text);
  }
  for (const LeftOut& left : description.Left)
  {
    text += fmt::format("left out: {}: {}\n", left.Path, left.Why);
  }
  return text;
}

std::string WhyNothing(const Description& description, const std::string& otherwise)
{
  if (!description.Left.empty())
  {
    const LeftOut& first = description.Left.front();
    return fmt::format(": {}: {}", first.Path, first.Why);
  }
  return otherwise.empty() ? otherwise : ": " + otherwise;
}

}
