// SPDX-License-Identifier: BSD-3-Clause
#include "Control/AdmittedKeys.h"

#include "Base/Error.h"

#include <zmq.hpp>

#include <algorithm>
#include <array>
#include <cstdint>

namespace dsm
{

void AdmittedKeys::Admit(const std::string& key)
{
  std::array<std::uint8_t, 32> binary{};
  if (key.size() != 40 || !zmq_z85_decode(binary.data(), key.c_str()))
  {
    throw Error(Fault::Usage, "\"{}\" is no CURVE key in Z85 (40 characters)", key);
  }
  const std::lock_guard lock(this->Guard);
  const bool known = this->Admitted.contains(key) ||
    std::find(this->Withdrawn.begin(), this->Withdrawn.end(), key) != this->Withdrawn.end();
  if (known)
  {
    throw Error(Fault::Usage, "this key was given out before: make another");
  }
  this->Admitted.insert(key);
}

void AdmittedKeys::Withdraw(const std::string& key)
{
  const std::lock_guard lock(this->Guard);
  if (this->Admitted.erase(key) > 0)
  {
    this->Withdrawn.push_back(key);
    if (this->Withdrawn.size() > MostWithdrawn)
    {
      this->Withdrawn.pop_front();
    }
  }
}

AdmittedKeys::Answer AdmittedKeys::Ask(const std::string& key) const
{
  const std::lock_guard lock(this->Guard);
  if (this->Admitted.contains(key))
  {
    return Answer::Admitted;
  }
  return std::find(this->Withdrawn.begin(), this->Withdrawn.end(), key) != this->Withdrawn.end()
    ? Answer::Withdrawn
    : Answer::Unknown;
}

}
