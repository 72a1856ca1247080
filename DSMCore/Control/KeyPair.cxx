// SPDX-License-Identifier: BSD-3-Clause
#include "Control/KeyPair.h"

#include "Base/Error.h"

#include <zmq.hpp>

#include <array>

namespace dsm
{

KeyPair KeyPair::New()
{
  std::array<char, 41> open{};
  std::array<char, 41> secret{};
  if (zmq_curve_keypair(open.data(), secret.data()) != 0)
  {
    throw Error(Fault::Unsupported, "the ZeroMQ library here makes no CURVE keys: {}",
      zmq_strerror(zmq_errno()));
  }
  return { open.data(), secret.data() };
}

}
