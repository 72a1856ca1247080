// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Base/Clock.h"
#include "Base/Pieces.h"
#include "Base/RunningDeadline.h"
#include "Transport/Fabric/FabricEndpoint.h"

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace dsm::fabric
{

struct Operation;

/// Where one host is, and what is known of it.
struct Target
{
  std::string Who;                ///< for people: "host 1 of 4 (node7)"
  std::vector<std::string> Names; ///< its addresses, in the order to try
  std::uint64_t Key = 0;
  std::uint64_t Base = 0;

  fi_addr_t Address = FI_ADDR_UNSPEC; ///< of the first of Names
  bool Answered = false;
  bool Examined = false; ///< why it does not answer has been looked into
  std::size_t UnderWay = 0;
  Operation* Gathering = nullptr; ///< small puts that follow each other, not under way yet
};

/// Bytes that follow one another in a host's segment.
struct Part
{
  std::uint64_t Offset = 0;
  std::size_t Size = 0;
  std::byte* Destination = nullptr; ///< of a read: where the bytes go from the operation's buffer
};

/// What the provider does at once: a piece of a transfer, or several small ones, which then lie one
/// behind the other here. Providers may use the memory that a context points to.
struct Operation
{
  /// More than any provider takes so far.
  static constexpr std::size_t MostParts = 8;

  fi_context2 Context = {}; ///< first: its address is what completions bring back
  Target* To = nullptr;
  std::byte* Bounce = nullptr;       ///< its registered buffer, where there are such
  std::vector<std::byte> Gathered;   ///< its own buffer for small pieces, where there are none
  const std::byte* Source = nullptr; ///< a write's bytes
  std::array<Part, MostParts> Parts;
  std::size_t Count = 0; ///< of parts
  std::size_t Size = 0;  ///< of all parts

  /// The buffer for small pieces, of that size.
  std::byte* Buffer(std::size_t size);
  void Add(const Part& part);
};

/// The initiating side of transfers to the hosts: an endpoint, the operations under way on it, and
/// the waiting for them. When it is destroyed, what is under way is cancelled.
class Initiator
{
public:
  /// With `bounce` the operations go through registered buffers even where the provider does not
  /// ask for it.
  Initiator(const std::string& provider, std::vector<Target> targets, bool bounce);
  ~Initiator();
  Initiator(const Initiator&) = delete;
  Initiator& operator=(const Initiator&) = delete;

  /// Starts a transfer; waits while the queue is full. Throws Error(PeerLost) that names the host.
  /// Small writes to consecutive places are gathered and travel together: with small blocks, that
  /// is what a large write becomes.
  void Write(
    std::uint64_t target, std::uint64_t offset, const std::byte* source, std::uint64_t size);
  void Read(std::uint64_t target, std::uint64_t offset, std::byte* destination, std::uint64_t size);

  /// The same of pieces, at their offsets, of which the small ones travel together also where they
  /// do not follow one another: as many as the provider takes at once.
  void WritePieces(std::uint64_t target, std::span<const PutPiece> pieces);
  void ReadPieces(std::uint64_t target, std::span<const GetPiece> pieces);

  /// Waits until nothing is under way. Throws as the others.
  void Drain();

  std::string Provider() const { return this->Local.Provider(); }

private:
  /// The time in which nothing is completed.
  struct Lull
  {
    explicit Lull(Seconds limit);

    Clock::time_point Begun = Clock::now();
    RunningDeadline End;
  };

  void Resolve(Target& target);
  Operation& Take(Target& target);
  bool Gather(Target& to, std::uint64_t offset, const std::byte* source, std::size_t size,
    std::size_t mostParts);
  void StartGathered(Target& target);
  void StartAllGathered();
  void StartWrite(Operation& operation);
  void StartRead(Operation& operation, std::byte* destination);
  std::size_t Room() const;
  template <typename Post>
  void Start(Operation& operation, const Post& post);
  bool Progress();
  void Pause(Lull& lull, Target* target);
  void Examine(Target& target);
  Target* Busy();
  std::string Describe(const Target& target) const;
  [[noreturn]] void ThrowFailed(const Target* target, const std::string& how) const;

  Endpoint Local;
  std::vector<Target> Targets;
  std::vector<Operation> Operations;
  std::vector<Operation*> Unused;
  std::vector<std::byte> BounceMemory;
  Handle<fid_mr> BounceRegion;
  std::size_t Piece = 0;
  std::size_t PartsAtOnce = 1; ///< that the provider takes
  Seconds Timeout;
};

}
