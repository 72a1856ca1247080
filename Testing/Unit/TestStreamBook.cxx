// SPDX-License-Identifier: BSD-3-Clause
#include "Server/Core/StreamBook.h"

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
    return this->Book.Enter(file, { writer, program }, this->IsPresent);
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
  EXPECT_EQ(this->Write("a", "/r/field.0001.h5"), (Place{ "field.#.h5", 1 }));
  EXPECT_EQ(this->Write("a", "/r/particles.0001.h5"), (Place{ "particles.#.h5", 1 }));
  EXPECT_EQ(this->Write("a", "/r/field.0002.h5"), (Place{ "field.#.h5", 1 }));
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
  EXPECT_EQ(this->Write("b", "/run2/out.0001.h5"), (Place{ "out.#.h5", 2 }));
  // Two at once, each in a folder of its own, are apart.
  EXPECT_EQ(this->Write("c", "/run3/out.0001.h5"), (Place{ "run3/out.#.h5", 3 }));
  EXPECT_EQ(this->Write("b", "/run2/out.0002.h5"), (Place{ "out.#.h5", 2 }));
}

TEST_F(StreamBookTest, WhichStreamAFileWouldBeOfIsKnownBeforeItIsBegun)
{
  const auto wouldBe = [this](const std::string& writer, const std::string& file)
  { return this->Book.StreamOf(file, { writer, "sim" }, this->IsPresent); };
  EXPECT_EQ(wouldBe("a", "/run1/out.0001.h5"), "out.#.h5");
  EXPECT_EQ(this->Book.RunOf("a"), 0);
  this->Write("a", "/run1/out.0001.h5");
  EXPECT_EQ(wouldBe("a", "/run1/out.0002.h5"), "out.#.h5");
  // As they are apart when two write, and one when the first has gone.
  EXPECT_EQ(wouldBe("b", "/run2/out.0001.h5"), "run2/out.#.h5");
  this->Leave("a");
  EXPECT_EQ(wouldBe("b", "/run2/out.0001.h5"), "out.#.h5");
  EXPECT_EQ(this->Write("b", "/run2/out.0001.h5"), (Place{ "out.#.h5", 2 }));
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

TEST_F(StreamBookTest, ProcessesOfAJobWithoutANameAreOneRun)
{
  this->Write("a", "/r/out.0001.p0.h5");
  EXPECT_EQ(this->Write("b", "/r/out.0001.p1.h5").Run, 1);
}

TEST_F(StreamBookTest, AFileThatIsOpenedAgainIsNoSecondOne)
{
  this->Write("a", "/r/latest.h5");
  this->Book.Enter("/r/latest.h5", { "a", "sim" }, this->IsPresent, true);
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

TEST(FitsStream, PatternsAndStreams)
{
  EXPECT_TRUE(FitsStream("", "/r/out.1.h5", "out.#.h5"));
  EXPECT_TRUE(FitsStream("out.#.h5", "/r/out.1.h5", "out.#.h5"));
  EXPECT_FALSE(FitsStream("out.#.h5", "/r/out.x.1.h5", "out.x.#.h5"));
  EXPECT_TRUE(FitsStream("out.*", "/r/out.x.1.h5", "out.x.#.h5"));
  EXPECT_FALSE(FitsStream("#", "/r/out.1.h5", ""));
}

}
