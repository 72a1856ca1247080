// SPDX-License-Identifier: BSD-3-Clause
#include "Describe/Xdmf.h"

#include "Base/Error.h"
#include "Describe/DescriptionBuilder.h"
#include "Describe/DescriptionText.h"
#include "Describe/Text.h"
#include "Describe/XdmfGrid.h"
#include "Describe/XdmfItem.h"
#include "Describe/XdmfNames.h"
#include "Describe/XdmfSeries.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace dsm::describe
{

namespace
{
using Element = const XmlElement*;

std::shared_ptr<const XmlElement> Parse(const XmlSource& source, const XmlLoader& load)
{
  auto root = ParseXml(source, load);
  if (LowerCase(root->Name) != "xdmf")
  {
    throw Error(Fault::Usage, "the XDMF description begins with <{}>, not with <Xdmf>", root->Name);
  }
  return root;
}

/// Goes through the grids of a text.
class GridWalk
{
public:
  GridWalk(const XmlElement& root, XdmfNames& names, const NamedData& data);
  Description All(std::optional<std::size_t> step);

private:
  // A text that includes others has their Xdmf and Domain in its own.
  void FindDomains(const XmlElement& element, std::vector<Element>& found) const;
  const XdmfSeries* SeriesOf(const XmlElement& grid) const;
  void FindSeries(const XmlElement& grid);
  void ChooseTime(std::optional<std::size_t> step);
  std::optional<double> TimeOfGrids(const std::vector<Element>& grids) const;
  void Walk(const XmlElement& grid, std::vector<Part>& parts);

  // Steps have names with their numbers in them: the collection's name stays.
  void WalkStep(const XmlElement& step, const XmlElement& collection, std::vector<Part>& parts);

  // Removes times from the names of arrays, which are the same in all steps then.
  void NameArrays(Part& part, const XmlElement& step, const XdmfSeries& series);
  void AddUniform(const XmlElement& grid, std::vector<Part>& parts);

  // Codes that write a collection for each field give all of them the same mesh: it is looked for
  // among the first parts.
  void Add(Part part, std::size_t first);

  const XmlElement& Root;
  XdmfNames& Names;
  const NamedData& Data;
  Description Made;
  std::vector<std::pair<Element, XdmfSeries>> Series; // in the order of the text
  double Time = 0;
};

GridWalk::GridWalk(const XmlElement& root, XdmfNames& names, const NamedData& data)
  : Root(root)
  , Names(names)
  , Data(data)
{
}

Description GridWalk::All(std::optional<std::size_t> step)
{
  std::vector<Element> domains;
  this->FindDomains(this->Root, domains);
  if (domains.empty())
  {
    throw Error(Fault::Usage, "{} has no Domain", this->Root.Told());
  }
  for (std::size_t i = 1; i < domains.size(); ++i)
  {
    this->Made.Left.push_back({ domains[i]->Told(), "only the first Domain is shown" });
  }
  const auto grids = XdmfChildren(*domains.front(), "grid");
  for (const Element grid : grids)
  {
    this->FindSeries(*grid);
  }
  this->ChooseTime(step);
  for (const Element grid : grids)
  {
    std::vector<Part> parts;
    this->Walk(*grid, parts);
    const auto before = this->Made.Parts.size();
    for (Part& part : parts)
    {
      this->Add(std::move(part), before);
    }
  }
  if (this->Made.Parts.empty())
  {
    throw Error(Fault::Unsupported, "there is nothing to show of the XDMF description{}",
      WhyNothing(this->Made, "it has no Grid that belongs to the file"));
  }
  if (!this->Made.Time)
  {
    this->Made.Time = this->TimeOfGrids(grids);
  }
  return std::move(this->Made);
}

void GridWalk::FindDomains(const XmlElement& element, std::vector<Element>& found) const
{
  for (const auto& child : element.Children)
  {
    if (LowerCase(child->Name) == "domain")
    {
      found.push_back(child.get());
    }
    else if (LowerCase(child->Name) == "xdmf")
    {
      this->FindDomains(*child, found);
    }
  }
}

const XdmfSeries* GridWalk::SeriesOf(const XmlElement& grid) const
{
  const auto found = std::find_if(
    this->Series.begin(), this->Series.end(), [&](const auto& one) { return one.first == &grid; });
  return found == this->Series.end() ? nullptr : &found->second;
}

void GridWalk::FindSeries(const XmlElement& grid)
{
  if (IsXdmfCollection(grid, "temporal"))
  {
    if (!this->SeriesOf(grid))
    {
      this->Series.emplace_back(&grid, XdmfSeries(grid, this->Names, this->Data));
    }
    return;
  }
  for (const Element child : XdmfChildren(grid, "grid"))
  {
    this->FindSeries(*child);
  }
}

void GridWalk::ChooseTime(std::optional<std::size_t> step)
{
  auto& times = this->Made.Times;
  for (const auto& [grid, series] : this->Series)
  {
    for (const auto& one : series.Steps())
    {
      times.push_back(one.Time);
    }
    if (series.Later() > 0)
    {
      this->Made.Left.push_back({ grid->Told(),
        fmt::format("{} of its steps are not in the file, or not yet", series.Later()) });
    }
    if (!series.SaysTimes())
    {
      this->Made.Guessed.push_back(grid->Told() + ": times are the numbers of the steps");
    }
  }
  std::sort(times.begin(), times.end());
  times.erase(std::unique(times.begin(), times.end()), times.end());
  if (times.empty())
  {
    return;
  }
  this->Made.Step = std::min(step.value_or(times.size() - 1), times.size() - 1);
  this->Time = times[this->Made.Step];
  const bool said = std::any_of(this->Series.begin(), this->Series.end(),
    [](const auto& one) { return one.second.SaysTimes(); });
  if (said)
  {
    this->Made.Time = this->Time;
  }
  if (times.size() == 1)
  {
    times.clear();
    this->Made.Step = 0;
  }
}

std::optional<double> GridWalk::TimeOfGrids(const std::vector<Element>& grids) const
{
  for (const Element grid : grids)
  {
    const auto time = IsXdmfCollection(*grid, "temporal") ? std::nullopt : XdmfTimeOf(*grid);
    if (time)
    {
      return time;
    }
  }
  return std::nullopt;
}

void GridWalk::Walk(const XmlElement& grid, std::vector<Part>& parts)
{
  const std::string type = LowerCase(grid["gridtype"].empty() ? grid["type"] : grid["gridtype"]);
  if (const XdmfSeries* series = this->SeriesOf(grid))
  {
    if (const Element step = series->At(this->Time))
    {
      this->WalkStep(*step, grid, parts);
    }
  }
  else if (type == "collection" || type == "tree")
  {
    for (const Element child : XdmfChildren(grid, "grid"))
    {
      this->Walk(*child, parts);
    }
    for (const Element attribute : XdmfChildren(grid, "attribute"))
    {
      this->Made.Left.push_back({ attribute->Told(), "it belongs to a collection of grids" });
    }
  }
  else if (type.empty() || type == "uniform")
  {
    this->AddUniform(grid, parts);
  }
  else
  {
    this->Made.Left.push_back(
      { grid.Told(), "grids of the type " + grid["gridtype"] + " are not supported" });
  }
}

void GridWalk::WalkStep(
  const XmlElement& step, const XmlElement& collection, std::vector<Part>& parts)
{
  const auto before = parts.size();
  this->Walk(step, parts);
  for (auto part = parts.begin() + static_cast<std::ptrdiff_t>(before); part != parts.end(); ++part)
  {
    this->NameArrays(*part, step, *this->SeriesOf(collection));
  }
  if (parts.size() == before + 1 && !collection["name"].empty())
  {
    parts.back().Name = collection["name"];
  }
}

void GridWalk::NameArrays(Part& part, const XmlElement& step, const XdmfSeries& series)
{
  for (Array& array : part.Arrays)
  {
    std::string name = series.SteadyName(array.Name, step);
    if (name != array.Name && !HasArray(part, name, array.On))
    {
      this->Made.Guessed.push_back(
        fmt::format("{} = array {} and the time in its name", array.Name, name));
      array.Name = std::move(name);
    }
  }
}

void GridWalk::AddUniform(const XmlElement& grid, std::vector<Part>& parts)
{
  try
  {
    parts.push_back(XdmfPart(grid, this->Names, this->Data, this->Made));
  }
  catch (const Error& error)
  {
    if (error.GetFault() != Fault::Unsupported)
    {
      throw;
    }
    this->Made.Left.push_back({ grid.Told(), error.what() });
  }
}

void GridWalk::Add(Part part, std::size_t first)
{
  for (std::size_t i = 0; i < first; ++i)
  {
    Part& known = this->Made.Parts[i];
    const auto clashes = [&](const Array& array)
    {
      return std::any_of(known.Arrays.begin(), known.Arrays.end(), [&](const Array& one)
        { return one.Name == array.Name && one.On == array.On && one != array; });
    };
    if (known.On == part.On && std::none_of(part.Arrays.begin(), part.Arrays.end(), clashes))
    {
      for (Array& array : part.Arrays)
      {
        if (std::find(known.Arrays.begin(), known.Arrays.end(), array) == known.Arrays.end())
        {
          known.Arrays.push_back(std::move(array));
        }
      }
      return;
    }
  }
  part.Name =
    part.Name.empty() ? fmt::format("grid {}", this->Made.Parts.size() + 1) : std::move(part.Name);
  this->Made.Parts.push_back(std::move(part));
}
}

XdmfDocument::XdmfDocument(const XdmfText& text, const XmlLoader& load)
  : Root(Parse(text.Source, load))
  , Names(*this->Root, text.Simulated, text.Folder)
{
}

Description XdmfDocument::Describe(const NamedData& data, std::optional<std::size_t> step)
{
  Description made = GridWalk(*this->Root, this->Names, data).All(step);
  made.Format = "XDMF";
  return made;
}

}
