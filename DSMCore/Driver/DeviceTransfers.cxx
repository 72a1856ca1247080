// SPDX-License-Identifier: BSD-3-Clause
#include "Driver/DeviceTransfers.h"

#include "Base/Error.h"
#include "Driver/Callbacks.h"
#include "Driver/DeviceDisk.h"
#include "Driver/ErrorStack.h"
#include "Driver/Hdf5Library.h"
#include "Driver/MemoryFile.h"
#include "Driver/OpenFiles.h"
#include "Driver/SmallFile.h"
#include "Memory/DeviceBuffers.h"

#include <array>
#include <optional>
#include <string>

namespace dsm::devicetransfers
{

namespace
{
// Numbers whose bytes are the same in memory and in the file. Of others HDF5 makes new ones.
bool NeedsConversion(hid_t inMemory, hid_t inFile)
{
  return H5Tequal(inMemory, inFile) <= 0 || H5Tdetect_class(inFile, H5T_VLEN) > 0 ||
    H5Tdetect_class(inFile, H5T_REFERENCE) > 0 || H5Tis_variable_str(inFile) > 0;
}

bool IsOurs(hid_t file)
{
  const Hdf5Handle access(H5Fget_access_plist(file), H5Pclose);
  const H5FD_class_t* const driver = hdf5library::ClassOf(H5Pget_driver(access));
  return driver && driver->open == DriverClass().open;
}

std::string FileNameOf(hid_t file)
{
  std::array<char, 4096> name{};
  return H5Fget_name(file, name.data(), name.size()) > 0 ? name.data() : "";
}

// HDF5 lets a chunk pass its cache only if the file is written by several ranks or the chunk is too
// large for the cache.
bool PassesCache(hid_t creation, const DatasetTransfer& transfer, hid_t file)
{
  unsigned intent = 0;
  const OpenMemoryFile* const mine = openfiles::Find(file);
  const bool parallel = mine ? mine->Parallel : devicedisk::Has(FileNameOf(file).c_str(), true);
  if (parallel && H5Fget_intent(file, &intent) >= 0 && (intent & H5F_ACC_RDWR) != 0)
  {
    return true;
  }
  std::array<hsize_t, H5S_MAX_RANK> sizes{};
  const int rank = H5Pget_chunk(creation, H5S_MAX_RANK, sizes.data());
  const Hdf5Handle type(H5Dget_type(transfer.Object), H5Tclose);
  const Hdf5Handle access(H5Dget_access_plist(transfer.Object), H5Pclose);
  std::size_t room = 0;
  if (rank < 0 || H5Pget_chunk_cache(access, nullptr, &room, nullptr) < 0)
  {
    return false;
  }
  hsize_t bytes = H5Tget_size(type);
  for (int i = 0; i < rank; ++i)
  {
    bytes *= sizes[static_cast<std::size_t>(i)];
  }
  H5D_fill_time_t fills = H5D_FILL_TIME_ERROR;
  return bytes > room &&
    (!transfer.Writes || (H5Pget_fill_time(creation, &fills) >= 0 && fills == H5D_FILL_TIME_NEVER));
}

// Returns how HDF5 itself would use the buffer; empty if it would not.
std::optional<std::string> Obstacle(const DatasetTransfer& transfer, hid_t file)
{
  if (transfer.IsAttribute)
  {
    return "HDF5 keeps attributes in memory of its own";
  }
  const Hdf5Handle creation(H5Dget_create_plist(transfer.Object), H5Pclose);
  const Hdf5Handle inFile(H5Dget_type(transfer.Object), H5Tclose);
  if (NeedsConversion(transfer.MemoryType, inFile))
  {
    return "HDF5 would have to convert the values, whose types in memory and in the file differ";
  }
  if (transfer.TransferList != H5P_DEFAULT &&
    H5Pget_data_transform(transfer.TransferList, nullptr, 0) > 0)
  {
    return "HDF5 would have to transform the values (H5Pset_data_transform)";
  }
  switch (H5Pget_layout(creation))
  {
    case H5D_CONTIGUOUS:
      if (H5Pget_external_count(creation) > 0)
      {
        return "the values are in external files (H5Pset_external)";
      }
      break;
    case H5D_CHUNKED:
      if (H5Pget_nfilters(creation) > 0)
      {
        return "HDF5 would have to pass the values through filters";
      }
      if (!PassesCache(creation, transfer, file))
      {
        return "HDF5 would have to copy the values from or to its cache of chunks";
      }
      break;
    default:
      return "HDF5 would have to copy the values, since the dataset is neither contiguous nor "
             "chunked";
  }
  H5D_space_status_t there = H5D_SPACE_STATUS_ERROR;
  if (!transfer.Writes && H5Dget_space_status(transfer.Object, &there) >= 0 &&
    there != H5D_SPACE_STATUS_ALLOCATED)
  {
    return "HDF5 would have to write fill values for what was never written";
  }
  return std::nullopt;
}

std::string NameOf(hid_t object)
{
  std::array<char, 1024> name{};
  return H5Iget_name(object, name.data(), name.size()) > 0 ? name.data() : "without a name";
}

void Require(const DatasetTransfer& transfer)
{
  DeviceDriver::Look();
  if (!DeviceDriver::IsLoaded() || !transfer.Buffer)
  {
    return;
  }
  const auto [driver, allocation] = DeviceDriver::Owner(transfer.Buffer);
  if (!driver)
  {
    return;
  }
  const Hdf5Handle file(H5Iget_file_id(transfer.Object), H5Fclose);
  const auto obstacle = IsOurs(file) ? Obstacle(transfer, file) : std::nullopt;
  if (obstacle)
  {
    throw Error(Fault::Usage,
      "cannot {} {} {}: the buffer {} is memory of {} device {}, and {}. {}",
      transfer.Writes ? "write" : "read", transfer.IsAttribute ? "an attribute of" : "dataset",
      NameOf(transfer.Object), transfer.Buffer, driver->Vendor(), allocation.Device, *obstacle,
      transfer.Writes ? "Copy the data to the host first" : "Read into memory of the host");
  }
}

// As HDF5's own functions do at their end.
void Report()
{
  H5E_auto2_t print = nullptr;
  void* data = nullptr;
  if (H5Eget_auto2(H5E_DEFAULT, &print, &data) >= 0 && print)
  {
    print(H5E_DEFAULT, data);
  }
}
}

bool MayTransfer(const DatasetTransfer& transfer) noexcept
{
  // HDF5's functions that are called here clear the stack of errors, so the reason comes last.
  const bool may = errorstack::Guard(transfer.Writes ? "write" : "read", false,
    [&]
    {
      Require(transfer);
      return true;
    });
  if (!may)
  {
    Report();
  }
  return may;
}

}
