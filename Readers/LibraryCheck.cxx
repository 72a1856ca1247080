// SPDX-License-Identifier: BSD-3-Clause
#include "LibraryCheck.h"

#include "Base/Error.h"
#include "Collectives.h"

#include <fmt/ranges.h>

#include <vtkABINamespace.h>
#include <vtkHDFReader.h>
#include <vtkOutputWindow.h>

#include <hdf5.h>
#include <mpi.h>

#include <dlfcn.h>
#include <link.h>

#include <filesystem>
#include <regex>
#include <set>

namespace dsm::readers
{

namespace
{
namespace fs = std::filesystem;

// The library that a function's address lies in.
fs::path LibraryOf(const void* address)
{
  Dl_info info;
  std::error_code failed;
  return dladdr(address, &info) && info.dli_fname ? fs::canonical(info.dli_fname, failed)
                                                  : fs::path();
}

// The address of a function that a library calls by this name.
const void* FunctionCalledBy(const fs::path& library, const char* function)
{
  void* handle = dlopen(library.c_str(), RTLD_LAZY | RTLD_NOLOAD);
  if (!handle)
  {
    return nullptr;
  }
  const void* found = dlsym(handle, function);
  dlclose(handle);
  return found;
}

std::string Hdf5Mismatch()
{
  unsigned major = 0, minor = 0, release = 0;
  H5get_libversion(&major, &minor, &release);
  if (major != H5_VERS_MAJOR || minor != H5_VERS_MINOR || release != H5_VERS_RELEASE)
  {
    return fmt::format("it was built with HDF5 {}.{}.{}, and HDF5 {}.{}.{} is loaded ({})",
      H5_VERS_MAJOR, H5_VERS_MINOR, H5_VERS_RELEASE, major, minor, release,
      LibraryOf(reinterpret_cast<const void*>(&H5get_libversion)).string());
  }
  const fs::path ours = LibraryOf(reinterpret_cast<const void*>(&H5Fopen));
  const fs::path reader = LibraryOf(reinterpret_cast<const void*>(&vtkHDFReader::New));
  const fs::path theirs = LibraryOf(FunctionCalledBy(reader, "H5Fopen"));
  if (!theirs.empty() && theirs != ours)
  {
    return fmt::format("ParaView's readers use the HDF5 in {}, and the plugin the one in {}",
      theirs.string(), ours.string());
  }
  return {};
}

// The MPI libraries in this process, without additions such as libmpi_mpifh.
std::set<std::string> MpiLibraries()
{
  std::set<std::string> found;
  dl_iterate_phdr(
    [](dl_phdr_info* info, std::size_t, void* data)
    {
      const fs::path path = info->dlpi_name ? info->dlpi_name : "";
      static const std::regex core(R"(libmpi(ch)?(-[^.]*)?\.so(\..*)?)");
      if (std::regex_match(path.filename().string(), core))
      {
        std::error_code failed;
        static_cast<std::set<std::string>*>(data)->insert(fs::canonical(path, failed).string());
      }
      return 0;
    },
    &found);
  return found;
}

std::string MpiMismatch()
{
  // Not MPI_MAX_LIBRARY_VERSION_STRING: that is of the header, and another library may write more
  // (MPICH up to 8192 characters, Open MPI's header has 256).
  char text[1 << 16] = "";
  int length = 0;
  MPI_Get_library_version(text, &length);
  const std::string version = std::string(text).substr(0, std::string(text).find_first_of(",\n"));
#ifdef OPEN_MPI
  const std::string built = fmt::format("Open MPI {}", OMPI_MAJOR_VERSION);
  const bool fits = version.rfind("Open MPI", 0) == 0;
#else
  // Several libraries have MPICH's binary interface.
  const std::string built = "MPICH";
  const bool fits = std::regex_search(version, std::regex("MPICH|MVAPICH|Intel|CRAY"));
#endif
  if (!fits)
  {
    return fmt::format("it was built with {}, and \"{}\" is loaded ({})", built, version,
      LibraryOf(reinterpret_cast<const void*>(&MPI_Get_library_version)).string());
  }
  const auto libraries = MpiLibraries();
  if (libraries.size() > 1)
  {
    return fmt::format("there are two MPI libraries in this process, {}",
      fmt::join(libraries.begin(), libraries.end(), " and "));
  }
  return {};
}

std::string Find()
{
  std::string mismatch = MpiMismatch();
  if (mismatch.empty())
  {
    mismatch = Hdf5Mismatch();
  }
  return mismatch.empty()
    ? mismatch
    : fmt::format("the ParaView DSM plugin cannot work in this ParaView: {}. Build the plugin with "
                  "the MPI and HDF5 of this ParaView: CMake takes them from it when ParaView_DIR "
                  "names it",
        mismatch);
}

// Reported when the plugin is loaded.
[[maybe_unused]] const bool Reported = []
{
  if (!LibraryMismatch().empty() && Rank() == 0)
  {
    vtkOutputWindowDisplayErrorText((LibraryMismatch() + "\n").c_str());
  }
  return true;
}();
}

const std::string& LibraryMismatch()
{
  static const std::string mismatch = Find();
  return mismatch;
}

void RequireLibraries()
{
  if (!LibraryMismatch().empty())
  {
    throw Error(Fault::Unsupported, "{}", LibraryMismatch());
  }
}

}
