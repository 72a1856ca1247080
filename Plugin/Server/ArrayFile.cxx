// SPDX-License-Identifier: BSD-3-Clause
#include "ArrayFile.h"

#include "Base/Error.h"

#include <fmt/format.h>

#include <vtk_hdf5.h>

#include <openssl/evp.h>

#include <algorithm>
#include <map>
#include <utility>

using dsm::Error;
using dsm::Fault;

namespace
{
// An object of HDF5, closed when it goes.
class Handle
{
public:
  Handle(hid_t id, herr_t (*close)(hid_t))
    : Id(id)
    , Close(close)
  {
    if (id < 0)
    {
      throw Error(Fault::System, "HDF5 cannot make the file of an array");
    }
  }
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
  ~Handle() { this->Close(this->Id); }

  operator hid_t() const { return this->Id; } // NOLINT(google-explicit-constructor)

private:
  hid_t Id;
  herr_t (*Close)(hid_t);
};

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
  constexpr std::size_t step = 65536;
  ArrayFile made;
  const Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
  H5Pset_fapl_core(access, step, false);
  const Handle file(H5Fcreate(name.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, access), H5Fclose);
  {
    const std::vector<hsize_t> sizes(shape.Sizes.begin(), shape.Sizes.end());
    const Handle space(
      H5Screate_simple(static_cast<int>(sizes.size()), sizes.data(), nullptr), H5Sclose);
    const Handle creation(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
    H5Pset_alloc_time(creation, H5D_ALLOC_TIME_EARLY);
    H5Pset_fill_time(creation, H5D_FILL_TIME_NEVER);
    std::string dataset = name;
    std::ranges::replace(dataset, '/', '_');
    const auto type = TypeOf(shape.Element);
    const Handle values(
      H5Dcreate2(file, dataset.c_str(), type, space, H5P_DEFAULT, creation, H5P_DEFAULT), H5Dclose);
    if (H5Dwrite(values, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, elements) < 0)
    {
      throw Error(Fault::System, "HDF5 cannot write the elements of an array");
    }
    const haddr_t place = H5Dget_offset(values);
    made.Elements = dsm::FileOffset(place == HADDR_UNDEF ? 0 : place);
  }
  H5Fflush(file, H5F_SCOPE_GLOBAL);
  const ssize_t size = H5Fget_file_image(file, nullptr, 0);
  made.Bytes.resize(static_cast<std::size_t>(std::max<ssize_t>(size, 0)));
  if (size <= 0 || H5Fget_file_image(file, made.Bytes.data(), made.Bytes.size()) != size)
  {
    throw Error(Fault::System, "HDF5 cannot give the file of an array");
  }
  made.Hash = Sha256(elements, shape.Bytes());
  return made;
}
