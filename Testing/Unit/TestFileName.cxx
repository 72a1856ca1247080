// SPDX-License-Identifier: BSD-3-Clause
#include "Base/FileName.h"

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>

namespace
{

TEST(FileName, IsAbsoluteAndNormal)
{
  EXPECT_EQ(dsm::AbsoluteName("/a/./b/../c.h5"), "/a/c.h5");
  for (const auto& [name, normal] :
    std::map<std::string, std::string>{ { "/a/b.h5", "/a/b.h5" }, { "/", "/" }, { "/a/", "/a/" },
      { "//a//b.h5", "/a/b.h5" }, { "/a/.b.h5", "/a/.b.h5" }, { "/a/..b/c", "/a/..b/c" },
      { "/a/..", "/" }, { "/..", "/" }, { "/a/.", "/a/" }, { "/a.b/c..d", "/a.b/c..d" } })
  {
    EXPECT_EQ(normal, dsm::AbsoluteName(name)) << name;
  }
  EXPECT_EQ(dsm::AbsoluteName("c.h5").front(), '/');
}

TEST(FileName, PatternsFitPathOrLastComponent)
{
  EXPECT_TRUE(dsm::MatchesPattern("*.h5", "/tmp/run/out.h5"));
  EXPECT_TRUE(dsm::MatchesPattern("*", "/tmp/run/out.h5"));
  EXPECT_TRUE(dsm::MatchesPattern("/tmp/*/out.h5", "/tmp/run/out.h5"));
  EXPECT_TRUE(dsm::MatchesPattern("*.nc:out*", "/tmp/run/out.h5"));
  EXPECT_FALSE(dsm::MatchesPattern("*.nc", "/tmp/run/out.h5"));
  EXPECT_FALSE(dsm::MatchesPattern("", "/tmp/run/out.h5"));
}

TEST(FileName, StreamsShareAllButTheirNumbers)
{
  EXPECT_EQ(dsm::StreamName("/r1/out.00012.h5"), "/r1/out.#.h5");
  EXPECT_EQ(dsm::StreamName("/r1/out.00013.h5"), dsm::StreamName("/r1/out.00012.h5"));
  EXPECT_EQ(dsm::StreamName("wg-ez-000004.25.h5"), "wg-ez-#.h5");
  EXPECT_EQ(dsm::StreamName("/r/data.0012"), "/r/data.#");
  EXPECT_NE(dsm::StreamName("/r/u.1.h5"), dsm::StreamName("/r/v.1.h5"));
  EXPECT_EQ(dsm::StreamName("/out7.h5"), "/out#.h5");
  EXPECT_EQ(dsm::StreamName("/run2/t1.25.3.p4.5"), "/run2/t#.#.p#");
  EXPECT_EQ(dsm::StreamName("/r/5.x.h5"), "/r/#.x.h5");
  EXPECT_EQ(dsm::StreamName("/r/.7"), "/r/.#");
  EXPECT_EQ(dsm::StreamName("/r/12."), "/r/#.");
  EXPECT_EQ(dsm::StreamName("/r/"), "/r/");
  EXPECT_EQ(dsm::StreamName("/r/out.0003.h5.tmp"), "/r/out.#.h5.tmp");
}

TEST(FileName, StepIsTheLastNumber)
{
  EXPECT_EQ(dsm::StepFromName("/r1/out.00012.h5"), 12.0);
  EXPECT_EQ(dsm::StepFromName("wg2-ez-000004.25.h5"), 4.25);
  EXPECT_EQ(dsm::StepFromName("/r/data.0012"), 12.0);
  EXPECT_EQ(dsm::StepFromName("/run7/out.h5"), std::nullopt);
  EXPECT_EQ(dsm::StepFromName("/r/t3_0.5_p12.h5"), 12.0);
  EXPECT_EQ(dsm::StepFromName("/r/out.0003.h5.tmp"), 3.0);
  EXPECT_EQ(dsm::StepFromName("/r/.out.0003.hdf5.Xy12ab"), 3.0);
  EXPECT_EQ(dsm::StepFromName("/r/out.h5.tmp"), std::nullopt);
}

TEST(FileName, ANameBesideAnotherFitsTheFileSystem)
{
  EXPECT_EQ(dsm::NameBeside("/tmp/out.h5", ".part"), "/tmp/out.h5.part");
  EXPECT_EQ(dsm::NameBeside("out.h5", ".part"), "out.h5.part");
  std::set<std::string> names;
  for (const std::string& name : { std::string(250, 'a'), std::string(251, 'a'),
         std::string(255, 'a'), std::string(254, 'a') + "b", std::string(254, 'b') + "a" })
  {
    const std::string beside = dsm::NameBeside("/tmp/" + name, ".part");
    EXPECT_TRUE(beside.starts_with("/tmp/" + name.substr(0, 200)) && beside.ends_with(".part"));
    EXPECT_LE(beside.size(), 5u + 255u);
    names.insert(beside);
  }
  EXPECT_EQ(names.size(), 5u) << "each has its own";
}

TEST(FileName, IsNotShortenedWithinACharacter)
{
  EXPECT_EQ(dsm::Shortened("out.h5", 6), "out.h5");
  EXPECT_EQ(dsm::Shortened("out.h5", 3), "out");
  EXPECT_EQ(dsm::Shortened("\u00fcber", 1), "");
  EXPECT_EQ(dsm::Shortened("\u00fcber", 2), "\u00fc");
  EXPECT_EQ(dsm::Shortened("a\u20acb", 3), "a");
  EXPECT_EQ(dsm::Shortened("\x80\x80\x80\x80\x80\x80", 5).size(), 2u) << "no UTF-8 at all";
}

TEST(FileName, NumbersAreTakenApart)
{
  const dsm::NumberedName name("/run2/s1/out.0012.p3.h5");
  EXPECT_EQ(name.Numbers, (std::vector<std::string>{ "2", "1", "0012", "3" }));
  EXPECT_EQ(name.With("*", { false, false, false, true }), "/run2/s1/out.0012.p*.h5");
  EXPECT_EQ(name.With("#", { true, true, true, true }), "/run#/s#/out.#.p#.h5");
  EXPECT_EQ(dsm::NumberedName("/r/data.0012").Numbers, std::vector<std::string>{ "0012" });
  EXPECT_EQ(dsm::NumberedName("/r/7").With("*", { true }), "/r/*");
  EXPECT_TRUE(dsm::NumberedName("/r/out.h5").Numbers.empty());
  EXPECT_TRUE(dsm::NumberedName("").Numbers.empty());
}

TEST(FileName, NumbersOfTheLastComponentHaveWholePartAndFraction)
{
  const dsm::NumberedStem name("/run2/ez-04.25.p3.h5");
  EXPECT_EQ(name.Numbers, (std::vector<dsm::NameNumber>{ { "04", "25" }, { "3", "" } }));
  EXPECT_EQ(name.Between, (std::vector<std::string>{ "ez-", ".p", ".h5" }));
  EXPECT_EQ(dsm::NumberedStem("/r/7").Between, (std::vector<std::string>{ "", "" }));
  EXPECT_TRUE(dsm::NumberedStem("").Numbers.empty());
}

TEST(FileName, SnapshotNamesGoThereAndBack)
{
  const auto name = dsm::SnapshotName("/tmp/run.dsm", 12);
  EXPECT_EQ(name, "/tmp/run.dsm#12");
  const auto reference = dsm::ParseSnapshotName(name);
  ASSERT_TRUE(reference);
  EXPECT_EQ(reference->ContactFile, "/tmp/run.dsm");
  EXPECT_EQ(reference->Number, 12u);
  for (const char* other : { "/tmp/run.dsm", "a#", "#3", "a#b", "a#3x", "a#-3", "" })
  {
    EXPECT_FALSE(dsm::ParseSnapshotName(other)) << other;
  }
}

}
