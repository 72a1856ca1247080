// SPDX-License-Identifier: BSD-3-Clause
// The beginning of a file on disk, which may be a placeholder: it is none, refused by Error alone,
// or says where a file is, and that is written and reads back to the same.
#include "Fuzz.h"

#include "Encoding/Encoding.h"
#include "Protocol/PlaceholderContents.h"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
  using namespace dsm;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  std::optional<PlaceholderContents> there;
  if (fuzz::Accepted([&] { there = PlaceholderContents::Parse(bytes, "a file"); }) && there)
  {
    const PlaceholderAddress& address = there->Address;
    fuzz::Require(there->TextBegin < size, "the text for a person is in the file");
    PlaceholderAddress again;
    fuzz::Require(
      fuzz::Accepted([&] { again = FromText<PlaceholderAddress>(ToText(address), "an address"); }),
      "what was written as an address is read");
    fuzz::Require(again == address, "an address reads back to the same");
  }
  return 0;
}
