// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Steering/SentArray.h"

#include <cstddef>
#include <memory>
#include <string>

namespace dsm
{

/// The elements of a SentArray, on rank 0, before a transaction brings them to all ranks.
struct FetchedArray
{
  std::string Text;                         ///< of the SentArray
  std::shared_ptr<const std::byte[]> Bytes; ///< null: they cannot be read
  std::string Why;                          ///< the reason for that
};

/// Reads an array out of the hosts' memory, by the library for viewers, which reaches that memory.
/// Keeps in Why what goes wrong, and does not throw.
FetchedArray FetchFromServer(const std::string& contactPath, const std::string& text);

/// Reads an array out of a file that a server has saved beside its steering log (ArrayFile). Throws
/// Error(Usage) if there is none, or the file is too short.
FetchedArray FetchFromLog(const std::string& logPath, const std::string& text);

}
