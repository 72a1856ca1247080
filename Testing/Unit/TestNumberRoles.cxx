// SPDX-License-Identifier: BSD-3-Clause
#include "Server/Core/NumberRoles.h"

#include <gtest/gtest.h>

#include <cctype>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace
{

using namespace dsm;

struct File
{
  const char* Name;
  const char* Stream; ///< and step, as they are known when all files have come
  std::optional<double> Step;
};

struct Case
{
  const char* What;
  std::vector<File> Files; ///< as one process writes them
};

class NumberRolesTest : public ::testing::TestWithParam<Case>
{
};

TEST_P(NumberRolesTest, LearnsWhatNumbersAre)
{
  NumberRoles roles;
  for (const File& file : GetParam().Files)
  {
    roles.Note("a", NumberedStem(file.Name));
  }
  for (const File& file : GetParam().Files)
  {
    EXPECT_EQ(roles.StreamOf(NumberedStem(file.Name)), file.Stream) << file.Name;
    EXPECT_EQ(roles.StepOf(NumberedStem(file.Name)), file.Step) << file.Name;
  }
}

const char* const Out = "out.#.h5";

INSTANTIATE_TEST_SUITE_P(Names, NumberRolesTest,
  ::testing::Values(Case{ "one number", { { "out.1.h5", Out, 1 }, { "out.2.h5", Out, 2 } } },
    Case{ "one number that goes back",
      { { "out.5.h5", Out, 5 }, { "out.6.h5", Out, 6 }, { "out.3.h5", Out, 3 },
        { "out.4.h5", Out, 4 } } },
    Case{ "kinds before the step, as of Athena++",
      { { "B.out1.00000.h5", "B.out1.#.h5", 0 }, { "B.out2.00000.h5", "B.out2.#.h5", 0 },
        { "B.out1.00001.h5", "B.out1.#.h5", 1 } } },
    Case{ "five of them",
      { { "f1_0.h5", "f1_#.h5", 0 }, { "f2_0.h5", "f2_#.h5", 0 }, { "f3_0.h5", "f3_#.h5", 0 },
        { "f4_0.h5", "f4_#.h5", 0 }, { "f5_0.h5", "f5_#.h5", 0 }, { "f1_1.h5", "f1_#.h5", 1 },
        { "f2_1.h5", "f2_#.h5", 1 } } },
    Case{ "kinds with counters of their own",
      { { "B.out1.00000.h5", "B.out1.#.h5", 0 }, { "B.out1.00001.h5", "B.out1.#.h5", 1 },
        { "B.out1.00002.h5", "B.out1.#.h5", 2 }, { "B.out2.00000.h5", "B.out2.#.h5", 0 },
        { "B.out1.00003.h5", "B.out1.#.h5", 3 }, { "B.out2.00001.h5", "B.out2.#.h5", 1 } } },
    Case{ "a kind that comes later",
      { { "f1_0.h5", "f1_#.h5", 0 }, { "f2_0.h5", "f2_#.h5", 0 }, { "f1_1.h5", "f1_#.h5", 1 },
        { "f2_1.h5", "f2_#.h5", 1 }, { "f3_1.h5", "f3_#.h5", 1 }, { "f1_2.h5", "f1_#.h5", 2 } } },
    Case{ "kinds behind the step",
      { { "s8.k0.h5", "s#.k0.h5", 8 }, { "s8.k1.h5", "s#.k1.h5", 8 }, { "s9.k0.h5", "s#.k0.h5", 9 },
        { "s9.k1.h5", "s#.k1.h5", 9 } } },
    Case{ "kinds that go back to an earlier step",
      { { "f1_5.h5", "f1_#.h5", 5 }, { "f2_5.h5", "f2_#.h5", 5 }, { "f1_6.h5", "f1_#.h5", 6 },
        { "f2_6.h5", "f2_#.h5", 6 }, { "f1_3.h5", "f1_#.h5", 3 }, { "f2_3.h5", "f2_#.h5", 3 },
        { "f1_4.h5", "f1_#.h5", 4 } } },
    Case{ "kinds without steps, as of Smilei",
      { { "Fields0.h5", "Fields0.h5", {} }, { "Fields1.h5", "Fields1.h5", {} },
        { "Fields0.h5", "Fields0.h5", {} }, { "Fields1.h5", "Fields1.h5", {} },
        { "Fields0.h5", "Fields0.h5", {} }, { "Fields1.h5", "Fields1.h5", {} } } },
    Case{ "a number of the program's, and one that grows",
      { { "run3_out.7.h5", "run#_out.#.h5", 7 }, { "run3_out.8.h5", "run#_out.#.h5", 8 } } },
    Case{ "a number that never grows behind one that does",
      { { "out.0003_2.x1.h5", "out.#_#.x#.h5", 3 }, { "out.0004_2.x1.h5", "out.#_#.x#.h5", 4 } } },
    Case{ "a process's number", { { "out.0003.p1.h5", "out.#.p#.h5", 3 } } },
    Case{ "a pressure's number", { { "p3.h5", "p#.h5", 3 } } },
    Case{ "names of files that are not whole yet",
      { { "out.0003.h5.tmp", "out.#.h5.tmp", 3 }, { "out.0004.h5.tmp", "out.#.h5.tmp", 4 } } },
    Case{ "steps behind the extension", { { "sim.h5.0003", "sim.h#", 3 } } },
    Case{ "and a number of the program's",
      { { "out.0003.h5.tmp.712", "out.#.h#.tmp.#", 3 },
        { "out.0004.h5.tmp.712", "out.#.h#.tmp.#", 4 } } },
    Case{ "times, as of Meep",
      { { "ez-000004.75.h5", "ez-#.h5", 4.75 }, { "ez-000005.00.h5", "ez-#.h5", 5 },
        { "ez-000005.25.h5", "ez-#.h5", 5.25 } } },
    Case{ "times without zeros",
      { { "t0.75.h5", "t#.h5", 0.75 }, { "t0.8.h5", "t#.h5", 0.8 }, { "t1.h5", "t#.h5", 1 },
        { "t1.25.h5", "t#.h5", 1.25 } } },
    Case{ "times that look like counters at first",
      { { "t0.0050.h5", "t#.h5", 0.005 }, { "t0.9950.h5", "t#.h5", 0.995 },
        { "t1.0050.h5", "t#.h5", 1.005 } } },
    Case{ "one kind with a counter",
      { { "B.out1.00009.h5", "B.out#.h5", 9 }, { "B.out1.00010.h5", "B.out#.h5", 10 } } },
    Case{ "a counter without zeros",
      { { "B.out1.9.h5", "B.out#.h5", 9 }, { "B.out1.10.h5", "B.out#.h5", 10 } } },
    Case{ "times of day",
      { { "w_11-15.h5", "w_#-#.h5", 1115 }, { "w_11-45.h5", "w_#-#.h5", 1145 },
        { "w_12-15.h5", "w_#-#.h5", 1215 } } },
    Case{ "two domains with times of day, as of WRF",
      { { "d01_24_12-00.h5", "d01_#_#-#.h5", 12 }, { "d02_24_12-00.h5", "d02_#_#-#.h5", 12 },
        { "d01_24_13-00.h5", "d01_#_#-#.h5", 13 }, { "d02_24_13-00.h5", "d02_#_#-#.h5", 13 } } },
    Case{ "two numbers that grow, and go back",
      { { "c10_t50.h5", "c#_t#.h5", 50 }, { "c11_t55.h5", "c#_t#.h5", 55 },
        { "c12_t60.h5", "c#_t#.h5", 60 }, { "c10_t50.h5", "c#_t#.h5", 50 },
        { "c11_t55.h5", "c#_t#.h5", 55 }, { "c12_t60.h5", "c#_t#.h5", 60 } } },
    Case{ "no number", { { "out.h5", "out.h5", {} } } }),
  [](const auto& one)
  {
    std::string name = one.param.What;
    std::erase_if(name, [](char c) { return std::isalpha(static_cast<unsigned char>(c)) == 0; });
    return name;
  });

TEST(NumberRoles, NumbersOfProcessesTellNoKinds)
{
  NumberRoles roles;
  for (const auto& [writer, name] : std::vector<std::pair<const char*, const char*>>{
         { "a", "out.1.p0.h5" }, { "b", "out.1.p1.h5" }, { "b", "out.2.p1.h5" },
         { "a", "out.2.p0.h5" }, { "a", "out.3.p0.h5" }, { "b", "out.3.p1.h5" } })
  {
    roles.Note(writer, NumberedStem(name));
  }
  EXPECT_EQ(roles.StreamOf(NumberedStem("out.3.p1.h5")), "out.#.p#.h5");
  EXPECT_EQ(roles.StepOf(NumberedStem("out.3.p1.h5")), 3);
}

TEST(NumberRoles, AWriterThatFollowsAnotherGoesOnWithItsSteps)
{
  NumberRoles roles;
  const char* const names[] = { "f1_0.h5", "f2_0.h5", "f1_1.h5", "f2_1.h5" };
  std::string before;
  for (const char* name : names)
  {
    const std::string writer = std::string("of ") + name;
    roles.Follow(writer, before);
    roles.Note(writer, NumberedStem(name));
    before = writer;
  }
  EXPECT_EQ(roles.StreamOf(NumberedStem("f2_1.h5")), "f2_#.h5");
}

TEST(NumberRoles, SaysWhenItHasLearned)
{
  NumberRoles roles;
  EXPECT_FALSE(roles.Note("a", NumberedStem("f1_0.h5")));
  EXPECT_TRUE(roles.Note("a", NumberedStem("f2_0.h5"))) << "a number has grown";
  EXPECT_TRUE(roles.Note("a", NumberedStem("f1_1.h5"))) << "it tells kinds";
  EXPECT_FALSE(roles.Note("a", NumberedStem("f2_1.h5")));
  EXPECT_FALSE(roles.Note("a", NumberedStem("f2_1.h5")));
}

}
