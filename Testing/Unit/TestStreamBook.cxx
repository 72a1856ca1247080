// SPDX-License-Identifier: BSD-3-Clause
#include "Server/Core/StreamBook.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <set>
#include <string>

namespace
{

using namespace dsm;

// Simulations that come and go, by the names of their processes.
class StreamBookTest : public ::testing::Test
{
protected:
  StreamBook::Place Write(
    const std::string& writer, const std::string& file, const std::string& program = "sim")
  {
    this->Present.insert(writer);
    return this->Book.Enter(file, { writer, program, writer }, this->IsPresent);
  }
  StreamBook::Place Restore(const std::string& file)
  {
    return this->Book.Enter(file, { "viewer", "paraview", "viewer", {}, true }, this->IsPresent);
  }
  void Leave(const std::string& writer) { this->Present.erase(writer); }

  StreamBook Book;
  std::set<std::string> Present;
  const StreamBook::IsPresent IsPresent = [this](const std::string& identity)
  { return this->Present.contains(identity); };
};

using Place = StreamBook::Place;

TEST_F(StreamBookTest, FieldsAndParticlesInTurnAreTwoStreamsOfOneRun)
{
  EXPECT_EQ(this->Write("a", "/r/field.0001.h5"), (Place{ "field.#.h5", 1, 1 }));
  EXPECT_EQ(this->Write("a", "/r/particles.0001.h5"), (Place{ "particles.#.h5", 1, 1 }));
  EXPECT_EQ(this->Write("a", "/r/field.0002.h5"), (Place{ "field.#.h5", 1, 2 }));
  EXPECT_EQ(this->Book.RunOf("a"), 1);
  EXPECT_EQ(this->Book.RunOf("b"), 0);
}

TEST_F(StreamBookTest, TheSameNameInTwoFoldersOfOneRunIsTwoStreams)
{
  EXPECT_EQ(this->Write("a", "/diags/diag1/out_1.h5").Stream, "out_#.h5");
  EXPECT_EQ(this->Write("a", "/diags/diag2/out_1.h5").Stream, "diag2/out_#.h5");
  EXPECT_EQ(this->Write("a", "/diags/diag1/out_2.h5").Stream, "out_#.h5");
  EXPECT_EQ(this->Write("a", "/other/diag2/out_2.h5").Stream, "other/diag2/out_#.h5");
}

TEST_F(StreamBookTest, RestoredFilesAreStreamsOfTheirOwnBesideThoseOfASimulation)
{
  this->Write("a", "/r/out.1.h5");
  EXPECT_EQ(this->Restore("/r/out.7.h5"), (Place{ "r/out.#.h5", 2, 7 }));
  EXPECT_EQ(this->Restore("/s/out.7.h5").Stream, "s/out.#.h5");
  EXPECT_EQ(this->Write("a", "/r/out.2.h5"), (Place{ "out.#.h5", 1, 2 }));
  EXPECT_EQ(this->Restore("/r/out.8.h5").Stream, "r/out.#.h5");
  this->Leave("a");
  EXPECT_EQ(this->Restore("/r/out.9.h5").Stream, "r/out.#.h5");
  EXPECT_EQ(this->Write("b", "/r/out.1.h5"), (Place{ "out.#.h5", 3, 1 }));
  EXPECT_EQ(this->Write("b", "/s/out.1.h5").Stream, "s/out.#.h5");
}

TEST_F(StreamBookTest, ASimulationGoesOnWithTheStreamOfRestoredFilesIfThereIsNoOther)
{
  EXPECT_EQ(this->Restore("/r/out.7.h5"), (Place{ "out.#.h5", 1, 7 }));
  EXPECT_EQ(this->Write("a", "/r/out.1.h5"), (Place{ "out.#.h5", 2, 1 }));
  EXPECT_EQ(this->Restore("/r/out.8.h5").Stream, "r/out.#.h5");
}

TEST(FitsStream, AStreamOneRunOfItOrAPattern)
{
  const auto fits = [](const std::string& pattern)
  { return FitsStream(pattern, "/r/out.1.h5", "out.#.h5", 2); };
  EXPECT_TRUE(fits(""));
  EXPECT_TRUE(fits("out.#.h5"));
  EXPECT_TRUE(fits("out.#.h5@2"));
  EXPECT_TRUE(fits("out.*"));
  EXPECT_FALSE(fits("out.#.h5@1"));
  EXPECT_FALSE(fits("other.#.h5"));
  EXPECT_FALSE(FitsStream("@0", "/r/out.1.h5", "", 0));
}

TEST_F(StreamBookTest, AFolderForEachStepIsOneStream)
{
  EXPECT_EQ(this->Write("a", "/r/step1/field.h5").Stream, "field.h5");
  EXPECT_EQ(this->Write("a", "/r/step2/field.h5").Stream, "field.h5");
}

TEST_F(StreamBookTest, TheNextRunInAnotherFolderGoesOnWithTheStream)
{
  this->Write("a", "/run1/out.0001.h5");
  this->Leave("a");
  EXPECT_EQ(this->Write("b", "/run2/out.0001.h5"), (Place{ "out.#.h5", 2, 1 }));
  // Two at once, each in a folder of its own, are apart.
  EXPECT_EQ(this->Write("c", "/run3/out.0001.h5"), (Place{ "run3/out.#.h5", 3, 1 }));
  EXPECT_EQ(this->Write("b", "/run2/out.0002.h5"), (Place{ "out.#.h5", 2, 2 }));
}

TEST_F(StreamBookTest, WhichStreamAFileWouldBeOfIsKnownBeforeItIsBegun)
{
  const auto wouldBe = [this](const std::string& writer, const std::string& file)
  { return this->Book.StreamOf(file, { writer, "sim", writer }, this->IsPresent); };
  EXPECT_EQ(wouldBe("a", "/run1/out.0001.h5"), "out.#.h5");
  EXPECT_EQ(this->Book.RunOf("a"), 0);
  this->Write("a", "/run1/out.0001.h5");
  EXPECT_EQ(wouldBe("a", "/run1/out.0002.h5"), "out.#.h5");
  // As they are apart when two write, and one when the first has gone.
  EXPECT_EQ(wouldBe("b", "/run2/out.0001.h5"), "run2/out.#.h5");
  this->Leave("a");
  EXPECT_EQ(wouldBe("b", "/run2/out.0001.h5"), "out.#.h5");
  EXPECT_EQ(this->Write("b", "/run2/out.0001.h5"), (Place{ "out.#.h5", 2, 1 }));
}

TEST_F(StreamBookTest, AProgramThatComesAgainIsAnotherRun)
{
  this->Write("a", "/r/out.0001.h5");
  this->Write("a", "/r/out.0002.h5");
  this->Leave("a");
  EXPECT_EQ(this->Write("b", "/r/out.0001.h5").Run, 2);
  EXPECT_EQ(this->Write("b", "/r/more.0001.h5").Run, 2);
}

TEST_F(StreamBookTest, AnotherProgramIsAnotherRunWhateverItsSteps)
{
  this->Write("a", "/r/out.0001.h5");
  this->Leave("a");
  EXPECT_EQ(this->Write("b", "/r/out.0002.h5", "other").Run, 2);
}

TEST_F(StreamBookTest, WhereStepsGoOnItIsTheSameRun)
{
  this->Write("a", "/r/out.0001.h5");
  this->Leave("a");
  EXPECT_EQ(this->Write("b", "/r/out.0002.h5").Run, 1);
  // Without numbers: a program that is started for each step.
  this->Write("b", "/r/latest.h5");
  this->Leave("b");
  EXPECT_EQ(this->Write("c", "/r/latest.h5").Run, 1);
  this->Write("c", "/r/latest.h5");
  this->Leave("c");
  EXPECT_EQ(this->Write("d", "/r/latest.h5").Run, 2);
}

TEST_F(StreamBookTest, ProgramThatIsLaunchedAgainIsAnotherRunWhateverItsSteps)
{
  const auto write =
    [this](const std::string& writer, const std::string& file, const std::string& launch)
  {
    this->Present.insert(writer);
    return this->Book.Enter(file, { writer, "sim", writer, launch }, this->IsPresent).Run;
  };
  EXPECT_EQ(write("a", "/r/out.0001.h5", "group 1"), 1);
  this->Leave("a");
  EXPECT_EQ(write("b", "/r/out.0002.h5", "group 1"), 1) << "a script starts it for each step";
  this->Leave("b");
  EXPECT_EQ(write("c", "/other/out.0003.h5", "group 2"), 2) << "killed, and started again";
  EXPECT_EQ(write("d", "/other/out.0004.h5", "group 3"), 3) << "started beside it";
  this->Leave("d");
  EXPECT_EQ(write("e", "/other/out.0005.h5", ""), 3) << "its launch is unknown";
}

TEST_F(StreamBookTest, ProcessesOfAJobWithoutANameAreOneRun)
{
  this->Write("a", "/r/out.0001.p0.h5");
  EXPECT_EQ(this->Write("b", "/r/out.0001.p1.h5").Run, 1);
}

TEST_F(StreamBookTest, AFileThatIsOpenedAgainIsNoSecondOne)
{
  this->Write("a", "/r/latest.h5");
  this->Book.Enter("/r/latest.h5", { "a", "sim", "a" }, this->IsPresent, true);
  this->Leave("a");
  EXPECT_EQ(this->Write("b", "/r/latest.h5").Run, 1);
}

TEST_F(StreamBookTest, ForgetsWhoHasGone)
{
  for (int step = 0; step < 100; ++step)
  {
    const std::string writer = std::to_string(step);
    EXPECT_EQ(this->Write(writer, "/r/out." + writer + ".h5").Run, 1);
    this->Leave(writer);
  }
  this->Write("again", "/r/out.0.h5");
  this->Write("again", "/r/out.1.h5");
  this->Leave("again");
  this->Write("once more", "/r/out.0.h5");
  EXPECT_EQ(this->Book.RunOf("5"), 0);
}

// It was killed when it had asked for its first file.
TEST_F(StreamBookTest, AWriterMayHaveEndedWhenItIsEntered)
{
  this->Write("a", "/r/out.0001.h5");
  this->Leave("a");
  this->Write("other", "/r/data.0001.h5");
  EXPECT_EQ(this->Book.Enter("/r/out.0002.h5", { "b", "sim", "b" }, this->IsPresent),
    (Place{ "out.#.h5", 1, 2 }));
  EXPECT_EQ(this->Book.RunOf("b"), 1);
}

TEST_F(StreamBookTest, NumbersThatTellKindsArePartOfTheName)
{
  EXPECT_EQ(this->Write("a", "/r/B.out1.00000.h5").Stream, "B.out#.h5");
  EXPECT_EQ(this->Write("a", "/r/B.out2.00000.h5").Stream, "B.out#.h5");
  const auto before = this->Book.Revision();
  EXPECT_EQ(this->Write("a", "/r/B.out1.00001.h5"), (Place{ "B.out1.#.h5", 1, 1 }));
  EXPECT_GT(this->Book.Revision(), before);
  const auto known = this->Book.KnownAs("/r/B.out2.00000.h5", "B.out#.h5");
  ASSERT_TRUE(known);
  EXPECT_EQ(known->Stream, "B.out2.#.h5");
  EXPECT_EQ(known->Step, 0);
  EXPECT_FALSE(this->Book.KnownAs("/r/B.out2.00000.h5", "other.#.h5"));
  this->Leave("a");
  EXPECT_EQ(this->Write("b", "/r/B.out2.00000.h5"), (Place{ "B.out2.#.h5", 2, 0 }));
}

TEST_F(StreamBookTest, KindsInTwoFoldersAreStreamsApart)
{
  for (const char* name : { "f1_0.h5", "f2_0.h5", "f1_1.h5", "f2_1.h5" })
  {
    this->Write("a", std::string("/one/") + name);
    this->Write("a", std::string("/two/") + name);
  }
  EXPECT_EQ(this->Write("a", "/one/f1_2.h5").Stream, "f1_#.h5");
  EXPECT_EQ(this->Write("a", "/two/f1_2.h5").Stream, "two/f1_#.h5");
}

TEST_F(StreamBookTest, AProgramForEachStepWritesKinds)
{
  for (const std::string step : { "1", "2", "3" })
  {
    EXPECT_EQ(this->Write(step, "/r/f1_" + step + ".h5").Run, 1) << step;
    EXPECT_EQ(this->Write(step, "/r/f2_" + step + ".h5").Run, 1) << step;
    this->Leave(step);
  }
  EXPECT_EQ(this->Write("last", "/r/f2_4.h5").Stream, "f2_#.h5");
}

TEST_F(StreamBookTest, FlushesShowThatFilesWhichStayOpenAreKinds)
{
  this->Write("a", "/r/Fields0.h5");
  std::string stream = this->Write("a", "/r/Fields1.h5").Stream;
  EXPECT_EQ(stream, "Fields#.h5");
  for (int flush = 0; flush < 3; ++flush)
  {
    this->Book.NoteShown("/r/Fields0.h5", "Fields#.h5", { "a", "sim", "a" });
    this->Book.NoteShown("/r/Fields1.h5", "Fields#.h5", { "a", "sim", "a" });
  }
  EXPECT_EQ(this->Book.KnownAs("/r/Fields1.h5", stream)->Stream, "Fields1.h5");
  EXPECT_FALSE(this->Book.KnownAs("/r/Fields1.h5", stream)->Step);
}

// A file has another name until it is whole.
TEST_F(StreamBookTest, IsCalledByTheNamesThatItsFilesGet)
{
  const std::string first = "/r/out.0003.p1.h5.tmp";
  EXPECT_EQ(this->Write("a", first), (Place{ "out.#.p#.h5.tmp", 1, 3 }));
  const auto before = this->Book.Revision();
  const auto known = this->Book.Rename({ first, "out.#.p#.h5.tmp" }, "/r/out.0003.p1.h5");
  EXPECT_EQ(known.Stream, "out.#.p#.h5");
  EXPECT_EQ(known.Step, 3) << "the last number is a process's";
  EXPECT_GT(this->Book.Revision(), before);
  EXPECT_EQ(this->Write("a", "/r/out.0004.p1.h5.tmp"), (Place{ "out.#.p#.h5", 1, 4 }));
  EXPECT_EQ(this->Book.KnownAs(first, "out.#.p#.h5.tmp")->Stream, "out.#.p#.h5");
}

TEST_F(StreamBookTest, FilesThatAreRenamedAreKinds)
{
  for (const std::string step : { "0", "1" })
  {
    for (const std::string kind : { "1", "2" })
    {
      const std::string name = fmt::format("/r/out{}_{}.h5", kind, step);
      const std::string stream = this->Write("a", name + ".part").Stream;
      this->Book.Rename({ name + ".part", stream }, name);
    }
  }
  EXPECT_EQ(this->Book.KnownAs("/r/out2_0.h5", "out#_#.h5")->Stream, "out2_#.h5");
  EXPECT_EQ(this->Write("a", "/r/out1_2.h5.part"), (Place{ "out1_#.h5", 1, 2 }));
}

TEST_F(StreamBookTest, WhatIsPutAsideDoesNotNameTheStream)
{
  this->Write("a", "/r/out.0001.h5");
  for (const char* name : { "/r/out.0001.h5.old", "/r/saved.0001.h5", "/r/7.0001.h5", "/r/out.h5" })
  {
    this->Book.Rename({ "/r/out.0001.h5", "out.#.h5" }, name);
    EXPECT_EQ(this->Write("a", "/r/out.0002.h5").Stream, "out.#.h5") << name;
  }
  EXPECT_EQ(this->Book.Rename({ "/r/out.0001.h5", "out.#.h5" }, "/r/out.0001.h5.old").Stream,
    "out.#.h5.old");
  EXPECT_EQ(this->Book.Rename({ "/r/out.0001.h5", "out.#.h5" }, "/r/last.h5").Stream, "last.h5");
}

TEST(FitsStream, ANumberSignStandsForAnyNumber)
{
  for (const char* pattern :
    { "B.out1.#.h5", "B.out#.#.h5", "B.out#.h5", "B.out#.#.h5@2", "B.out#.h5@2", "B.out1.#.h5@2" })
  {
    EXPECT_TRUE(FitsStream(pattern, "/r/B.out1.00007.h5", "B.out1.#.h5", 2)) << pattern;
  }
  for (const char* pattern :
    { "B.out2.#.h5", "B.out.#.h5", "#", "B.out#.#.#.h5", "B.out#.#.h5@1", "B.out12.#.h5" })
  {
    EXPECT_FALSE(FitsStream(pattern, "/r/B.out1.00007.h5", "B.out1.#.h5", 2)) << pattern;
  }
}

TEST(FitsStream, PatternsAndStreams)
{
  EXPECT_TRUE(FitsStream("", "/r/out.1.h5", "out.#.h5"));
  EXPECT_TRUE(FitsStream("out.#.h5", "/r/out.1.h5", "out.#.h5"));
  EXPECT_FALSE(FitsStream("out.#.h5", "/r/out.x.1.h5", "out.x.#.h5"));
  EXPECT_TRUE(FitsStream("out.*", "/r/out.x.1.h5", "out.x.#.h5"));
  EXPECT_FALSE(FitsStream("#", "/r/out.1.h5", ""));
}

}
