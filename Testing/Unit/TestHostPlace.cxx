// SPDX-License-Identifier: BSD-3-Clause
#include "Server/Host/HostPlace.h"

#include "Base/Error.h"

#include <gtest/gtest.h>

namespace
{

using dsm::HostPlace;
using dsm::PlaceFromText;

TEST(HostPlace, FromText)
{
  EXPECT_EQ(PlaceFromText("0/1"), (HostPlace{ 0, 1, "" }));
  EXPECT_EQ(PlaceFromText("2/4"), (HostPlace{ 2, 4, "" }));
  for (const char* wrong :
    { "", "2", "/4", "2/", "4/4", "-1/4", "2/4x", "2/ 4", "a/b", "0/0", "0/99999999999", "1/2/3" })
  {
    EXPECT_THROW(PlaceFromText(wrong), dsm::Error) << wrong;
  }
}

}
