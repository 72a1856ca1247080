// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

namespace dsm::readers
{

/// A file of a few bytes whose VTKHDF group is a member of a collection in another file, by an
/// external link: so vtkHDFReader, which reads collections whole, reads one member alone, and of
/// that the parts that are asked for. In the folder for temporary files, for as long as this
/// exists.
class VtkHdfView
{
public:
  /// `file`: any name that HDF5's default driver can open. Throws dsm::Error.
  VtkHdfView(const std::string& file, const std::string& member);
  ~VtkHdfView();
  VtkHdfView(const VtkHdfView&) = delete;
  VtkHdfView& operator=(const VtkHdfView&) = delete;

  const std::string& Name() const { return this->Path; }

private:
  std::string Path;
};

}
