// SPDX-License-Identifier: BSD-3-Clause
// Prints a header with the bytes of the HDF5 file that all placeholders are, and where in it their
// texts go. It is run while DSMCore is built, so that nothing that makes placeholders needs HDF5.
#include "Driver/SmallFile.h"
#include "Protocol/PlaceholderContents.h"

#include <algorithm>
#include <cstdio>
#include <exception>

namespace
{

void StoreText(hid_t file, const char* name, const std::string& text)
{
  const dsm::Hdf5Handle type = dsm::Hdf5TextType(text.size());
  const dsm::Hdf5Handle space(H5Screate(H5S_SCALAR), H5Sclose);
  const dsm::Hdf5Handle made(
    H5Acreate2(file, name, type, space, H5P_DEFAULT, H5P_DEFAULT), H5Aclose);
  dsm::CheckHdf5(H5Awrite(made, type, text.data()));
}

// Puts zeros where a text is, and returns where it began.
std::ptrdiff_t Clear(dsm::Bytes& file, const std::string& text)
{
  const auto found = std::search(file.begin(), file.end(), text.begin(), text.end());
  dsm::CheckHdf5(found == file.end() ? -1 : 0);
  std::fill_n(found, text.size(), 0);
  return found - file.begin();
}

void Print()
{
  const std::string text(dsm::PlaceholderContents::TextRoom, 't');
  const std::string address(dsm::PlaceholderContents::AddressRoom, 'a');
  dsm::Bytes file = dsm::SmallFile("placeholder",
    [&](hid_t made)
    {
      StoreText(made, "ParaView DSM", text);
      StoreText(made, "Address", address);
    });
  const auto textBegin = Clear(file, text);
  const auto addressBegin = Clear(file, address);
  std::printf("#pragma once\n\n#include <cstddef>\n\nnamespace dsm::placeholdertemplate\n{\n"
              "constexpr std::ptrdiff_t TextBegin = %td;\n"
              "constexpr std::ptrdiff_t AddressBegin = %td;\n"
              "constexpr unsigned char File[] = {",
    textBegin, addressBegin);
  for (std::size_t place = 0; place < file.size(); ++place)
  {
    std::printf("%s%d,", place % 32 == 0 ? "\n" : "", file[place]);
  }
  std::printf("\n};\n}\n");
}

}

int main()
{
  try
  {
    Print();
    return 0;
  }
  catch (const std::exception& error)
  {
    std::fprintf(stderr, "the template of placeholders: %s\n", error.what());
    return 1;
  }
}
