// SPDX-License-Identifier: BSD-3-Clause
#include "Steering/ReadableText.h"

#include "Encoding/PlainValue.h"

#include <algorithm>
#include <utility>

namespace dsm
{

std::string ReadableText(std::string text)
{
  const bool ascii = std::all_of(text.begin(), text.end(),
    [](char character) { return static_cast<unsigned char>(character) < 0x80; });
  if (ascii)
  {
    return text;
  }
  return std::get<std::string>(PlainValueFromText(PlainValueText(std::move(text))));
}

}
