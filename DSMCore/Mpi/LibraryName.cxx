// SPDX-License-Identifier: BSD-3-Clause
#include "Mpi/LibraryName.h"

#include <algorithm>

namespace dsm
{

std::string NameOfLibrary(std::string name)
{
  std::replace(name.begin(), name.end(), '\t', ' ');
  // "Open MPI v5.0.7, package: …", "MPICH Version:      4.2.1\nMPICH Release date: …"
  name = name.substr(0, name.find_first_of(",\n"));
  if (const auto colon = name.find(" Version:"); colon != std::string::npos)
  {
    const auto number = name.find_first_not_of(' ', colon + 9);
    name = name.substr(0, colon) + " " + (number == std::string::npos ? "" : name.substr(number));
  }
  while (!name.empty() && (name.back() == '\0' || name.back() == ' '))
  {
    name.pop_back();
  }
  return name;
}

}
