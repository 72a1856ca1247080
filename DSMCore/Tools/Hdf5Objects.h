// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <hdf5.h>

#include <string>
#include <utility>

/// What tools need of HDF5 that make files. Not thread safe, as HDF5 is not.
namespace dsm
{

/// Something of HDF5's that is closed at the end; negative: nothing.
class Hdf5Object
{
public:
  using Closer = herr_t (*)(hid_t);

  Hdf5Object(hid_t id, Closer closer)
    : Id(id)
    , Close(closer)
  {
  }
  Hdf5Object(Hdf5Object&& other) noexcept
    : Id(std::exchange(other.Id, H5I_INVALID_HID))
    , Close(other.Close)
  {
  }
  Hdf5Object(const Hdf5Object&) = delete;
  Hdf5Object& operator=(const Hdf5Object&) = delete;
  ~Hdf5Object()
  {
    if (this->Id >= 0)
    {
      this->Close(this->Id);
    }
  }

  /// Before its end; what that says: what was written may get lost on the way to the disk.
  herr_t CloseNow() { return this->Close(std::exchange(this->Id, H5I_INVALID_HID)); }

  operator hid_t() const { return this->Id; } // NOLINT(google-explicit-constructor): HDF5's calls

private:
  hid_t Id;
  Closer Close;
};

/// While it exists HDF5 prints nothing: errors are seen by what calls return.
class Hdf5Silence
{
public:
  Hdf5Silence()
  {
    H5Eget_auto2(H5E_DEFAULT, &this->Function, &this->Data);
    H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
  }
  ~Hdf5Silence() { H5Eset_auto2(H5E_DEFAULT, this->Function, this->Data); }
  Hdf5Silence(const Hdf5Silence&) = delete;
  Hdf5Silence& operator=(const Hdf5Silence&) = delete;

private:
  H5E_auto2_t Function = nullptr;
  void* Data = nullptr;
};

/// What a call of HDF5's has returned, where it is not negative. Else throws Error(System): "cannot
/// WHAT: " and HDF5's own reason.
hid_t CheckedHdf5(hid_t result, const std::string& what);

/// Whether values of a type are bytes that mean the same in any file: no texts and lists of
/// variable length, no references, at any depth.
bool HasFixedSize(hid_t type);

/// A name of a file or a dataset as H5Pset_virtual takes it, to which '%' is special.
std::string VirtualSourceName(const std::string& name);

}
