// SPDX-License-Identifier: BSD-3-Clause
#include "Base/PlainLine.h"

#include <gtest/gtest.h>

namespace
{

using dsm::PlainLine;

TEST(PlainLine, LeavesWhatATerminalShows)
{
  EXPECT_EQ(PlainLine(""), "");
  EXPECT_EQ(PlainLine("/sim/über ça.h5 € 𝄞 \\n"), "/sim/über ça.h5 € 𝄞 \\n");
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

TEST(PlainLine, EscapesBytesThatAreNoCharacters)
{
  const std::string control("b\x9b"
                            "31m");
  EXPECT_EQ(PlainLine(control), "b\\x9b31m") << "a terminal of eight bits obeys it";
  EXPECT_EQ(PlainLine("\xff\xc2"), "\\xff\\xc2");
  EXPECT_EQ(PlainLine("\xe0\x80\x9b"), "\\xe0\\x80\\x9b") << "too long for ESC";
  EXPECT_EQ(PlainLine("\xed\xa0\x80"), "\\xed\\xa0\\x80") << "half a character of UTF-16";
  EXPECT_EQ(PlainLine("\xf4\x90\x80\x80"), "\\xf4\\x90\\x80\\x80") << "behind the last";
  EXPECT_EQ(PlainLine("\xe2\x82"), "\\xe2\\x82") << "cut";
  EXPECT_EQ(PlainLine("M\xfcller.h5"), "M\\xfcller.h5") << "Latin-1";
}

}
