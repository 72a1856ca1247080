// SPDX-License-Identifier: BSD-3-Clause
#include "Tools/Repack/RepackTask.h"

#include "Base/Error.h"
#include "Driver/H5FDdsm.h"
#include "Peer/Peek.h"
#include "Tools/Repack/FileCopy.h"

namespace dsm::repack
{

namespace
{
Hdf5Object OpenSource(const std::string& name, bool isOnDisk)
{
  const Hdf5Object access(CheckedHdf5(H5Pcreate(H5P_FILE_ACCESS), "open " + name), H5Pclose);
  if (!isOnDisk)
  {
    CheckedHdf5(H5Pset_driver(access, H5FD_dsm_init(), nullptr), "open " + name);
  }
  const Peek peek; // what is archived has not been looked at
  return { CheckedHdf5(H5Fopen(name.c_str(), H5F_ACC_RDONLY, access), "open " + name), H5Fclose };
}

// An HDF5 that could read the source reads the new file.
void SetFormat(hid_t access, hid_t source)
{
  H5F_info2_t info = {};
  CheckedHdf5(H5Fget_info2(source, &info), "look at a file");
  const H5F_libver_t oldest = info.super.version >= 3 ? H5F_LIBVER_V110
    : info.super.version == 2                         ? H5F_LIBVER_V18
                                                      : H5F_LIBVER_EARLIEST;
  CheckedHdf5(H5Pset_libver_bounds(access, oldest, H5F_LIBVER_LATEST), "choose a format");
}

// The stdio driver alone opens a file that has no name (/proc/…/fd/…): that of HDF5's default
// wants to know what it is called.
Hdf5Object Create(const std::string& path, hid_t source, hid_t creation)
{
  const Hdf5Object access(CheckedHdf5(H5Pcreate(H5P_FILE_ACCESS), "make a file"), H5Pclose);
  CheckedHdf5(H5Pset_fapl_stdio(access), "make a file");
  SetFormat(access, source);
  return { CheckedHdf5(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, creation, access), "make a file"),
    H5Fclose };
}

// The rows of all large datasets that are this part's.
void WritePart(hid_t from, hid_t to, const RepackTask& task, const ValueCopy& values)
{
  const std::vector<Filter> filters = Filter::FromTexts(task.Options.Filters);
  const Hdf5Object links(CheckedHdf5(H5Pcreate(H5P_LINK_CREATE), "make groups"), H5Pclose);
  CheckedHdf5(H5Pset_create_intermediate_group(links, 1), "make groups");
  for (const NamedObject& object : ObjectsIn(from))
  {
    if (object.Info.Type != H5O_TYPE_DATASET)
    {
      continue;
    }
    const char* path = object.Path.c_str();
    const Hdf5Object source(
      CheckedHdf5(H5Dopen2(from, path, H5P_DEFAULT), "read " + object.Path), H5Dclose);
    const DatasetPlan plan(source, filters, task.Options.Minimum);
    if (!plan.IsLarge())
    {
      continue;
    }
    const Box box = BoxOfPart(plan.Extent(), plan.Unit(), task.Part - 1, task.Parts.size());
    if (box.IsEmpty())
    {
      continue;
    }
    const Hdf5Object type(H5Dget_type(source), H5Tclose);
    const Hdf5Object own(CheckedHdf5(H5Tcopy(type), "copy a type"), H5Tclose);
    const Hdf5Object space = plan.Space(box);
    const Hdf5Object list = plan.CreationList();
    const Hdf5Object made(CheckedHdf5(H5Dcreate2(to, path, own, space, links, list, H5P_DEFAULT),
                            "make " + object.Path),
      H5Dclose);
    if (plan.HasValues())
    {
      values.Copy(source, made, plan, box);
    }
  }
}
}

void Describe(Fields& fields, RepackOptions& options)
{
  fields("Filters", options.Filters);
  fields("Minimum", options.Minimum);
}

void Describe(Fields& fields, RepackTask& task)
{
  fields("Source", task.Source);
  fields("Output", task.Output);
  fields("Name", task.Name);
  fields("Options", task.Options);
  fields("Parts", task.Parts);
  fields("Part", task.Part);
  fields("Gathers", task.Gathers);
  fields("Parent", task.Parent);
}

void Describe(Fields& fields, RepackReport& report)
{
  fields("Bytes", report.Bytes);
  fields("Failure", report.Failure);
  fields("Done", report.Done);
}

void Carry(const RepackTask& task, const std::function<void(std::uint64_t)>& moved)
{
  const Hdf5Silence quiet;
  const ValueCopy values(moved);
  const Hdf5Object from = OpenSource(task.Source, task.Gathers);
  const Hdf5Object list = task.Part == 0
    ? FileCreationList(from)
    : Hdf5Object(CheckedHdf5(H5Pcreate(H5P_FILE_CREATE), "make a file"), H5Pclose);
  Hdf5Object to = Create(task.Output, from, list);
  if (task.Part == 0)
  {
    FileCopy(from, to, task, values).Run();
  }
  else
  {
    WritePart(from, to, task, values);
  }
  CheckedHdf5(H5Fflush(to, H5F_SCOPE_GLOBAL), "write what describes the file");
  CheckedHdf5(to.CloseNow(), "close the file");
}

}
