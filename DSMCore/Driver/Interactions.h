// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Driver/MemoryFile.h"
#include "Steering/SteeringMessages.h"

#include <string>

namespace dsm
{

/// What a program can be steered with, as a small HDF5 file: its bytes, made from the server's
/// answer to ReadInteractions. For codes that do not link us. The file has the group
/// "/Interactions" with a dataset per parameter, of the type it has in C, and one per command,
/// which counts how often it came. To be called within HDF5's own calls or where HDF5 may be
/// called.
Bytes InteractionsImage(const ProgramInteractions& interactions);

/// Such a file, open for reading: as it was when it was opened.
class InteractionsFile : public ReadOnlyFile
{
public:
  InteractionsFile(std::string name, Bytes image);

  std::uint64_t InitialEnd() const override { return this->Image.size(); }
  void Read(FileOffset address, void* destination, std::uint64_t size) override;
  void Write(FileOffset address, const void* source, std::uint64_t size) override;

private:
  std::string Name;
  Bytes Image;
};

}
