// SPDX-License-Identifier: BSD-3-Clause
#include "VtkHdfView.h"

#include "Base/Error.h"
#include "Base/FileName.h"
#include "Describe/Hdf5File.h"
#include "Describe/Hdf5Handle.h"

#include <filesystem>

#include <unistd.h>

namespace dsm::readers
{

VtkHdfView::VtkHdfView(const std::string& file, const std::string& member)
{
  std::error_code none;
  this->Path = (std::filesystem::temp_directory_path(none) / "paraview-dsm-XXXXXX").string();
  const int made = mkstemp(this->Path.data());
  if (made < 0)
  {
    throw Error(Fault::System,
      "{} cannot be read member by member: a file of a few bytes cannot be made in the folder for "
      "temporary files ({}): name another in TMPDIR",
      file, this->Path);
  }
  close(made);
  const hdf5::SilenceErrors silence;
  const hdf5::PropertiesHandle access(H5Pcreate(H5P_FILE_ACCESS));
  H5Pset_fapl_sec2(access);
  const hdf5::FileHandle view(H5Fcreate(this->Path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, access));
  if (view < 0 ||
    H5Lcreate_external(
      AbsoluteName(file).c_str(), member.c_str(), view, "VTKHDF", H5P_DEFAULT, H5P_DEFAULT) < 0)
  {
    const std::string reason = hdf5::LastErrorText();
    unlink(this->Path.c_str());
    throw Error(Fault::System, "{} cannot be written: {}", this->Path, reason);
  }
}

VtkHdfView::~VtkHdfView()
{
  unlink(this->Path.c_str());
}

}
