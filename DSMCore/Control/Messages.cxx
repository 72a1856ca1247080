// SPDX-License-Identifier: BSD-3-Clause
#include "Control/Messages.h"

#include "Base/Error.h"

#include <concepts>

namespace dsm
{

namespace
{
using Json = nlohmann::json;

// Reads one member. A missing or ill-typed one is the peer's fault, and says so in our own words: a
// default in its place would let, say, slot 0 be overwritten.
template <typename T>
void Take(const Json& json, const char* structure, const char* key, T& value)
{
  const auto found = json.is_object() ? json.find(key) : json.end();
  if (!json.is_object() || found == json.end())
  {
    throw Error(Fault::Refused,
      "a message lacks \"{}\" of its {}: the two sides are of different versions", key, structure);
  }
  bool fits = true;
  if constexpr (std::same_as<T, std::uint64_t>)
  {
    fits = found->is_number_unsigned();
  }
  else if constexpr (std::same_as<T, double>)
  {
    fits = found->is_number();
  }
  else if constexpr (std::same_as<T, std::string>)
  {
    fits = found->is_string();
  }
  if (!fits)
  {
    throw Error(Fault::Refused,
      "a message's {} has a {} as \"{}\": the two sides are of different versions", structure,
      found->type_name(), key);
  }
  found->get_to(value);
}

// Reads a member that is a list.
template <typename T>
void TakeList(const Json& json, const char* structure, const char* key, std::vector<T>& value)
{
  const auto found = json.is_object() ? json.find(key) : json.end();
  if (!json.is_object() || found == json.end() || !found->is_array())
  {
    throw Error(Fault::Refused,
      "a message lacks the \"{}\" of its {}: the two sides are of different versions", key,
      structure);
  }
  found->get_to(value);
}
}

#define DSM_TAKE(member) Take(json, structure, #member, value.member)

void to_json(Json& json, const MapParameters& value)
{
  json = { { "Strategy", value.Strategy }, { "Hosts", value.Hosts },
    { "HostCapacity", value.HostCapacity }, { "BlockSize", value.BlockSize },
    { "BlocksPerCycle", value.BlocksPerCycle }, { "Seed", value.Seed },
    { "ExpectedSize", value.ExpectedSize } };
}

void from_json(const Json& json, MapParameters& value)
{
  constexpr const char* structure = "address map";
  DSM_TAKE(Strategy);
  DSM_TAKE(Hosts);
  DSM_TAKE(HostCapacity);
  DSM_TAKE(BlockSize);
  DSM_TAKE(BlocksPerCycle);
  DSM_TAKE(Seed);
  DSM_TAKE(ExpectedSize);
}

void to_json(Json& json, const FabricAddress& value)
{
  json = { { "Provider", value.Provider }, { "Names", value.Names }, { "Key", value.Key },
    { "Base", value.Base } };
}

void from_json(const Json& json, FabricAddress& value)
{
  constexpr const char* structure = "fabric address";
  DSM_TAKE(Provider);
  TakeList(json, structure, "Names", value.Names);
  DSM_TAKE(Key);
  DSM_TAKE(Base);
}

void to_json(Json& json, const HostDescription& value)
{
  json = { { "Node", value.Node }, { "Segment", value.Segment }, { "Name", value.Name },
    { "Network", value.Network }, { "Fabric", value.Fabric } };
}

void from_json(const Json& json, HostDescription& value)
{
  constexpr const char* structure = "host description";
  DSM_TAKE(Node);
  DSM_TAKE(Segment);
  DSM_TAKE(Name);
  DSM_TAKE(Network);
  TakeList(json, structure, "Fabric", value.Fabric);
}

void to_json(Json& json, const ServerDescription& value)
{
  json = { { "Session", value.Session }, { "Hosts", value.Hosts }, { "SlotSize", value.SlotSize },
    { "SlotCount", value.SlotCount }, { "Transport", value.Transport } };
}

void from_json(const Json& json, ServerDescription& value)
{
  constexpr const char* structure = "server description";
  DSM_TAKE(Session);
  DSM_TAKE(SlotSize);
  DSM_TAKE(SlotCount);
  DSM_TAKE(Transport);
  TakeList(json, structure, "Hosts", value.Hosts);
}

void to_json(Json& json, const PeerDescription& value)
{
  json = { { "Role", value.Role }, { "Program", value.Program }, { "Node", value.Node },
    { "Mpi", value.Mpi }, { "Ranks", value.Ranks }, { "Process", value.Process } };
}

void from_json(const Json& json, PeerDescription& value)
{
  constexpr const char* structure = "peer description";
  DSM_TAKE(Role);
  DSM_TAKE(Program);
  DSM_TAKE(Node);
  DSM_TAKE(Mpi);
  DSM_TAKE(Ranks);
  DSM_TAKE(Process);
}

void to_json(Json& json, const ImageDescription& value)
{
  json = { { "Image", value.Image }, { "Slot", value.Slot }, { "Map", value.Map },
    { "Grant", value.Grant } };
}

void from_json(const Json& json, ImageDescription& value)
{
  constexpr const char* structure = "image description";
  DSM_TAKE(Image);
  DSM_TAKE(Slot);
  DSM_TAKE(Map);
  DSM_TAKE(Grant);
}

void to_json(Json& json, const WriteStatistics& value)
{
  json = { { "Bytes", value.Bytes }, { "WriteSeconds", value.WriteSeconds },
    { "BlockedSeconds", value.BlockedSeconds }, { "HostBytes", value.HostBytes } };
}

void from_json(const Json& json, WriteStatistics& value)
{
  constexpr const char* structure = "write statistics";
  DSM_TAKE(Bytes);
  DSM_TAKE(WriteSeconds);
  DSM_TAKE(BlockedSeconds);
  TakeList(json, structure, "HostBytes", value.HostBytes);
}

void to_json(Json& json, const SnapshotDescription& value)
{
  json = { { "Number", value.Number }, { "FileName", value.FileName },
    { "FileSize", value.FileSize }, { "Step", value.Step }, { "Slot", value.Slot },
    { "Map", value.Map }, { "Statistics", value.Statistics }, { "SealedAt", value.SealedAt } };
}

void from_json(const Json& json, SnapshotDescription& value)
{
  constexpr const char* structure = "snapshot description";
  DSM_TAKE(Number);
  DSM_TAKE(FileName);
  DSM_TAKE(FileSize);
  DSM_TAKE(Step);
  DSM_TAKE(Slot);
  DSM_TAKE(Map);
  DSM_TAKE(Statistics);
  DSM_TAKE(SealedAt);
}

#undef DSM_TAKE

}
