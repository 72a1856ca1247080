// SPDX-License-Identifier: BSD-3-Clause
#include "CrashRecord.h"

#include "Base/Deadline.h"
#include "Base/Error.h"
#include "Base/FileName.h"
#include "Base/Timeouts.h"
#include "Collectives.h"
#include "Control/ContactFile.h"
#include "Encoding/Encoding.h"
#include "Peer/Connections.h"
#include "SnapshotList.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <map>

namespace dsm::readers::crashes
{

namespace
{
// Nobody crashes more often before looking into it.
constexpr std::size_t MostLines = 1000;

struct Line : Crash
{
  std::string Server; ///< its public key
};

void Describe(Fields& fields, Line& line)
{
  fields("Server", line.Server);
  fields("Snapshot", line.Snapshot);
  fields("As", line.As);
}

// Each rank connects when it opens its first snapshot, which comes next.
std::string KeyOf(const std::string& contact)
{
  auto server = connections::Find(contact);
  if (!server && IsContactFile(contact))
  {
    try
    {
      server = connections::Get(
        contact, "viewer", static_cast<std::uint64_t>(Size()), Deadline(RequestTimeout()));
    }
    catch (const Error&)
    {
      return {}; // opening it says why
    }
  }
  return server ? server->GetContact().ServerPublicKey : std::string();
}

std::vector<Crash> ReadAll(const std::string& path, const std::string& key)
{
  std::vector<Crash> found;
  std::ifstream stream(path);
  std::string text;
  for (std::size_t count = 0; count < MostLines && std::getline(stream, text); ++count)
  {
    try
    {
      const auto line = FromText<Line>(text, path);
      const Crash& crash = line;
      // Each of several ranks may have crashed.
      if (line.Server == key && std::find(found.begin(), found.end(), crash) == found.end())
      {
        found.push_back(crash);
      }
    }
    catch (const Error&)
    {
      continue; // half a line, of a disk that was full: nothing is known of it
    }
  }
  return found;
}
}

Prepared Prepare(const std::string& snapshotName, const std::string& as)
{
  const auto reference = ParseSnapshotName(snapshotName);
  if (!reference)
  {
    return {};
  }
  const std::string contact = AbsoluteName(reference->ContactFile);
  Line line;
  line.Server = KeyOf(contact);
  line.Snapshot = reference->Number;
  line.As = as;
  return line.Server.empty() ? Prepared() : Prepared{ CrashFileOf(contact), ToText(line) + "\n" };
}

const std::vector<Crash>& Of(const std::string& contact)
{
  // By the server's key: others may come under that path.
  static std::map<std::string, std::vector<Crash>> known;
  static const std::vector<Crash> none;
  const std::string key = KeyOf(contact);
  if (key.empty())
  {
    return none;
  }
  auto found = known.find(key);
  if (found == known.end())
  {
    found = known.emplace(key, ReadAll(CrashFileOf(contact), key)).first;
  }
  return found->second;
}

std::string Text(const Crash& crash, const std::string& file, const std::string& contact)
{
  const std::string what = fmt::format("snapshot {}, {}", crash.Snapshot, file);
  return crash.As.empty()
    ? fmt::format("ParaView crashed while it found out what {} holds, so it is not read again by "
                  "itself: set Read As to what it is, or delete {} to try again",
        what, CrashFileOf(contact))
    : fmt::format("ParaView crashed while it read {} as {}, so it is not read so again by itself: "
                  "set Read As to another kind, or to the same to try again; others are shown as "
                  "before",
        what, crash.As);
}

void Refuse(const Reading& reading)
{
  const auto reference = ParseSnapshotName(reading.SnapshotName);
  if (!reference)
  {
    return;
  }
  const std::string contact = AbsoluteName(reference->ContactFile);
  for (const Crash& crash : Of(contact))
  {
    if (crash.Snapshot == reference->Number && crash.As == reading.As)
    {
      throw Error(Fault::Refused, "{}", Text(crash, reading.SimulatedName, contact));
    }
  }
}

}
