// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Base/Error.h"
#include "Base/Pieces.h"
#include "Base/StrongType.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace dsm
{

/// Moves bytes between this process and the hosts' segments, one-sided: no host does anything for
/// it. Offsets count from the beginning of a host's segment. Puts and gets of one rank may complete
/// in any order until Flush.
///
/// Not thread safe: one rank's HDF5 calls are serial.
class Transport
{
public:
  virtual ~Transport() = default;

  /// "shared-memory": as the user names it.
  virtual std::string Name() const = 0;

  /// What carries a transfer of that size to that host, where several do.
  virtual std::string NameFor(HostIndex /*host*/, std::uint64_t /*size*/) const
  {
    return this->Name();
  }

  /// Starts to copy `size` bytes to a host. `source` must stay as it is until Flush.
  virtual void Put(
    HostIndex host, std::uint64_t offset, const void* source, std::uint64_t size) = 0;

  /// Starts to copy `size` bytes from a host; they are there after Flush.
  virtual void Get(HostIndex host, std::uint64_t offset, void* destination, std::uint64_t size) = 0;

  /// \name Pieces of one host's segment, at their offsets there
  /// As if each were put or got, but in as few operations as the transport needs for pieces that do
  /// not follow one another. The array may go when the call returns; what its pieces point to must
  /// stay until Flush.
  ///@{
  virtual void PutPieces(HostIndex host, std::span<const PutPiece> pieces)
  {
    for (const PutPiece& piece : pieces)
    {
      this->Put(host, piece.Place, piece.Memory, piece.Size);
    }
  }
  virtual void GetPieces(HostIndex host, std::span<const GetPiece> pieces)
  {
    for (const GetPiece& piece : pieces)
    {
      this->Get(host, piece.Place, piece.Memory, piece.Size);
    }
  }
  ///@}

  /// Returns when all puts are complete at the hosts (any other process that looks sees them) and
  /// all gets have arrived.
  virtual void Flush() = 0;

  /// A pointer to a host's memory when it can be read in place, else null.
  virtual const std::byte* Direct(HostIndex host, std::uint64_t offset) const = 0;

  /// The same for those who map the memory to write, as who writes an image does: the tables that
  /// processes share (SegmentLayout).
  std::byte* Shared(HostIndex host, std::uint64_t offset) const
  {
    return const_cast<std::byte*>(this->Direct(host, offset));
  }

  /// Maps whole pages of a host's memory at `place`, as private memory of this process: see
  /// Segment::MapPrivate. Returns false, and maps nothing, if this process does not map the host's
  /// memory. Throws Error(System) if the system refuses.
  virtual bool MapPrivate(HostIndex /*host*/, std::uint64_t /*offset*/, std::byte* /*place*/,
    std::uint64_t /*size*/) const
  {
    return false;
  }

  /// Returns true if buffers may lie in a GPU's memory (DeviceBuffers), to and from any host.
  virtual bool TakesDeviceMemory() const { return false; }

  /// Makes the memory exist that Direct points to, where no host does it any more. Throws
  /// Error(System) when there is none left.
  virtual void Reserve(HostIndex /*host*/, std::uint64_t /*offset*/, std::uint64_t /*size*/)
  {
    throw Error(Fault::Unsupported, "{} reaches no memory without its host", this->Name());
  }
};

}
