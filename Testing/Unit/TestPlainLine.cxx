// SPDX-License-Identifier: BSD-3-Clause
#include "Base/PlainLine.h"

#include <gtest/gtest.h>

namespace
{

using dsm::PlainLine;

TEST(PlainLine, LeavesWhatATerminalShows)
{
  EXPECT_EQ(PlainLine(""), "");
  EXPECT_EQ(PlainLine("/sim/über ça.h5 € \\n"), "/sim/über ça.h5 € \\n");
  EXPECT_EQ(PlainLine("\xff\xc2"), "\xff\xc2");
}

TEST(PlainLine, EscapesWhatATerminalObeys)
{
  EXPECT_EQ(PlainLine("new\nline\t.h5\r"), "new\\nline\\t.h5\\x0d");
  EXPECT_EQ(PlainLine("\x1b[31mred"), "\\x1b[31mred");
  EXPECT_EQ(PlainLine("\x7f"), "\\x7f");
  EXPECT_EQ(PlainLine("\xc2\x9b"
                      "31m"),
    "\\xc2\\x9b"
    "31m");
  EXPECT_EQ(PlainLine("\u202egnp.h5\u2066"), "\\xe2\\x80\\xaegnp.h5\\xe2\\x81\\xa6");
}

}
