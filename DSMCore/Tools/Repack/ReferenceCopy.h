// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Tools/Repack/ObjectPaths.h"

#include <hdf5.h>

#include <cstddef>

namespace dsm::repack
{

/// References of a file as those of another that has the same objects by the same names: what a
/// reference says is where an object lies in its own file.
class ReferenceCopy
{
public:
  /// `paths` must outlive it.
  ReferenceCopy(hid_t from, hid_t to, const ObjectPaths& paths)
    : From(from)
    , To(to)
    , Paths(paths)
  {
  }

  /// Whether values of a type have references, at any depth.
  static bool AreIn(hid_t type);

  /// Changes the references in values, as H5Dread and H5Aread have put them into memory. One of
  /// something that the other file does not have becomes one of nothing. Throws Error(System).
  void Change(hid_t type, std::byte* values, std::size_t count) const;

private:
  void ChangeOne(hid_t type, std::byte* value) const;
  void ChangeReference(hid_t type, std::byte* value) const;
  void ChangeNew(H5R_ref_t& reference) const;
  const std::string* PathOf(hid_t object) const;

  hid_t From;
  hid_t To;
  const ObjectPaths& Paths;
};

}
