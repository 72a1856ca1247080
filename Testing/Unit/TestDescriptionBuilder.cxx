// SPDX-License-Identifier: BSD-3-Clause
#include "Describe/DescriptionBuilder.h"
#include "Describe/ObjectSources.h"
#include "MemoryFacts.h"

#include <gtest/gtest.h>

using namespace dsm::describe;

TEST(DescriptionBuilder, ChoosesTheStepThatIsAskedForOrTheLast)
{
  const MemoryFacts file;
  struct Case
  {
    std::optional<std::size_t> Wanted;
    std::size_t Count, Chosen;
  };
  for (const Case& one : { Case{ {}, 5, 4 }, Case{ 2, 5, 2 }, Case{ 9, 5, 4 }, Case{ {}, 0, 0 } })
  {
    const Asked asked{ file, "out.h5", one.Wanted };
    DescriptionBuilder builder(asked);
    EXPECT_EQ(builder.ChooseStep(one.Count), one.Chosen);
    EXPECT_EQ(builder.Finish().Step, one.Chosen);
  }
}

TEST(DescriptionBuilder, ListsTimesIfTheyAscend)
{
  const MemoryFacts file;
  const Asked asked{ file, "out.h5", 1 };
  DescriptionBuilder builder(asked);
  builder.ChooseStep(3);
  EXPECT_FALSE(builder.SetTimes({ 0, 2, 2 }));
  EXPECT_FALSE(builder.HasTimes());
  EXPECT_EQ(builder.Time(), 2);
  EXPECT_TRUE(builder.SetTimes({ 0, 1, 2 }));
  EXPECT_EQ(builder.Finish().Times, (std::vector<double>{ 0, 1, 2 }));
}

TEST(DescriptionBuilder, LeavesOutWhatIsNotUsedOnce)
{
  MemoryFacts file;
  for (const char* path : { "/a", "/b", "/c", "/d", "/e" })
  {
    file.Data(path, { 3 });
  }
  const Asked asked{ file, "out.h5" };
  DescriptionBuilder builder(asked);
  builder.Use("/a");
  EXPECT_FALSE(builder.LeaveOut("/b", "first"));
  builder.Explain("/c", "explained");
  builder.Explain("/a", "used all the same");
  EXPECT_EQ(builder.WhyNothing(), ": /b: first");
  builder.LeaveOutOthers(file.Objects(),
    [](const dsm::hdf5::Object& object) { return object.Path == "/d" ? "" : "other"; });
  const std::vector<LeftOut> expected = { { "/b", "first" }, { "/c", "explained" },
    { "/e", "other" } };
  EXPECT_EQ(builder.Finish().Left, expected);
}

TEST(DescriptionBuilder, GuessesAndAssumesOnce)
{
  const MemoryFacts file;
  const Asked asked{ file, "out.h5" };
  DescriptionBuilder builder(asked);
  for (int time = 0; time < 2; ++time)
  {
    builder.Guess("spacing 1");
    builder.Assume(Setting::Origin, "origin 0");
  }
  const Description made = builder.Finish();
  EXPECT_EQ(made.Guessed.size(), 1U);
  EXPECT_EQ(made.Assumed.size(), 1U);
}

TEST(DescriptionBuilder, RefusesWithTheNameOfTheFormat)
{
  const MemoryFacts file;
  const Asked asked{ file, "out.h5" };
  DescriptionBuilder builder(asked);
  builder.SetFormat("Waves", "it says so");
  try
  {
    builder.Refuse("it has {} tiles", 0);
  }
  catch (const dsm::Error& error)
  {
    EXPECT_STREQ(error.what(), "out.h5 is a file of Waves, and cannot be shown: it has 0 tiles");
  }
}

TEST(AddJoined, AddsVectorsAndReturnsNamesThatAreTaken)
{
  Part part{ "part", Rows{ 3 }, { { "v", Centring::Point }, { "q", Centring::Cell } } };
  const auto taken = AddJoined(part, Centring::Point,
    { { "vx", ListSource("/vx", 3) }, { "vy", ListSource("/vy", 3) }, { "q", ListSource("/q", 3) },
      { "uX", ListSource("/uX", 3) }, { "uY", ListSource("/uY", 3) } });
  EXPECT_EQ(taken, std::vector<std::string>{ "v" });
  ASSERT_EQ(part.Arrays.size(), 4U);
  EXPECT_EQ(part.Arrays[2].Name, "q");
  EXPECT_EQ(part.Arrays[3].Name, "u");
  EXPECT_EQ(part.Arrays[3].Sources.size(), 2U);
}

TEST(ObjectSources, TellComplexNumbersFromOtherCompounds)
{
  EXPECT_TRUE(IsComplex({ "r", "i" }));
  EXPECT_TRUE(IsComplex({ "real", "imag" }));
  EXPECT_FALSE(IsComplex({ "i", "r" }));
  EXPECT_FALSE(IsComplex({ "r", "i", "w" }));
  EXPECT_FALSE(IsComplex({ "r" }));
  MemoryFacts file;
  const auto names = [&](const dsm::hdf5::Object& object, const Source& source)
  {
    std::vector<std::string> found;
    for (const Array& array : ArraysOf(object, "psi", Centring::Point, source))
    {
      found.push_back(array.Name + ":" + std::to_string(array.Sources.size()));
    }
    return found;
  };
  using Names = std::vector<std::string>;
  const auto numbers = file.Data("/numbers", { 4 }).Object;
  EXPECT_EQ(names(numbers, ListSource("/numbers", 4)), Names{ "psi:1" });
  const auto complex = file.Data("/complex", { 4 }).OfMembers({ "r", "i" }).Object;
  EXPECT_EQ(names(complex, ListSource("/complex", 4)), Names{ "psi:2" });
  const auto state = file.Data("/state", { 4 }).OfMembers({ "rho", "p" }).Object;
  EXPECT_EQ(names(state, ListSource("/state", 4)), (Names{ "psi.rho:1", "psi.p:1" }));
  // Components of complex numbers stay apart: an array has no components of components.
  const auto vectors = file.Data("/vectors", { 4, 3 }).OfMembers({ "r", "i" }).Object;
  EXPECT_EQ(names(vectors, SourceOf(vectors, { Role::Index, Role::Component })),
    (Names{ "psi.r:1", "psi.i:1" }));
}

TEST(ObjectSources, LetTheLastDimensionRunAlongX)
{
  MemoryFacts file;
  const Source source = GridSource(file.Data("/u", { 2, 3, 4 }).Object);
  const std::vector<Dimension> expected = { { Role::Z, 0, 2 }, { Role::Y, 0, 3 },
    { Role::X, 0, 4 } };
  EXPECT_EQ(source.Dimensions, expected);
}
