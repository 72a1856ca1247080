// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Encoding/Encoding.h"

#include <hdf5.h>

#include <functional>
#include <utility>

/// HDF5 files that the driver makes itself. To be called within HDF5's own calls or where HDF5 may
/// be called.
namespace dsm
{

/// Throws Error(System) where HDF5 failed; the reason is on its error stack.
void CheckHdf5(herr_t status);

/// An HDF5 identifier, closed at the end.
class Hdf5Handle
{
public:
  using Closer = herr_t (*)(hid_t);

  /// Throws Error(System) where HDF5 gave none.
  Hdf5Handle(hid_t id, Closer closer);
  Hdf5Handle(Hdf5Handle&& other) noexcept
    : Id(std::exchange(other.Id, H5I_INVALID_HID))
    , Close(other.Close)
  {
  }
  Hdf5Handle& operator=(Hdf5Handle&&) = delete;
  ~Hdf5Handle();
  operator hid_t() const { return this->Id; }

private:
  hid_t Id;
  Closer Close;
};

/// A type of texts of so many bytes at most, UTF-8.
Hdf5Handle Hdf5TextType(std::size_t length);

/// The bytes of a file that `fill` fills; `name` is for HDF5's messages.
Bytes SmallFile(const char* name, const std::function<void(hid_t file)>& fill);

}
