// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <hdf5.h>

#include <utility>

namespace dsm::hdf5
{

/// An identifier of HDF5, or an invalid one, closed at the end.
template <herr_t (*Close)(hid_t)>
class Handle
{
public:
  Handle() = default;
  explicit Handle(hid_t id)
    : Id(id)
  {
  }
  Handle(Handle&& other) noexcept
    : Id(std::exchange(other.Id, H5I_INVALID_HID))
  {
  }
  Handle& operator=(Handle&& other) noexcept
  {
    std::swap(this->Id, other.Id);
    return *this;
  }
  ~Handle()
  {
    if (this->Id >= 0)
    {
      Close(this->Id);
    }
  }
  operator hid_t() const { return this->Id; }

private:
  hid_t Id = H5I_INVALID_HID;
};

using FileHandle = Handle<H5Fclose>;
using DatasetHandle = Handle<H5Dclose>;
using SpaceHandle = Handle<H5Sclose>;
using TypeHandle = Handle<H5Tclose>;
using AttributeHandle = Handle<H5Aclose>;
using PropertiesHandle = Handle<H5Pclose>;
using GroupHandle = Handle<H5Gclose>;

}
