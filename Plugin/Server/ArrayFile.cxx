// SPDX-License-Identifier: BSD-3-Clause
#include "ArrayFile.h"

#include "Base/Error.h"
#include "Driver/SmallFile.h"

#include <fmt/format.h>

#include <openssl/evp.h>

#include <algorithm>
#include <map>
#include <vector>

using dsm::Error;
using dsm::Fault;

namespace
{
hid_t TypeOf(const std::string& element)
{
  const std::map<std::string, hid_t> types = { { "uint8", H5T_STD_U8LE },
    { "int32", H5T_STD_I32LE }, { "int64", H5T_STD_I64LE }, { "float32", H5T_IEEE_F32LE },
    { "float64", H5T_IEEE_F64LE } };
  return types.at(element);
}

std::string Sha256(const void* data, std::size_t size)
{
  unsigned char digest[EVP_MAX_MD_SIZE];
  unsigned int length = 0;
  if (EVP_Digest(data, size, digest, &length, EVP_sha256(), nullptr) != 1)
  {
    throw Error(Fault::System, "OpenSSL cannot compute the SHA-256 of an array");
  }
  std::string text;
  for (unsigned int index = 0; index < length; ++index)
  {
    text += fmt::format("{:02x}", digest[index]);
  }
  return text;
}
}

ArrayFile ArrayFile::Make(
  const std::string& name, const dsm::ArrayShape& shape, const void* elements)
{
  ArrayFile made;
  made.Bytes = dsm::SmallFile(name.c_str(),
    [&](hid_t file)
    {
      const std::vector<hsize_t> sizes(shape.Sizes.begin(), shape.Sizes.end());
      const dsm::Hdf5Handle space(
        H5Screate_simple(static_cast<int>(sizes.size()), sizes.data(), nullptr), H5Sclose);
      // The elements are written here, and nothing before.
      const dsm::Hdf5Handle creation(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
      dsm::CheckHdf5(H5Pset_alloc_time(creation, H5D_ALLOC_TIME_EARLY));
      dsm::CheckHdf5(H5Pset_fill_time(creation, H5D_FILL_TIME_NEVER));
      std::string dataset = name;
      std::ranges::replace(dataset, '/', '_');
      const hid_t type = TypeOf(shape.Element);
      const dsm::Hdf5Handle values(
        H5Dcreate2(file, dataset.c_str(), type, space, H5P_DEFAULT, creation, H5P_DEFAULT),
        H5Dclose);
      dsm::CheckHdf5(H5Dwrite(values, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, elements));
      const haddr_t place = H5Dget_offset(values);
      made.Elements = dsm::FileOffset(place == HADDR_UNDEF ? 0 : place);
    });
  made.Hash = Sha256(elements, shape.Bytes());
  return made;
}
