// SPDX-License-Identifier: BSD-3-Clause
#include "Protocol/TransportChoice.h"

#include "Encoding/Fields.h"

#include <fmt/format.h>

namespace dsm
{

std::string TransportChoice::ToText() const
{
  return this->Light.empty() ? this->Heavy
                             : fmt::format("{},{}:{}", this->Heavy, this->Light, this->Threshold);
}

void Describe(Fields& fields, TransportChoice& choice)
{
  fields("Heavy", choice.Heavy);
  fields("Light", choice.Light);
  fields("Threshold", choice.Threshold);
  fields("NodeMemory", choice.NodeMemory);
}

}
