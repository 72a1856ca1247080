// SPDX-License-Identifier: BSD-3-Clause
// A contact file's text, as it may lie on a disk: it is refused by Error alone; what is read is
// written and reads back to the same.
#include "Fuzz.h"

#include "Control/ContactFile.h"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
  using namespace dsm;
  const std::string text(reinterpret_cast<const char*>(data), size);
  Contact contact;
  if (fuzz::Accepted([&] { contact = Contact::FromText(text); }))
  {
    const std::string written = contact.ToText();
    Contact again;
    fuzz::Require(fuzz::Accepted([&] { again = Contact::FromText(written); }),
      "what was written as a contact is read");
    fuzz::Require(again.ToText() == written, "a contact reads back to the same");
  }
  return 0;
}
