// SPDX-License-Identifier: BSD-3-Clause
#include "Server/ServerDefaults.h"

#include "Base/Environment.h"
#include "Base/Error.h"
#include "Base/Log.h"
#include "Encoding/Encoding.h"
#include "Mapping/AddressMap.h"
#include "Transport/ChooseTransport.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include <unistd.h>

namespace dsm
{

namespace
{
namespace fs = std::filesystem;

constexpr std::uint64_t PlentyForOne = UINT64_C(1) << 20;
constexpr const char* Format = "ParaView DSM server defaults";
constexpr const char* Advice =
  "Correct or remove it, write it anew (dsm_bench --recommend), or set DSM_DEFAULTS=off";

constexpr const char* Note =
  "What ParaView DSM servers on this machine do by default. Explicit options and the "
  "environment (DSM_STRATEGY, DSM_BLOCK_SIZE, DSM_TRANSPORT) go before it.";

// As people write it, unless that rounds.
std::string ExactBlockSize(std::uint64_t bytes)
{
  const std::string text = BlockSizeText(bytes);
  return ParseBlockSize(text, "") == bytes ? text : std::to_string(bytes);
}

// A person may have written it: all but the format may be missing, and more may be there.
void DescribeFile(Fields& fields, ServerDefaults& defaults)
{
  std::string format = Format;
  std::string note = Note;
  std::string blockSize = ExactBlockSize(defaults.Map.BlockSize);
  std::string transport = defaults.Transport.ToText();
  fields("Format", format);
  if (format != Format)
  {
    throw Error(Fault::Usage, "it is no file of ParaView DSM server defaults");
  }
  fields.IfThere("Note", note);
  fields.IfThere("Strategy", defaults.Map.Strategy);
  fields.IfThere("BlockSize", blockSize);
  fields.IfThere("Transport", transport);
  if (fields.Reading())
  {
    defaults.Map.BlockSize = ParseBlockSize(blockSize, "BlockSize");
    defaults.Transport = TransportFromText(transport);
  }
}
}

std::string ServerDefaults::Path()
{
  if (const auto named = environment::Text("DSM_DEFAULTS"))
  {
    return *named == "off" ? std::string() : *named;
  }
  const fs::path file = fs::path("paraview-dsm") / "defaults.json";
  if (const auto folder = environment::Text("XDG_CONFIG_HOME"))
  {
    return (*folder / file).string();
  }
  const auto home = environment::Text("HOME");
  return home ? (fs::path(*home) / ".config" / file).string() : std::string();
}

ServerDefaults ServerDefaults::Read()
{
  ServerDefaults defaults;
  const std::string path = Path();
  std::error_code ignored;
  if (!path.empty() && fs::exists(path, ignored))
  {
    defaults = FromFile(path);
    Log().info("defaults from {}: {}, blocks of {}, transport {}", path, defaults.Map.Strategy,
      BlockSizeText(defaults.Map.BlockSize), defaults.Transport.ToText());
  }
  defaults.Map = defaults.Map.WithEnvironment();
  defaults.Transport = TransportWithEnvironment(defaults.Transport);
  return defaults;
}

ServerDefaults ServerDefaults::FromFile(const std::string& path)
{
  std::ifstream file(path);
  if (!file)
  {
    throw Error(Fault::Usage, "cannot read the server defaults {}. {}", path, Advice);
  }
  try
  {
    std::ostringstream text;
    text << file.rdbuf();
    ServerDefaults defaults;
    FieldsFromText(
      text.str(), "the file", [&](Fields& fields) { DescribeFile(fields, defaults); },
      Unknown::Ignored);
    // A map of it must be possible at all; how many hosts there are does not matter for that.
    const AddressMap check(defaults.Map.Over(1, std::max(defaults.Map.BlockSize, PlentyForOne)));
    return defaults;
  }
  catch (const std::exception& error)
  {
    throw Error(
      Fault::Usage, "the server defaults {} cannot be used: {}. {}", path, error.what(), Advice);
  }
}

void ServerDefaults::Write(const std::string& path) const
{
  if (path.empty())
  {
    throw Error(Fault::System,
      "there is no place for the server defaults: neither DSM_DEFAULTS nor XDG_CONFIG_HOME nor "
      "HOME "
      "names one");
  }
  ServerDefaults written = *this;
  const std::string text = TextOfFields([&](Fields& fields) { DescribeFile(fields, written); }, 2);
  std::error_code trouble;
  const fs::path target = fs::absolute(path, trouble);
  fs::create_directories(target.parent_path(), trouble);
  // A server that starts meanwhile sees the old file or the new one.
  const fs::path fresh = target.string() + "." + std::to_string(getpid());
  {
    std::ofstream file(fresh);
    file << text << "\n";
    file.close();
    if (!file)
    {
      throw Error(Fault::System, "cannot write the server defaults {}", fresh.string());
    }
  }
  fs::rename(fresh, target, trouble);
  if (trouble)
  {
    throw Error(
      Fault::System, "cannot write the server defaults {}: {}", target.string(), trouble.message());
  }
}

}
