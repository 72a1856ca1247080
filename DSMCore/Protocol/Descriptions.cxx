// SPDX-License-Identifier: BSD-3-Clause
#include "Protocol/Descriptions.h"

#include "Base/Error.h"

#include <utility>

namespace dsm
{

ServerDescription ForReading(ServerDescription server)
{
  for (HostDescription& host : server.Hosts)
  {
    for (TransportOffer& offer : host.Offers)
    {
      if (!offer.ReadOnly.empty())
      {
        offer.Content = std::exchange(offer.ReadOnly, {});
      }
    }
  }
  return server;
}

void Describe(Fields& fields, FileAccess& access)
{
  fields.Within("Mode", access.Mode, 0, 0777);
  fields("Group", access.Group);
  fields("List", access.List);
}

void Describe(Fields& fields, DiskShare& share)
{
  fields("From", share.From);
  fields("Offset", share.Offset);
  fields("Capacity", share.Capacity);
}

void Describe(Fields& fields, MapParameters& map)
{
  fields("Strategy", map.Strategy);
  fields("Hosts", map.Hosts);
  fields("HostCapacity", map.HostCapacity);
  fields("BlockSize", map.BlockSize);
  fields("BlocksPerCycle", map.BlocksPerCycle);
  fields("Seed", map.Seed);
  fields("ExpectedSize", map.ExpectedSize);
  fields("Disk", map.Disk);
}

void Describe(Fields& fields, TransportOffer& offer)
{
  fields("Name", offer.Name);
  fields("Content", offer.Content);
  fields("ReadOnly", offer.ReadOnly);
}

void Describe(Fields& fields, HostDescription& host)
{
  fields("Node", host.Node);
  fields("Name", host.Name);
  fields("Network", host.Network);
  fields("Offers", host.Offers);
}

void Describe(Fields& fields, ServerDescription& server)
{
  fields("Session", server.Session);
  fields("Hosts", server.Hosts);
  fields("SlotSize", server.SlotSize);
  fields("SlotCount", server.SlotCount);
  fields("DiskSize", server.DiskSize);
  fields("Pinned", server.Pinned);
  fields("Transport", server.Transport);
}

void Describe(Fields& fields, PeerDescription& peer)
{
  fields("Role", peer.Role);
  fields("Program", peer.Program);
  fields("Node", peer.Node);
  fields("Mpi", peer.Mpi);
  fields("Ranks", peer.Ranks);
  fields("Process", peer.Process);
  fields("Machine", peer.Machine);
  fields("Job", peer.Job);
  fields("JobProcesses", peer.JobProcesses);
  fields("Launch", peer.Launch);
}

void Describe(Fields& fields, ImageDescription& image)
{
  fields("Image", image.Image);
  fields("Slot", image.Slot);
  fields("Generation", image.Generation);
  fields("Map", image.Map);
  fields("Grant", image.Grant);
  fields("Key", image.Key);
  fields("Stale", image.Stale);
  fields("Foreseen", image.Foreseen);
  fields("Begins", image.Begins);
  fields("DiskCapacity", image.DiskCapacity);
}

void Describe(Fields& fields, WriteStatistics& statistics)
{
  fields("Bytes", statistics.Bytes);
  fields("WriteSeconds", statistics.WriteSeconds);
  fields("BlockedSeconds", statistics.BlockedSeconds);
  fields("HostBytes", statistics.HostBytes);
}

void Describe(Fields& fields, AsideBytes::Moved& moved)
{
  fields("From", moved.From);
  fields("To", moved.To);
  fields("Size", moved.Size);
}

void Describe(Fields& fields, AsideBytes& aside)
{
  auto list = aside.List();
  fields("Moved", list);
  aside = AsideBytes::FromList(std::move(list));
}

void Describe(Fields& fields, SharedBytes& shared)
{
  fields("Slot", shared.Slot);
  fields("Generation", shared.Generation);
  fields("Aside", shared.Aside);
}

void Describe(Fields& fields, SnapshotDescription& snapshot)
{
  fields("Number", snapshot.Number);
  fields("FileName", snapshot.FileName);
  fields("FileSize", snapshot.FileSize);
  fields("Step", snapshot.Step);
  fields("Slot", snapshot.Slot);
  fields("Generation", snapshot.Generation);
  fields("Map", snapshot.Map);
  fields("Shared", snapshot.Shared);
  fields("Statistics", snapshot.Statistics);
  fields("SealedAt", snapshot.SealedAt);
  fields("Parts", snapshot.Parts);
  fields("Stream", snapshot.Stream);
  fields("Run", snapshot.Run);
  fields("Program", snapshot.Program);
  fields("Machine", snapshot.Machine);
  fields("Named", snapshot.Named);
  fields("Family", snapshot.Family);
  fields("Access", snapshot.Access);
}

bool SlotAddress::IsOf(const ServerDescription& server) const
{
  if (this->Session != server.Session || this->Slot >= server.SlotCount ||
    this->Map.Hosts != server.Hosts.size() || this->Map.HostCapacity > server.SlotSize)
  {
    return false;
  }
  try
  {
    // Where there is something on disk, the server has to be asked.
    const AddressMap map(this->Map);
    return !map.ReachesDisk() && this->FileSize <= map.Capacity();
  }
  catch (const Error&)
  {
    return false; // no map at all
  }
}

void Describe(Fields& fields, SlotAddress& place)
{
  fields("Session", place.Session);
  fields("FileSize", place.FileSize);
  fields("Slot", place.Slot);
  fields("Generation", place.Generation);
  fields("Map", place.Map);
}

}
