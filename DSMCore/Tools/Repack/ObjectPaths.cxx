// SPDX-License-Identifier: BSD-3-Clause
#include "Tools/Repack/ObjectPaths.h"

#include "Tools/Hdf5Objects.h"

#include <algorithm>
#include <iterator>

namespace dsm::repack
{

ObjectKey KeyOf(const H5O_token_t& token)
{
  ObjectKey key{};
  std::copy(std::begin(token.__data), std::end(token.__data), key.begin());
  return key;
}

ObjectInfo InfoOf(hid_t object)
{
  H5O_info2_t info = {};
  CheckedHdf5(H5Oget_info3(object, &info, H5O_INFO_BASIC), "look at an object");
  return { KeyOf(info.token), info.type };
}

std::vector<NamedObject> ObjectsIn(hid_t file)
{
  std::vector<NamedObject> objects;
  const auto note = [](hid_t, const char* name, const H5O_info2_t* info, void* data) -> herr_t
  {
    const std::string path = std::string(name) == "." ? "/" : "/" + std::string(name);
    static_cast<std::vector<NamedObject>*>(data)->push_back(
      { path, { KeyOf(info->token), info->type } });
    return 0;
  };
  CheckedHdf5(H5Ovisit3(file, H5_INDEX_NAME, H5_ITER_INC, note, &objects, H5O_INFO_BASIC),
    "list what is in a file");
  return objects;
}

}
