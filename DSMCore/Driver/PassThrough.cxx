// SPDX-License-Identifier: BSD-3-Clause
#include "Driver/PassThrough.h"

#include "Driver/Hdf5Library.h"

namespace dsm::passthrough
{

namespace
{
// From Open to the query behind it, within one H5FD_open.
struct HandOver
{
  const H5FD_t* File = nullptr;
  const H5FD_class_t* Class = nullptr;
};
thread_local HandOver Pending;

const H5FD_class_t& RealClass(bool parallel)
{
  return parallel ? hdf5library::Mpio() : hdf5library::Sec2();
}
}

H5FD_t* Open(bool parallel, const char* name, unsigned flags, hid_t fapl, haddr_t maxaddr)
{
  const H5FD_class_t& real = RealClass(parallel);
  H5FD_t* file = real.open(name, flags, fapl, maxaddr);
  Pending = { file, &real };
  return file;
}

bool TakeOver(const H5FD_t* file, unsigned long* flags, herr_t& result)
{
  if (!file || file != Pending.File)
  {
    return false;
  }
  // The structure was made by the real driver, and is not const there.
  const_cast<H5FD_t*>(file)->cls = Pending.Class;
  Pending = {};
  *flags = 0;
  result = file->cls->query ? file->cls->query(file, flags) : 0;
  *flags &= ~static_cast<unsigned long>(H5FD_FEAT_SUPPORTS_SWMR_IO);
  return true;
}

herr_t Delete(bool parallel, const char* name, hid_t fapl)
{
  const H5FD_class_t& real = RealClass(parallel);
  return real.del ? real.del(name, fapl) : -1;
}

}
