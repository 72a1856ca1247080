// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Encoding/Fields.h"

#include <cstdint>

namespace dsm
{

/// Which bytes of a file a transfer is about, in short: two that are equal in all are about the
/// same bytes in the same order, however these are divided into pieces.
class AskedBytes
{
public:
  /// Adds a piece behind the others.
  void Add(FileOffset address, std::uint64_t size);

  /// Behind the last piece: what follows counts then.
  void Finish();

  FileOffset First = 0;                                ///< the address of the first byte
  std::uint64_t Bytes = 0;                             ///< in all
  std::uint64_t Runs = 0;                              ///< that are consecutive in the file
  std::uint64_t Digest = UINT64_C(0xcbf29ce484222325); ///< of the runs, by FNV-1a

private:
  void Mix(std::uint64_t number);

  std::uint64_t Begin = 0; ///< of the run that is not finished
  std::uint64_t End = 0;
};

/// Without the digest: for messages.
void Describe(Fields&, AskedBytes&);

}
