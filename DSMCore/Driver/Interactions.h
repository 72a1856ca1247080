// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Driver/MemoryFile.h"

#include <nlohmann/json.hpp>

#include <string>

namespace dsm
{

/// What a program can be steered with, as a small HDF5 file: its bytes, made from the server's
/// answer to "interactions". For codes that do not link us. The file has the group "/Interactions"
/// with a dataset per parameter, of the type it has in C, and one per command, which counts how
/// often it came. To be called within HDF5's own calls or where HDF5 may be called.
std::string InteractionsImage(const nlohmann::json& answer);

/// Such a file, open for reading: as it was when it was opened.
class InteractionsFile : public ReadOnlyFile
{
public:
  InteractionsFile(std::string name, std::string bytes);

  std::uint64_t InitialEnd() const override { return this->Bytes.size(); }
  void Read(std::uint64_t address, void* destination, std::uint64_t size) override;
  void Write(std::uint64_t address, const void* source, std::uint64_t size) override;

private:
  std::string Name;
  std::string Bytes;
};

}
