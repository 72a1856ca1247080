// SPDX-License-Identifier: BSD-3-Clause
#include "Describe/Pandas.h"

#include "Describe/DescriptionBuilder.h"
#include "Describe/NothingYet.h"
#include "Describe/ObjectSources.h"
#include "Describe/Text.h"

#include <algorithm>

namespace dsm::describe
{

using hdf5::Object;

namespace
{
struct Frame
{
  std::string Group;
  std::uint64_t Rows = 0;
  std::vector<Array> Columns = {};
  std::vector<std::string> Paths = {}; ///< of the datasets that the columns are in
};

// Returns the texts and numbers in a pickled list, which is text: "(lp0\nVb\np1\naVc\np2\na.".
std::vector<std::string> Unpickled(const std::string& text)
{
  std::vector<std::string> found;
  for (std::string line : Split(text, "\n"))
  {
    line.erase(0, line.starts_with('a') ? 1 : 0);
    if (line.starts_with('V') || line.starts_with('I'))
    {
      found.push_back(line.substr(1));
    }
  }
  return found;
}

class FrameReader
{
public:
  FrameReader(const FileFacts& file, std::string group);

  // Returns a frame without rows if there is nothing in it that can be shown.
  Frame Read();

private:
  void Add(const std::string& name, Source source);

  // Adds the columns of a block, or one with components if their names are not known.
  void AddBlock(const std::vector<std::string>& names, const std::string& block, const Source& rows,
    hsize_t columns);
  void ReadTable(const Object& table);
  void ReadBlocks();

  // Adds a list of numbers that may be missing.
  void AddList(const std::string& name, const std::string& path);

  const FileFacts& File;
  Frame Made;
};

FrameReader::FrameReader(const FileFacts& file, std::string group)
  : File(file)
  , Made{ std::move(group) }
{
}

Frame FrameReader::Read()
{
  if (const Object* table = this->File.Find(this->Made.Group + "/table"))
  {
    this->ReadTable(*table);
  }
  else
  {
    this->ReadBlocks();
  }
  return std::move(this->Made);
}

void FrameReader::Add(const std::string& name, Source source)
{
  const auto isTaken = [&](const std::string& wanted)
  {
    return std::any_of(this->Made.Columns.begin(), this->Made.Columns.end(),
      [&](const Array& one) { return one.Name == wanted; });
  };
  std::string free = name.empty() ? "unnamed" : name;
  while (isTaken(free))
  {
    free += "'";
  }
  this->Made.Columns.push_back({ free, Centring::Point, { std::move(source) } });
}

void FrameReader::AddBlock(const std::vector<std::string>& names, const std::string& block,
  const Source& rows, hsize_t columns)
{
  for (hsize_t column = 0; column < columns; ++column)
  {
    Source source = rows;
    source.Dimensions.push_back({ Role::Fixed, column });
    this->Add(
      names.size() == columns ? names[column] : fmt::format("{}_{}", block, column), source);
  }
}

void FrameReader::ReadTable(const Object& table)
{
  this->Made.Rows = table.Shape.size() == 1 ? table.Shape[0] : 0;
  if (this->Made.Rows == 0)
  {
    return;
  }
  this->Made.Paths.push_back(table.Path);
  const auto rows = [&](const std::string& member)
  {
    Source source = ListSource(table.Path, this->Made.Rows);
    std::get<Stored>(source.From).Member = member;
    return source;
  };
  for (const std::string& member : table.Members)
  {
    this->Add(member, rows(member));
  }
  for (const auto& [member, shape] : table.ArrayMembers)
  {
    if (shape.size() == 1)
    {
      this->AddBlock(
        Unpickled(this->File.Text(table.Path, member + "_kind")), member, rows(member), shape[0]);
    }
  }
}

void FrameReader::ReadBlocks()
{
  const std::string& group = this->Made.Group;
  for (const char* const values : { "/values", "/block0_values" })
  {
    const Object* const found = this->File.Find(group + values);
    if (found && found->Numbers && !found->Shape.empty() && this->Made.Rows == 0)
    {
      this->Made.Rows = found->Shape[0];
    }
  }
  if (this->Made.Rows == 0)
  {
    return;
  }
  this->AddList("index", group + "/axis1");
  this->AddList("index", group + "/index");
  this->AddList(this->File.Text(group, "name"), group + "/values");
  for (int block = 0;; ++block)
  {
    const std::string name = fmt::format("block{}", block);
    const Object* const values = this->File.Find(fmt::format("{}/{}_values", group, name));
    if (!values)
    {
      break;
    }
    if (values->Numbers && values->Shape.size() == 2 && values->Shape[0] == this->Made.Rows)
    {
      this->Made.Paths.push_back(values->Path);
      this->AddBlock(this->File.TextRows(fmt::format("{}/{}_items", group, name)), name,
        ListSource(values->Path, this->Made.Rows), values->Shape[1]);
    }
  }
}

void FrameReader::AddList(const std::string& name, const std::string& path)
{
  const Object* const list = this->File.Find(path);
  if (list && list->Numbers && list->Shape == std::vector<hsize_t>{ this->Made.Rows })
  {
    this->Made.Paths.push_back(path);
    this->Add(name, ListSource(path, this->Made.Rows));
  }
}
}

std::optional<Description> RecognisePandas(const Asked& asked)
{
  if (!asked.File.Has("/", "PYTABLES_FORMAT_VERSION"))
  {
    return std::nullopt;
  }
  std::vector<Frame> frames;
  for (const Object& object : asked.File.Objects())
  {
    if (!object.Dataset && !asked.File.Text(object.Path, "pandas_type").empty())
    {
      frames.push_back(FrameReader(asked.File, object.Path).Read());
    }
  }
  if (frames.empty())
  {
    return std::nullopt;
  }
  const auto shown = std::max_element(frames.begin(), frames.end(),
    [](const Frame& one, const Frame& other) { return one.Rows < other.Rows; });
  if (shown->Columns.empty())
  {
    throw NothingYet("pandas", "its frames have no numbers");
  }
  DescriptionBuilder result(asked);
  result.SetFormat("pandas", fmt::format("{} is a frame of pandas", shown->Group));
  result.SetTimeOfFile();
  for (const std::string& path : shown->Paths)
  {
    result.Use(path);
  }
  result.AddPart({ shown->Group.substr(1), Rows{ shown->Rows }, std::move(shown->Columns) });
  for (const Frame& frame : frames)
  {
    if (frame.Group != shown->Group)
    {
      result.LeaveOut(frame.Group,
        fmt::format(
          "it is another frame, with {} rows, and one is shown: {}", frame.Rows, shown->Group));
    }
  }
  return result.Finish();
}

}
