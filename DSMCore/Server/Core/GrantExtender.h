// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Server/Core/Evictor.h"
#include "Server/Core/ImageState.h"
#include "Server/Core/SlotWork.h"

#include <cstdint>
#include <optional>

namespace dsm
{

/// Extends the grants of images whose files grow.
///
/// An image that asks for more gets a growth target, and the first piece of it. Its writer waits
/// for that piece only; the others come while it writes:
///
///     asked for        |------------------|
///     grant            |------------------+=====|                  one piece more
///     growth target    |------------------+=====+=====+=====|      twice what it had
class GrantExtender
{
public:
  GrantExtender(ImageState& state, Evictor& evictor);

  struct Extended
  {
    std::uint64_t Grant = 0; ///< file bytes that may be written now
    SlotWork BeforeWriting;
  };

  /// Extends an image's grant to at least `bytes` bytes. Returns nothing if the writer must wait.
  /// If there is no room even without the snapshots that may leave, and the image may outgrow the
  /// memory, the rest of it is on disk from then on: its address map says so. Throws
  /// Error(RingFull) if waiting cannot help, and Error(PeerLost) if there is no such image.
  std::optional<Extended> Extend(ImageId image, std::uint64_t bytes);

  /// Grants the next piece up to the growth target. Returns nothing if the image has reached it, or
  /// there is no room.
  std::optional<Extended> ExtendFurther(ImageId image);

  /// Grants the first piece of what an image has not asked for, because its writer has used most of
  /// its grant: half as much again, if there is room that nobody has. Returns nothing if the image
  /// is being extended.
  std::optional<Extended> ExtendAhead(ImageId image, std::uint64_t reached);

  /// Notes that the hosts have reserved a grant. Returns false if the grant was withdrawn
  /// meanwhile, or the image has ended: then its writer must ask again.
  bool Confirm(ImageId image, std::uint64_t grant);

  /// Takes back what was granted since the last confirmed grant, because the hosts could not
  /// reserve it.
  void Withdraw(ImageId image);

private:
  bool IsOnDisk(OpenImage& image, std::uint64_t bytes);
  std::uint64_t PieceOf(const OpenImage& image) const;
  std::optional<Extended> Grant(OpenImage& image, std::uint64_t grant, std::uint64_t target);
  std::optional<Extended> ExtendOnDisk(OpenImage& image, std::uint64_t bytes);
  std::optional<Extended> ExtendInMemory(OpenImage& image, std::uint64_t bytes);
  [[noreturn]] void ThrowTooLarge(const OpenImage& image, std::uint64_t bytes) const;

  ImageState& State;
  Evictor& Evictions;
};

}
