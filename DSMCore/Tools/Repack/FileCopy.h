// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Tools/Hdf5Objects.h"
#include "Tools/Repack/DatasetPlan.h"
#include "Tools/Repack/ObjectPaths.h"
#include "Tools/Repack/RepackTask.h"
#include "Tools/Repack/ValueCopy.h"

#include <map>
#include <string>
#include <vector>

namespace dsm::repack
{

/// Makes a file that has what another has: groups, links of all kinds, named types, datasets,
/// attributes and comments, in the order in which they were made where the file keeps that;
/// references are of the new file's objects. HDF5's H5Ocopy cannot do it where some datasets are to
/// be others than they were: it copies a group with all that is in it, or loses the references.
class FileCopy
{
public:
  /// Both files must outlive it; `to` is new, with its root group alone. `task` says what becomes
  /// of large datasets: where it names parts, they are virtual, and their values are there.
  FileCopy(hid_t from, hid_t to, const RepackTask& task, const ValueCopy& values);

  /// Throws Error(System), and as Filter does.
  void Run();

private:
  void MakeNamedTypes();
  void CopyLinks(hid_t from, hid_t to, const std::string& prefix);
  void CopyLink(hid_t from, hid_t to, const std::string& prefix, const std::string& name);
  void CopyHardLink(
    hid_t from, hid_t to, const std::string& prefix, const std::string& name, hid_t linking);
  Hdf5Object MakeDataset(hid_t from, const std::string& path);
  Hdf5Object TypeThere(hid_t type) const;
  void CopyVariable(const std::string& path) const;
  void CopyAttributes(const std::string& path) const;
  void CopyAttribute(hid_t from, hid_t to, const std::string& name) const;

  hid_t From;
  hid_t To;
  const RepackTask& Task;
  const ValueCopy& Values;
  std::vector<Filter> Filters;
  std::map<ObjectKey, Hdf5Object> Types; ///< named ones, as they are in the new file
  ObjectPaths Names;                     ///< of all objects, as the parts have them
  ObjectPaths Linked; ///< of those that are in the new file, which has them by these paths
  std::vector<std::string> Order;    ///< these paths, as they were made
  std::vector<std::string> Variable; ///< of datasets whose values come when all objects are there
};

/// What the new file's own properties should be, and those of its root group: as the other's.
Hdf5Object FileCreationList(hid_t from);

}
