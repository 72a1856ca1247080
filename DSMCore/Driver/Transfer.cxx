// SPDX-License-Identifier: BSD-3-Clause
#include "Driver/Transfer.h"

namespace dsm::transfer
{

SelectionCursor::SelectionCursor(hid_t space, std::size_t elementSize)
{
  const hssize_t elements = H5Sget_select_npoints(space);
  if (elements < 0)
  {
    throw Error(Fault::System, "HDF5 cannot count the elements of a selection");
  }
  this->Remaining = static_cast<hsize_t>(elements);
  this->Iterator = H5Ssel_iter_create(space, elementSize, H5S_SEL_ITER_SHARE_WITH_DATASPACE);
  if (this->Iterator < 0)
  {
    throw Error(Fault::System, "HDF5 cannot walk a selection");
  }
}

SelectionCursor::~SelectionCursor()
{
  H5Ssel_iter_close(this->Iterator);
}

// The next batch of runs; false when there is none.
bool SelectionCursor::Fetch()
{
  if (this->Remaining == 0)
  {
    return false;
  }
  std::size_t elements = 0;
  this->Current = 0;
  this->Fetched = 0;
  if (H5Ssel_iter_get_seq_list(this->Iterator, BatchSize, this->Remaining, &this->Fetched,
        &elements, this->Offsets.data(), this->Lengths.data()) < 0 ||
    this->Fetched == 0)
  {
    throw Error(
      Fault::System, "HDF5 cannot walk a selection: {} of its elements are left", this->Remaining);
  }
  this->Remaining -= elements;
  return true;
}

}
