// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <hdf5.h>

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace dsm::repack
{

/// By which an object is known in its file, whatever it is called.
using ObjectKey = std::array<std::uint8_t, H5O_MAX_TOKEN_SIZE>;

ObjectKey KeyOf(const H5O_token_t& token);

/// An object's key and kind.
struct ObjectInfo
{
  ObjectKey Key{};
  H5O_type_t Type = H5O_TYPE_UNKNOWN;
};

/// Throws Error(System).
ObjectInfo InfoOf(hid_t object);

/// An object of a file, by one of its names, from the root on.
struct NamedObject
{
  std::string Path;
  ObjectInfo Info;
};

/// All objects of a file that hard links lead to, each once, by the same names whoever asks. Throws
/// Error(System).
std::vector<NamedObject> ObjectsIn(hid_t file);

/// What objects are called.
using ObjectPaths = std::map<ObjectKey, std::string>;

}
