// SPDX-License-Identifier: BSD-3-Clause
#include "Archive/SeriesFile.h"

#include "Archive/NewFile.h"
#include "Base/Error.h"
#include "Encoding/Encoding.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <utility>

namespace dsm
{

namespace
{
namespace fs = std::filesystem;
}

// Without what stands for the numbers, and the points that separate it.
std::string SeriesFile::PathIn(const std::string& folder, const SnapshotDescription& snapshot)
{
  std::string name = snapshot.Stream;
  for (auto sign = name.find('#'); sign != std::string::npos; sign = name.find('#', sign))
  {
    const bool separated =
      sign > 0 && sign + 1 < name.size() && name[sign - 1] == '.' && name[sign + 1] == '.';
    name.erase(separated ? sign - 1 : sign, separated ? 2 : 1);
    sign = separated ? sign - 1 : sign;
  }
  // A stream may have a folder in its name.
  name.erase(0, name.find_first_not_of('/'));
  std::replace(name.begin(), name.end(), '/', '_');
  return fs::path(folder) / ((name.starts_with('.') ? "steps" : "") + name + ".series");
}

SeriesFile::SeriesFile(std::string path)
  : Path(std::move(path))
{
  std::ifstream file(this->Path);
  if (file)
  {
    std::ostringstream text;
    text << file.rdbuf();
    FieldsFromText(
      text.str(), this->Path, [this](Fields& fields) { this->Visit(fields); }, Unknown::Ignored);
  }
}

void SeriesFile::Visit(Fields& fields)
{
  std::string version = "1.0";
  fields("file-series-version", version);
  fields.List("files", this->Steps,
    [&](Step& step)
    {
      fields.Record(nullptr,
        [&]
        {
          fields("name", step.Name);
          fields("time", step.Time);
        });
    });
}

void SeriesFile::Add(const std::string& name, double time)
{
  this->Remove(name);
  const auto later = std::upper_bound(this->Steps.begin(), this->Steps.end(), time,
    [](double wanted, const Step& step) { return wanted < step.Time; });
  this->Steps.insert(later, { name, time });
}

void SeriesFile::Remove(const std::string& name)
{
  std::erase_if(this->Steps, [&](const Step& step) { return step.Name == name; });
}

void SeriesFile::Write() const
{
  if (this->Steps.empty())
  {
    std::error_code failed;
    fs::remove(this->Path, failed);
    if (failed)
    {
      throw Error(Fault::System, "cannot remove {}: {}", this->Path, failed.message());
    }
    return;
  }
  SeriesFile same(*this); // writing only looks at it
  const std::string text = TextOfFields([&](Fields& fields) { same.Visit(fields); }, 2) + "\n";
  NewFile file(this->Path);
  file.WriteText(text);
  file.Finish();
}

}
