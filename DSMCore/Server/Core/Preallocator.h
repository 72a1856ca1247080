// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Server/Core/Evictor.h"
#include "Server/Core/GrantSizes.h"
#include "Server/Core/ImageRequests.h"
#include "Server/Core/ImageState.h"
#include "Server/Core/MapChoice.h"
#include "Server/Core/SlotWork.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace dsm
{

/// Makes memory ready before writers ask for it.
class Preallocator
{
public:
  Preallocator(ImageState& state, Evictor& evictor, MapChoice& maps, const GrantSizes& sizes);

  /// Notes whether writers clear what a slot held before: those of the next image likely do the
  /// same.
  void NoteBegin(const BeginRequest& request);

  /// Makes a slot ready for the next file of a stream. Evicts snapshots for that, but never the
  /// newest. Returns nothing if the last file is likely to be written further instead.
  std::optional<SlotWork> PrepareNext(const std::string& fileName);

  /// The pages that hosts are to make in the background for the next files of a stream, or of any
  /// if nothing is known of it: one piece. Returns none if enough is ready, or half of that
  /// (`untilHalf`), or there is no room that nobody has.
  std::vector<CleaningPlan::Range> Warm(const std::string& fileName, bool untilHalf);

  /// Returns true if a slot has the pages of a stream's next file already. Returns false if nothing
  /// is known of that.
  bool IsNextReady(const std::string& fileName);

  /// Whether such pages are a small file's. Several slots are made ready at once then.
  static bool AreSmall(const std::vector<CleaningPlan::Range>& pages);

  /// Notes that the pages exist.
  void NoteWarm(const std::vector<CleaningPlan::Range>& pages);

  /// Releases the pages of a slot, because the hosts could not make them.
  std::vector<SlotWork> Cool(SlotIndex slot);

private:
  ImageState& State;
  Evictor& Evictions;
  MapChoice& Maps;
  const GrantSizes& Sizes;
  bool WritersClear = false;
};

}
