// SPDX-License-Identifier: BSD-3-Clause
// The beginning of a file on disk, which may be a placeholder: it is none, refused by Error alone,
// or says where a file is, and that is written and reads back to the same.
#include "Fuzz.h"

#include "Driver/Placeholder.h"
#include "Encoding/Encoding.h"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
  using namespace dsm;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  std::optional<PlaceholderAddress> address;
  if (fuzz::Accepted([&] { address = Placeholder::Parse(bytes, "a file"); }) && address)
  {
    PlaceholderAddress again;
    fuzz::Require(
      fuzz::Accepted([&] { again = FromText<PlaceholderAddress>(ToText(*address), "an address"); }),
      "what was written as an address is read");
    fuzz::Require(again == *address, "an address reads back to the same");
  }
  return 0;
}
