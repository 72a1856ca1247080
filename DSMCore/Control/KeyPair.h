// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

namespace dsm
{

/// The two halves of a CURVE key, in Z85 (40 characters): who holds the secret one is who the
/// public one names.
struct KeyPair
{
  std::string Public;
  std::string Secret;

  /// A new one. Throws Error(Unsupported) where the ZeroMQ library cannot make any.
  static KeyPair New();
};

}
