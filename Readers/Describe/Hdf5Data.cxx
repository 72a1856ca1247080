// SPDX-License-Identifier: BSD-3-Clause
#include "Describe/Hdf5Data.h"

#include "Base/Error.h"
#include "Describe/Hdf5Contents.h"
#include "Describe/Hdf5File.h"
#include "Describe/SourceFolder.h"

namespace dsm::describe
{

Hdf5Data::Hdf5Data(hid_t file, std::string name)
  : File(file)
  , Name(std::move(name))
{
}

hid_t Hdf5Data::Opened(const std::string& file) const
{
  if (file.empty())
  {
    return this->File;
  }
  auto known = this->Others.find(file);
  if (known == this->Others.end())
  {
    known = this->Others.emplace(file, hdf5::OpenFile(file)).first;
  }
  return known->second;
}

hdf5::DatasetHandle Hdf5Data::Dataset(const std::string& file, const std::string& path) const
{
  const hid_t opened = this->Opened(file);
  const hdf5::SilenceErrors silence;
  hdf5::DatasetHandle dataset = hdf5::OpenDataset(opened, path);
  if (dataset < 0)
  {
    throw Error(
      Fault::Usage, "there is no dataset {} in {}", path, file.empty() ? this->Name : file);
  }
  return dataset;
}

bool Hdf5Data::Has(const std::string& file, const std::string& path) const
{
  const hid_t opened = this->Opened(file);
  const hdf5::SilenceErrors silence;
  return hdf5::OpenDataset(opened, path) >= 0;
}

std::vector<std::uint64_t> Hdf5Data::Shape(const std::string& file, const std::string& path) const
{
  const auto known = this->Shapes.find({ file, path });
  if (known != this->Shapes.end())
  {
    return known->second;
  }
  const auto object = hdf5::ObjectAt(this->Opened(file), path);
  const std::string& named = file.empty() ? this->Name : file;
  if (!object || !object->Dataset)
  {
    throw Error(Fault::Usage, "there is no dataset {} in {}", path, named);
  }
  if (!object->Unreadable.empty())
  {
    throw Error(Fault::Unsupported, "the dataset {} in {} cannot be read: {}", path, named,
      object->Unreadable);
  }
  if (!object->Numbers || object->Null)
  {
    throw Error(Fault::Usage, "the dataset {} in {} holds no numbers", path, named);
  }
  return this->Shapes
    .emplace(
      std::pair(file, path), std::vector<std::uint64_t>(object->Shape.begin(), object->Shape.end()))
    .first->second;
}

const std::vector<double>& Hdf5Data::Numbers(
  const std::string& file, const std::string& path, std::uint64_t most) const
{
  const auto known = this->Read.find({ file, path });
  if (known != this->Read.end())
  {
    return known->second;
  }
  std::uint64_t count = 1;
  for (const std::uint64_t size : this->Shape(file, path))
  {
    if (size > 0 && count > most / size)
    {
      throw Error(Fault::Unsupported, "{} has more than {} numbers", path, most);
    }
    count *= size;
  }
  std::vector<double> numbers(count);
  const auto dataset = this->Dataset(file, path);
  const hdf5::SilenceErrors silence;
  if (H5Dread(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, numbers.data()) < 0)
  {
    throw Error(Fault::System, "the dataset {} in {} cannot be read: {}", path,
      file.empty() ? this->Name : file, hdf5::LastErrorText());
  }
  return this->Read.emplace(std::pair(file, path), std::move(numbers)).first->second;
}

}
