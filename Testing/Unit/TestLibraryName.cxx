// SPDX-License-Identifier: BSD-3-Clause
#include "Mpi/LibraryName.h"

#include <gtest/gtest.h>

#include <array>
#include <string>
#include <utility>

namespace
{

TEST(LibraryName, IsTheBeginningOfWhatTheLibrarySays)
{
  const std::array<std::pair<std::string, std::string>, 5> said = { {
    { "Open MPI v5.0.7, package: Debian OpenMPI, ident: 5.0.7, repo rev: v5.0.7, Feb 14, 2025",
      "Open MPI v5.0.7" },
    { "MPICH Version:      4.2.1\nMPICH Release date: Wed Apr 17\nMPICH ABI: 16:1:4",
      "MPICH 4.2.1" },
    { "MPICH Version:\t5.0.2\nMPICH Release date:", "MPICH 5.0.2" },
    { "Intel(R) MPI Library 2021.19 for Linux* OS\n",
      "Intel(R) MPI Library 2021.19 for Linux* OS" },
    { "", "" },
  } };
  for (const auto& [text, name] : said)
  {
    EXPECT_EQ(dsm::NameOfLibrary(text), name);
  }
}

}
