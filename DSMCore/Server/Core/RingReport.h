// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Server/Core/Evictor.h"
#include "Server/Core/ImageState.h"

#include <string>

namespace dsm
{

/// Explains a full ring to users.
class RingReport
{
public:
  RingReport(const ImageState& state, Evictor& evictor);

  /// What fills the ring.
  std::string FullText() const;

  /// What to do about it.
  std::string Advice() const;

private:
  std::string LargestImagesText() const;

  const ImageState& State;
  Evictor& Evictions;
};

}
