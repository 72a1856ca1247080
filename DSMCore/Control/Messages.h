// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Control/TransportChoice.h"
#include "Mapping/AddressMap.h"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <string>
#include <vector>

/// What travels over the control channel. Each structure is a CBOR object with the members' names
/// as keys; unknown keys are ignored, so a newer peer may say more.
namespace dsm
{

/// Raised whenever a message changes its meaning. Both sides must agree.
constexpr int ProtocolVersion = 3;

/// Where libfabric finds a host's memory: an endpoint of one of its providers.
struct FabricAddress
{
  std::string Provider;           ///< "tcp", "verbs;ofi_rxm"
  std::vector<std::string> Names; ///< the endpoint's addresses, their bytes in hexadecimal
  std::uint64_t Key = 0;          ///< opens the segment for reading and writing
  std::uint64_t Base = 0;         ///< where the segment begins, as the provider counts

  bool operator==(const FabricAddress&) const = default;
};

/// One host's memory, as peers need to know it.
struct HostDescription
{
  std::string Node;    ///< identifies the machine (and boot) whose processes can map the segment
  std::string Segment; ///< name of the shared-memory object
  std::string Name;    ///< of the machine, for people
  std::string Network; ///< identifies the network namespace: equal ones share the loopback
  std::vector<FabricAddress> Fabric; ///< by preference; empty when it offers none

  bool operator==(const HostDescription&) const = default;
};

/// Everything a peer must know of a server to move bytes.
struct ServerDescription
{
  std::string Session; ///< unique to one Start of one server
  std::vector<HostDescription> Hosts;
  std::uint64_t SlotSize = 0;  ///< bytes of address space per slot on each host
  std::uint64_t SlotCount = 0; ///< slot k begins at offset k * SlotSize of each segment
  TransportChoice Transport;

  bool operator==(const ServerDescription&) const = default;
};

/// Who a peer is, for people.
struct PeerDescription
{
  std::string Role;    ///< "writer", "steering", "host" or "viewer"
  std::string Program; ///< the executable's name
  std::string Node;    ///< host name
  std::string Mpi;     ///< MPI library and version; empty without MPI
  std::uint64_t Ranks = 1;
  std::uint64_t Process = 0;

  bool operator==(const PeerDescription&) const = default;
};

/// An image somebody writes.
struct ImageDescription
{
  std::uint64_t Image = 0; ///< number of the image, for Extend, Seal and Abandon
  std::uint64_t Slot = 0;
  MapParameters Map;
  std::uint64_t Grant = 0; ///< file bytes that may be written without asking again

  bool operator==(const ImageDescription&) const = default;
};

/// How a snapshot was written, measured by the writer: seconds of wall time, the slowest rank's.
struct WriteStatistics
{
  std::uint64_t Bytes = 0;   ///< bytes that all ranks handed to the driver, metadata included
  double WriteSeconds = 0;   ///< inside the driver's transfer callbacks
  double BlockedSeconds = 0; ///< inside the driver altogether: open, transfers, flush, close
  /// Bytes that all ranks put to each host: counted where they are put, so what is written twice
  /// counts twice.
  std::vector<std::uint64_t> HostBytes;

  bool operator==(const WriteStatistics&) const = default;
};

/// A sealed image.
struct SnapshotDescription
{
  std::uint64_t Number = 0;   ///< 1, 2, 3, … in the order of sealing
  std::string FileName;       ///< absolute, as the simulation named it
  std::uint64_t FileSize = 0; ///< EOF, bytes
  double Step = 0;            ///< from the file name's number; else counts the stream's snapshots
  std::uint64_t Slot = 0;
  MapParameters Map;
  WriteStatistics Statistics;
  double SealedAt = 0; ///< seconds since 1970, by the server's clock

  bool operator==(const SnapshotDescription&) const = default;
};

void to_json(nlohmann::json&, const MapParameters&);
void from_json(const nlohmann::json&, MapParameters&);
void to_json(nlohmann::json&, const FabricAddress&);
void from_json(const nlohmann::json&, FabricAddress&);
void to_json(nlohmann::json&, const HostDescription&);
void from_json(const nlohmann::json&, HostDescription&);
void to_json(nlohmann::json&, const ServerDescription&);
void from_json(const nlohmann::json&, ServerDescription&);
void to_json(nlohmann::json&, const PeerDescription&);
void from_json(const nlohmann::json&, PeerDescription&);
void to_json(nlohmann::json&, const ImageDescription&);
void from_json(const nlohmann::json&, ImageDescription&);
void to_json(nlohmann::json&, const WriteStatistics&);
void from_json(const nlohmann::json&, WriteStatistics&);
void to_json(nlohmann::json&, const SnapshotDescription&);
void from_json(const nlohmann::json&, SnapshotDescription&);

}
