// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Driver/MemoryFile.h"

namespace dsm
{

/// A file of the driver's with nobody behind it: a test says where its bytes are, and all else that
/// a file does is nothing.
class PlainFile : public MemoryFile
{
public:
  void Complete() override {}
  void Synchronize() override {}
  void Flush() override {}
  void Truncate(std::uint64_t, bool) override {}
  void Close(std::uint64_t, std::uint64_t) override {}
  void MarkFailed(const Error&) override {}
  void AddTime(double, bool) override {}
};

}
