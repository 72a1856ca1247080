// SPDX-License-Identifier: BSD-3-Clause
#include "Tools/StaticProgram.h"

#include "Base/FileDescriptor.h"

#include <cstdlib>
#include <cstring>
#include <span>
#include <sstream>

#include <elf.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace dsm
{

namespace
{
// A file's bytes, as long as this exists; none where it is no regular file.
class ProgramFile
{
public:
  explicit ProgramFile(const std::string& path)
  {
    const FileDescriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
    struct stat state = {};
    if (file.IsOpen() && fstat(file.Get(), &state) == 0 && S_ISREG(state.st_mode) &&
      state.st_size > 0)
    {
      const auto size = static_cast<std::size_t>(state.st_size);
      void* bytes = mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file.Get(), 0);
      if (bytes != MAP_FAILED)
      {
        this->Content = { static_cast<const char*>(bytes), size };
      }
    }
  }
  ProgramFile(const ProgramFile&) = delete;
  ProgramFile& operator=(const ProgramFile&) = delete;
  ~ProgramFile()
  {
    if (!this->Content.empty())
    {
      munmap(const_cast<char*>(this->Content.data()), this->Content.size());
    }
  }

  bool Has(const char* text) const
  {
    return memmem(this->Content.data(), this->Content.size(), text, std::strlen(text)) != nullptr;
  }

  // Not for what is loaded by the system's loader, nor for a library.
  bool IsStatic() const
  {
    Elf64_Ehdr header;
    if (!this->Read(0, header) || std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 ||
      header.e_ident[EI_CLASS] != ELFCLASS64)
    {
      return false;
    }
    bool isProgram = header.e_type == ET_EXEC;
    for (std::size_t i = 0; i < header.e_phnum; ++i)
    {
      Elf64_Phdr part;
      if (!this->Read(header.e_phoff + i * sizeof part, part) || part.p_type == PT_INTERP)
      {
        return false;
      }
      isProgram = isProgram || (part.p_type == PT_DYNAMIC && this->SaysProgram(part));
    }
    return isProgram;
  }

private:
  template <typename Record>
  bool Read(std::size_t offset, Record& record) const
  {
    if (offset > this->Content.size() || this->Content.size() - offset < sizeof record)
    {
      return false;
    }
    std::memcpy(&record, this->Content.data() + offset, sizeof record);
    return true;
  }

  // One that may lie at any address looks like a library but for this.
  bool SaysProgram(const Elf64_Phdr& dynamic) const
  {
    Elf64_Dyn entry{};
    for (std::size_t at = 0;
      at < dynamic.p_filesz && this->Read(dynamic.p_offset + at, entry) && entry.d_tag != DT_NULL;
      at += sizeof entry)
    {
      if (entry.d_tag == DT_FLAGS_1)
      {
        return (entry.d_un.d_val & DF_1_PIE) != 0;
      }
    }
    return false;
  }

  std::span<const char> Content;
};

// Where a shell would find it.
std::vector<std::string> Places(const std::string& word)
{
  if (word.find('/') != std::string::npos)
  {
    return { word };
  }
  std::vector<std::string> places;
  const char* folders = std::getenv("PATH");
  std::istringstream path(folders ? folders : "");
  for (std::string folder; std::getline(path, folder, ':');)
  {
    places.push_back(folder.append("/").append(word));
  }
  return places;
}

}

std::optional<std::string> FindStaticHdf5(const std::vector<std::string>& command)
{
  for (const std::string& word : command)
  {
    for (const std::string& path : Places(word))
    {
      if (access(path.c_str(), X_OK) != 0)
      {
        continue;
      }
      const ProgramFile program(path);
      if (program.IsStatic() && program.Has("HDF5 library version: "))
      {
        return word;
      }
      break;
    }
  }
  return std::nullopt;
}

}
