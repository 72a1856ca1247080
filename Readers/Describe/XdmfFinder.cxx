// SPDX-License-Identifier: BSD-3-Clause
#include "Describe/XdmfFinder.h"

#include "Base/Error.h"
#include "Base/FileName.h"
#include "Describe/Hdf5Data.h"
#include "Describe/Hdf5File.h"
#include "Describe/Text.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <thread>
#include <vector>

namespace dsm::describe
{

namespace
{
namespace fs = std::filesystem;

std::string FolderOf(const std::string& name)
{
  return fs::path(AbsoluteName(name)).parent_path().string();
}

XmlSource ReadFile(const std::string& path)
{
  std::error_code failed;
  const auto size = fs::file_size(path, failed);
  if (failed || !fs::is_regular_file(path, failed) || size > XmlLimits().Bytes)
  {
    throw Error(Fault::System, "the XDMF file {} cannot be read: {}", path,
      failed ? failed.message() : "it is no file of a sensible size");
  }
  std::ifstream stream(path, std::ios::binary);
  std::ostringstream text;
  text << stream.rdbuf();
  if (!stream || !text)
  {
    throw Error(Fault::System, "the XDMF file {} cannot be read", path);
  }
  return { path, text.str() };
}

bool IsWhole(const std::string& text)
{
  const std::string end =
    Trimmed(text.substr(text.size() - std::min<std::size_t>(text.size(), 100)));
  return end.size() >= 7 && LowerCase(end.substr(end.size() - 7)) == "</xdmf>";
}

bool IsNew(const std::string& path)
{
  using namespace std::chrono_literals;
  std::error_code failed;
  const auto written = fs::last_write_time(path, failed);
  return !failed && fs::file_time_type::clock::now() - written < 5s;
}

// Of a text that a simulation is just writing anew, what it has become: half of one would mean that
// the file is shown without its description, for one step. Waits half a second at most.
XmlSource ReadSettled(const std::string& path)
{
  using namespace std::chrono_literals;
  XmlSource read = ReadFile(path);
  for (int tries = 0; tries < 25 && !IsWhole(read.Text) && IsNew(path); ++tries)
  {
    std::this_thread::sleep_for(20ms);
    read = ReadFile(path);
  }
  return read;
}

FoundXdmf Parse(const XmlSource& source, const std::string& folder, const std::string& simulated,
  std::string rule)
{
  // What a file includes lies beside it.
  const XmlLoader load = [&](const std::string& name, const std::string& from)
  {
    if (name.find("://") != std::string::npos)
    {
      throw Error(Fault::Unsupported, "{} is on another machine, and is not fetched", name);
    }
    const bool absolute = name.rfind('/', 0) == 0;
    const std::string beside = from.rfind('/', 0) == 0 ? FolderOf(from) : folder;
    return ReadFile(AbsoluteName(absolute ? name : beside + "/" + name));
  };
  const XdmfText text{ source, folder, simulated };
  return { std::move(rule), std::make_shared<XdmfDocument>(text, load) };
}

// "out" for "out_0012", where there is a number behind something.
std::string WithoutNumber(const std::string& stem)
{
  const auto last = stem.find_last_not_of("0123456789");
  if (last == std::string::npos || last + 1 == stem.size())
  {
    return {};
  }
  const auto name = stem.find_last_not_of("_-.", last);
  return name == std::string::npos ? "" : stem.substr(0, name + 1);
}
}

Description FoundXdmf::Describe(
  hid_t file, const std::string& simulated, std::optional<std::size_t> step) const
{
  Description made = this->Text->Describe(Hdf5Data(file, simulated), step);
  made.Rule = this->Rule;
  return made;
}

FoundXdmf XdmfFromText(const std::string& text, const std::string& simulated)
{
  return Parse({ "the XDMF description", text }, FolderOf(simulated), simulated,
    "the XDMF description that was given");
}

FoundXdmf XdmfFromFile(const std::string& path, const std::string& simulated)
{
  const std::string name = AbsoluteName(path);
  return Parse(ReadFile(name), FolderOf(name), simulated, "the XDMF description in " + path);
}

std::optional<FoundXdmf> XdmfInside(hid_t file, const std::string& simulated)
{
  const auto text = hdf5::ReadText(file, "Xdmf");
  return text ? std::optional(Parse({ "the XDMF description", *text }, FolderOf(simulated),
                  simulated, "the file has an XDMF description of itself, /Xdmf"))
              : std::nullopt;
}

std::optional<FoundXdmf> XdmfBeside(const std::string& simulated)
{
  const fs::path data = simulated;
  std::vector<fs::path> places;
  for (const char* ending : { ".xdmf", ".xmf" })
  {
    places.push_back(fs::path(data).replace_extension(ending));
    places.push_back(fs::path(data) += ending);
  }
  if (const std::string name = WithoutNumber(data.stem().string()); !name.empty())
  {
    places.push_back(data.parent_path() / (name + ".xdmf"));
    places.push_back(data.parent_path() / (name + ".xmf"));
  }
  for (const fs::path& path : places)
  {
    std::error_code failed;
    if (!fs::is_regular_file(path, failed))
    {
      continue;
    }
    try
    {
      return Parse(ReadSettled(path.string()), data.parent_path().string(), simulated,
        path.string() + ", which lies beside the file, describes it");
    }
    catch (const NoXmlLibrary&)
    {
      throw;
    }
    catch (const Error&)
    {
      continue;
    }
  }
  return std::nullopt;
}

std::optional<Description> RecogniseXdmf(
  hid_t file, const std::string& simulated, std::optional<std::size_t> step)
{
  auto found = XdmfInside(file, simulated);
  found = found ? found : XdmfBeside(simulated);
  return found ? std::optional(found->Describe(file, simulated, step)) : std::nullopt;
}

}
