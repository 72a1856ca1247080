// SPDX-License-Identifier: BSD-3-Clause
#include "Driver/TracedCall.h"

#include "Base/Log.h"
#include "Driver/CallTrace.h"
#include "Driver/Hdf5Library.h"

#include <exception>

namespace dsm
{

namespace
{
const char* KindText(H5FD_mem_t type)
{
  switch (type)
  {
    case H5FD_MEM_SUPER:
      return "superblock";
    case H5FD_MEM_BTREE:
      return "b-tree";
    case H5FD_MEM_DRAW:
      return "raw";
    case H5FD_MEM_GHEAP:
      return "global heap";
    case H5FD_MEM_LHEAP:
      return "local heap";
    case H5FD_MEM_OHDR:
      return "object header";
    default:
      return "";
  }
}
}

void TracedCall::Opened(OpenMemoryFile& file, Clock::time_point begin)
{
  file.Trace = CallTrace::OfThisProcess();
  if (!file.Trace)
  {
    return;
  }
  file.NumberInTrace = file.Trace->NumberOfNextFile();
  TracedCall call(file, CallRecord::Operation::Open);
  call.Record->Begin = begin;
  call.Record->Name = file.Name;
}

void TracedCall::Begin(CallRecord::Operation operation, H5FD_mem_t type)
{
  this->Exceptions = std::uncaught_exceptions();
  this->Record = std::make_unique<CallRecord>();
  this->Record->File = this->File.NumberInTrace;
  this->Record->Call = operation;
  this->Record->Kind = KindText(type);
  this->Record->Collective = this->File.Parallel && hdf5library::TransferIsCollective();
  this->Record->Begin = Clock::now();
  this->File.Traced = this->Record.get();
}

void TracedCall::End() noexcept
{
  this->File.Traced = nullptr;
  this->Record->Duration = Clock::now() - this->Record->Begin;
  this->Record->Failed = std::uncaught_exceptions() > this->Exceptions;
  try
  {
    this->File.Trace->Add(*this->Record);
  }
  catch (const std::exception& error)
  {
    Log().warn("a call is missing in the trace: {}", error.what());
  }
}

const char* TracedCall::KindOf(const H5FD_mem_t* types, std::uint32_t count)
{
  for (std::uint32_t i = 1; i < count && types[i] != H5FD_MEM_NOLIST; ++i)
  {
    if (types[i] != types[0])
    {
      return "several";
    }
  }
  return count > 0 ? KindText(types[0]) : "";
}

}
