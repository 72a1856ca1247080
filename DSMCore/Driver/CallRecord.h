// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Base/Clock.h"
#include "Transport/Way.h"

#include <cstdint>
#include <string>
#include <vector>

namespace dsm
{

/// What there is to say of one call of HDF5's to the driver.
struct CallRecord
{
  enum class Operation
  {
    Open,
    Read,
    Write,
    Flush,
    Truncate,
    Seal, ///< the close of a file that was written
    Close
  };

  /// What went to one host, or came from there.
  struct Share
  {
    HostIndex Host = 0;
    std::uint64_t Bytes = 0;
  };

  /// Adds bytes that went this way.
  void Add(const Way& way, std::uint64_t bytes);

  std::uint64_t File = 0; ///< of this process, by when it was opened
  Operation Call = Operation::Open;
  const char* Kind = "";                 ///< of what HDF5 reads or writes: "raw", "object header"
  bool Collective = false;               ///< as HDF5 wants it
  const char* Mode = "independent";      ///< how the bytes were moved
  std::uint64_t Address = 0;             ///< of the first piece; a truncate's new end
  std::uint64_t Size = 0;                ///< bytes in all
  std::uint64_t Pieces = 0;              ///< consecutive in the file and in memory
  std::vector<Share> Hosts{};            ///< in the order in which they were first met
  std::vector<std::string> Transports{}; ///< likewise
  std::string Name{};                    ///< of the file, where it is opened
  bool Failed = false;                   ///< HDF5 was told of an error
  Clock::time_point Begin{};
  Seconds Duration{ 0 };
};

/// "write"
const char* OperationText(CallRecord::Operation operation);

}
