// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Driver/CallRecord.h"
#include "Driver/MemoryFile.h"

#include <hdf5.h>

#include <cstdint>
#include <memory>

namespace dsm
{

/// One of the driver's callbacks, from its begin to its end, for DSM_TRACE. Where that is off it is
/// one branch at the begin, one at the end and one for each piece.
class TracedCall
{
public:
  /// The file must outlive this.
  TracedCall(
    OpenMemoryFile& file, CallRecord::Operation operation, H5FD_mem_t type = H5FD_MEM_DEFAULT)
    : File(file)
  {
    if (file.Trace) [[unlikely]]
    {
      this->Begin(operation, type);
    }
  }
  ~TracedCall()
  {
    if (this->Record) [[unlikely]]
    {
      this->End();
    }
  }
  TracedCall(const TracedCall&) = delete;
  TracedCall& operator=(const TracedCall&) = delete;

  /// The kinds that a vector has: one word where they are all the same. Abbreviated as in
  /// transfer::ForEachOfVector.
  void SetKinds(const H5FD_mem_t* types, std::uint32_t count)
  {
    if (this->Record) [[unlikely]]
    {
      this->Record->Kind = KindOf(types, count);
    }
  }

  /// A truncate's.
  void SetAddress(haddr_t address)
  {
    if (this->Record) [[unlikely]]
    {
      this->Record->Address = address;
    }
  }

  /// From now on the file's calls are traced, where they are to be; its opening, which has begun
  /// then, is the first of them.
  static void Opened(OpenMemoryFile& file, Clock::time_point begin);

private:
  void Begin(CallRecord::Operation operation, H5FD_mem_t type);
  void End() noexcept;
  static const char* KindOf(const H5FD_mem_t* types, std::uint32_t count);

  OpenMemoryFile& File;
  std::unique_ptr<CallRecord> Record;
  int Exceptions = 0; ///< under way when it began
};

}
