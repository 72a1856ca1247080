// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Check.h"

#include <hdf5.h>

#include <string>
#include <utility>

/// An HDF5 identifier and the call that closes it. Close() reports a failure; the destructor, which
/// acts when something failed before, cannot.
class Handle
{
public:
  using Closer = herr_t (*)(hid_t);

  Handle(hid_t id, Closer closer, const std::string& what)
    : Id(CheckHdf5(id, what))
    , CloseId(closer)
  {
  }
  ~Handle()
  {
    if (this->Id >= 0)
    {
      this->CloseId(this->Id);
    }
  }
  Handle(Handle&& other) noexcept
    : Id(std::exchange(other.Id, H5I_INVALID_HID))
    , CloseId(other.CloseId)
  {
  }
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;

  operator hid_t() const { return this->Id; }

  void Close(const std::string& what)
  {
    CheckHdf5(this->CloseId(std::exchange(this->Id, H5I_INVALID_HID)), what);
  }

private:
  hid_t Id;
  Closer CloseId;
};
