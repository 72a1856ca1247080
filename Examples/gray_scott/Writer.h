// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Domain.h"

#include <string>
#include <vector>

/// Writes a time step into a VTKHDF file of its own, which ParaView opens as image data:
///
///   /VTKHDF             Type, Version, WholeExtent, Origin, Spacing, Direction; step and time
///   /VTKHDF/PointData   u, v: double, z slowest
///   /VTKHDF/FieldData   TimeValue
///
/// All ranks write one file together, each its own box.
class Writer
{
public:
  /// Collective. Makes the folder if need be.
  Writer(const Domain& domain, const std::string& folder);

  /// Collective. Returns the file's name. A field whose pointer is null is left out. Throws when
  /// anything did not get into the file.
  std::string Write(
    int step, double time, const std::vector<double>* u, const std::vector<double>* v) const;

private:
  const Domain& Grid;
  std::string Folder;
};
