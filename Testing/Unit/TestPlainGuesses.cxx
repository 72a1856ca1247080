// SPDX-License-Identifier: BSD-3-Clause
#include "Base/Error.h"
#include "Describe/AxisValues.h"
#include "Describe/Check.h"
#include "Describe/DescriptionText.h"
#include "Describe/Overrides.h"
#include "Describe/PlainRules.h"
#include "MemoryFacts.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>

using dsm::describe::Alternative;
using dsm::describe::Description;
using dsm::describe::PlainChoice;
using dsm::describe::Setting;

namespace
{
using Numbers = std::vector<double>;

Description Described(const MemoryFacts& file, const PlainChoice& choice = {},
  std::optional<std::size_t> step = std::nullopt)
{
  return dsm::describe::DescribePlain({ file, "/runs/out.h5", step }, choice);
}

// As Readers/Recognition does it for a user's axis order.
Description InOrder(
  const MemoryFacts& file, const std::string& order, std::optional<std::size_t> step = std::nullopt)
{
  PlainChoice choice;
  choice.Order = dsm::describe::ParseAxisOrder(order);
  dsm::describe::Overrides set;
  set.AxisOrder = order;
  return dsm::describe::Override(Described(file, choice, step), set, {}, step);
}

void ExpectLine(const Description& description, const std::string& line)
{
  const std::string text = "\n" + dsm::describe::Text(description);
  EXPECT_NE(text.find("\n" + line + "\n"), std::string::npos) << line << "\nis not in" << text;
}

void ExpectNoLine(const Description& description, const std::string& part)
{
  const std::string text = dsm::describe::Text(description);
  EXPECT_EQ(text.find(part), std::string::npos) << part << "\nis in\n" << text;
}

// Returns "AxisOrder=xyz" and the like: what selects the alternatives of all guesses.
std::vector<std::string> Choices(const Description& description)
{
  constexpr std::array names = { "AxisOrder", "Origin", "Spacing", "ValuesOf", "Columns", "Time",
    "ReadAs", "StepGroups", "GridCoordinates" };
  std::vector<std::string> choices;
  for (const auto& assumed : description.Assumed)
  {
    for (const Alternative& other : assumed.Alternatives)
    {
      EXPECT_FALSE(other.Text.empty());
      choices.push_back(
        std::string(names.at(static_cast<std::size_t>(other.By))) + "=" + other.Value);
    }
  }
  return choices;
}

// As the reader does it if its property is set.
Description Chosen(const MemoryFacts& file, const Alternative& other)
{
  PlainChoice choice;
  dsm::describe::Overrides set;
  switch (other.By)
  {
    case Setting::AxisOrder:
      choice.Order = dsm::describe::ParseAxisOrder(other.Value);
      set.AxisOrder = other.Value;
      break;
    case Setting::Origin:
      set.Origin = other.Value;
      break;
    case Setting::Spacing:
      set.Spacing = other.Value;
      break;
    case Setting::Centring:
      EXPECT_EQ(other.Value, "2");
      set.On = dsm::describe::Overrides::Centring::Cells;
      break;
    case Setting::Kind:
      choice.Show = other.Value == "4" ? PlainChoice::As::Table : PlainChoice::As::Image;
      break;
    case Setting::StepGroups:
      choice.StepGroups = false;
      break;
    case Setting::GridCoordinates:
      choice.GridCoordinates = false;
      break;
    default:
      ADD_FAILURE() << "no property has alternatives for it";
  }
  Description made = Described(file, choice);
  return set.Any() ? dsm::describe::Override(std::move(made), set, {}, {}) : made;
}

using Texts = std::vector<std::string>;

std::string FirstChoice(const Description& description)
{
  const Texts choices = Choices(description);
  return choices.empty() ? std::string() : choices.front();
}
}

// ---- Spacing and origin.

TEST(PlainPosition, NumbersForEachDimensionAreInTheOrderOfDimensions)
{
  MemoryFacts file;
  file.Data("/u", { 2, 3, 4 })
    .With("spacing", Numbers{ 2, 1, 0.5 })
    .With("origin", Numbers{ 30, 20, 10 });
  const Description made = Described(file);
  ExpectLine(made, "part image: uniform, 4 x 3 x 2 points, origin 10 20 30, spacing 0.5 1 2");
  ExpectLine(made, "guessed: Spacing 0.5 1 2 (/u@spacing read as z, y, x)");
  ExpectLine(made, "guessed: Origin 10 20 30 (/u@origin read as z, y, x)");
  const Texts choices = Choices(made);
  EXPECT_EQ(std::count(choices.begin(), choices.end(), "Spacing=2 1 0.5"), 1);
  EXPECT_EQ(std::count(choices.begin(), choices.end(), "Origin=30 20 10"), 1);
}

TEST(PlainPosition, NamesOfVectorsAlongXComeFirstAreReadSo)
{
  MemoryFacts file;
  file.Data("/u", { 2, 3, 4 })
    .With("dx", Numbers{ 2, 1, 0.5 })
    .With("prob_lo", Numbers{ 30, 20, 10 });
  const Description made = Described(file);
  ExpectLine(made, "part image: uniform, 4 x 3 x 2 points, origin 30 20 10, spacing 2 1 0.5");
  ExpectLine(made, "guessed: Spacing 2 1 0.5 (/u@dx read as x, y, z)");
  const Texts choices = Choices(made);
  EXPECT_EQ(std::count(choices.begin(), choices.end(), "Spacing=0.5 1 2"), 1);
  EXPECT_EQ(std::count(choices.begin(), choices.end(), "Origin=10 20 30"), 1);
}

TEST(PlainPosition, EqualNumbersAreNoGuess)
{
  MemoryFacts file;
  file.Data("/u", { 2, 3, 4 }).With("spacing", Numbers{ 2, 2, 2 }).With("origin", 3);
  const Description made = Described(file);
  ExpectLine(made, "part image: uniform, 4 x 3 x 2 points, origin 3 3 3, spacing 2 2 2");
  ExpectNoLine(made, "guessed: Spacing");
  ExpectNoLine(made, "guessed: Origin");
}

TEST(PlainPosition, ThreeNumbersForTwoDimensionsAreXYAndZ)
{
  MemoryFacts file;
  file.Data("/u", { 30, 40 }).With("spacing", Numbers{ 0.5, 1, 2 });
  const Description made = Described(file);
  ExpectLine(made, "part image: uniform, 40 x 30 x 1 points, origin 0 0 0, spacing 0.5 1 2");
  const Texts choices = Choices(made);
  EXPECT_EQ(std::count(choices.begin(), choices.end(), "Spacing=2 1 0.5"), 1);
}

TEST(PlainPosition, OneAttributePerAxisSaysItAll)
{
  MemoryFacts file;
  file.Data("/u", { 2, 3, 4 });
  file.Group("/").With("dx", 0.5).With("dy", 1).With("dz", 2);
  file.Group("/").With("x0", 10).With("y0", 20).With("z0", 30);
  const Description made = Described(file);
  ExpectLine(made, "part image: uniform, 4 x 3 x 2 points, origin 10 20 30, spacing 0.5 1 2");
  ExpectNoLine(made, "guessed: Spacing");
  ExpectNoLine(made, "guessed: Origin");
}

TEST(PlainPosition, TheSpacingOfOneAxisAloneIsAGuessForTheOthers)
{
  MemoryFacts file;
  file.Data("/u", { 30, 40 }).With("dx", 0.5);
  const Description made = Described(file);
  ExpectLine(made, "part image: uniform, 40 x 30 x 1 points, origin 0 0 0, spacing 0.5 0.5 1");
  ExpectLine(made, "guessed: Spacing 0.5 along all axes (/u@dx)");
}

TEST(PlainPosition, ASpacingThatCannotBeIsMentioned)
{
  MemoryFacts file;
  file.Data("/u", { 30, 40 }).With("spacing", Numbers{ 0, 1 });
  const Description made = Described(file);
  ExpectLine(made, "guessed: Spacing 1 1 1 (/u@spacing is not greater than 0)");
}

TEST(PlainPosition, FollowsTheAxisOrderThatIsSet)
{
  MemoryFacts file;
  file.Data("/u", { 2, 3, 4 })
    .With("spacing", Numbers{ 2, 1, 0.5 })
    .With("prob_lo", Numbers{ 10, 20, 30 });
  const Description made = InOrder(file, "xyz");
  ExpectLine(made, "part image: uniform, 2 x 3 x 4 points, origin 10 20 30, spacing 2 1 0.5");
}

// ---- Labels of dimensions.

TEST(PlainAxisOrder, LabelsSayIt)
{
  MemoryFacts file;
  file.Data("/u", { 2, 3, 4 })
    .With("DIMENSION_LABELS", std::vector<std::string>{ "x", "y", "z" })
    .With("spacing", Numbers{ 2, 1, 0.5 });
  const Description made = Described(file);
  ExpectLine(made, "part image: uniform, 2 x 3 x 4 points, origin 0 0 0, spacing 2 1 0.5");
  ExpectLine(made, "  point array u: /u[x:2, y:3, z:4]");
  ExpectNoLine(made, "the last dimension runs along x");
  MemoryFacts plane;
  plane.Data("/u", { 30, 40 }).With("axisLabels", std::vector<std::string>{ "Z", "X" });
  ExpectLine(
    Described(plane), "part image: uniform, 40 x 1 x 30 points, origin 0 0 0, spacing 1 1 1");
}

TEST(PlainAxisOrder, ALabelNamesTheTime)
{
  MemoryFacts file;
  file.Data("/u", { 5, 30, 40 })
    .With("DIMENSION_LABELS", std::vector<std::string>{ "time", "y", "x" });
  const Description made = Described(file);
  ExpectLine(made, "  point array u: /u[t=4, y:30, x:40]");
  ExpectNoLine(made, "guessed: First dimension");
}

TEST(PlainAxisOrder, ListsTheOtherOrders)
{
  MemoryFacts file;
  file.Data("/u", { 20, 30, 40 });
  EXPECT_EQ(Choices(Described(file)), (Texts{ "AxisOrder=xyz", "ValuesOf=2" }));
  MemoryFacts vectors;
  vectors.Data("/u", { 20, 30, 3 });
  EXPECT_EQ(Choices(Described(vectors)), (Texts{ "AxisOrder=xyz", "AxisOrder=yxc", "ValuesOf=2" }));
  MemoryFacts four;
  four.Data("/u", { 20, 30, 40, 3 });
  EXPECT_EQ(Choices(Described(four)), (Texts{ "AxisOrder=xyzc", "ValuesOf=2", "AxisOrder=tzyx" }));
}

// ---- Steps along a dimension.

TEST(PlainTime, AnUnlimitedDimensionWithTimesIsTime)
{
  MemoryFacts file;
  file.Data("/fields/u", { 5, 30, 40 }).Growing(0);
  file.Data("/fields/mask", { 30, 40 });
  file.Data("/fields/energy", { 5 }).Growing(0);
  file.Data("/fields/time", { 5 }).Growing(0).Holding({ 0, 1, 2, 4, 8 });
  const Description made = Described(file);
  ExpectLine(made, "time 8");
  ExpectLine(made, "step 4 of 5, times 0 to 8");
  ExpectLine(made, "part image: uniform, 40 x 30 x 1 points, origin 0 0 0, spacing 1 1 1");
  ExpectLine(made, "  point array fields/u: /fields/u[t=4, y:30, x:40]");
  ExpectLine(made, "  point array fields/mask: /fields/mask[y:30, x:40]");
  ExpectLine(made, "guessed: First dimension = time (5 steps, times from /fields/time)");
  ExpectLine(made, "left out: /fields/energy: it has one value per step, not per point");
  ExpectNoLine(made, "left out: /fields/time");
  EXPECT_EQ(FirstChoice(made), "AxisOrder=zyx");
  const Description first = Described(file, {}, 0);
  ExpectLine(first, "time 0");
  ExpectLine(first, "  point array fields/u: /fields/u[t=0, y:30, x:40]");
}

TEST(PlainTime, TheAlternativeIsABlock)
{
  MemoryFacts file;
  file.Data("/u", { 5, 30, 40 }).Growing(0);
  file.Data("/time", { 5 }).Growing(0).Holding({ 0, 1, 2, 4, 8 });
  const Description block = InOrder(file, "zyx");
  ExpectLine(block, "part image: uniform, 40 x 30 x 5 points, origin 0 0 0, spacing 1 1 1");
  ExpectLine(block, "  point array u: /u[z:5, y:30, x:40]");
  ExpectNoLine(block, "left out: /time");
  // The order with t is what was recognised.
  const Description steps = InOrder(file, "tyx", 1);
  ExpectLine(steps, "step 1 of 5, times 0 to 8");
  ExpectLine(steps, "  point array u: /u[t=1, y:30, x:40]");
}

TEST(PlainTime, AFixedDimensionIsTimeIfTheTimesFitAndNoOtherDimensionIsAsLong)
{
  MemoryFacts file;
  file.Data("/u", { 3, 30, 40 });
  file.Data("/scales/sim_time", { 3 }).Holding({ 1, 2, 3 });
  ExpectLine(Described(file), "  point array u: /u[t=2, y:30, x:40]");
  MemoryFacts cube;
  cube.Data("/u", { 30, 30, 40 });
  cube.Data("/time", { 30 }).Holding(Numbers(30, 1));
  const Description made = Described(cube);
  ExpectLine(made, "  point array u: /u[z:30, y:30, x:40]");
  EXPECT_EQ(Choices(made), (Texts{ "AxisOrder=xyz", "AxisOrder=tyx", "ValuesOf=2" }));
  ExpectLine(made, "guessed: Time 1 (the last value of /time)");
  ExpectNoLine(made, "left out: /time");
}

TEST(PlainTime, OneUnlimitedDimensionIsTimeAlsoWithoutTimes)
{
  MemoryFacts file;
  file.Data("/frames", { 7, 30, 40 }).Growing(0);
  const Description made = Described(file);
  ExpectLine(made, "step 6 of 7, times 0 to 6");
  ExpectLine(made, "  point array frames: /frames[t=6, y:30, x:40]");
  ExpectLine(made, "guessed: First dimension = time (7 steps)");
  MemoryFacts last;
  last.Data("/frames", { 30, 40, 7 }).Growing(2);
  ExpectLine(Described(last), "  point array frames: /frames[y:30, x:40, t=6]");
  ExpectLine(Described(last), "guessed: Last dimension = time (7 steps)");
  EXPECT_EQ(FirstChoice(Described(last)), "AxisOrder=zyx");
  // Tensors of a growing list, and files whose writer makes each dimension unlimited.
  MemoryFacts tensors;
  tensors.Data("/stress", { 700, 3, 3 }).Growing(0);
  ExpectNoLine(Described(tensors), "= time");
  MemoryFacts all;
  all.Data("/u", { 7, 30, 40 }).Growing(0).Growing(1).Growing(2);
  ExpectNoLine(Described(all), "= time");
}

TEST(PlainTime, ThreeDimensionsAndVectorsHaveSteps)
{
  MemoryFacts file;
  file.Data("/u", { 5, 20, 30, 40 }).Growing(0);
  file.Data("/v", { 5, 20, 30, 40, 3 }).Growing(0);
  file.Data("/t", { 5 }).Holding({ 0, 1, 2, 4, 8 });
  const Description made = Described(file);
  ExpectLine(made, "time 8");
  ExpectLine(made, "part image: uniform, 40 x 30 x 20 points, origin 0 0 0, spacing 1 1 1");
  ExpectLine(made, "  point array u: /u[t=4, z:20, y:30, x:40]");
  ExpectLine(made, "  point array v: /v[t=4, z:20, y:30, x:40, c:3]");
  MemoryFacts plane;
  plane.Data("/v", { 5, 30, 40, 2 }).Growing(0);
  plane.Data("/time", { 5 }).Holding({ 0, 1, 2, 4, 8 });
  const Description vectors = Described(plane);
  ExpectLine(vectors, "  point array v: /v[t=4, y:30, x:40, c:2]");
  const Texts choices = Choices(vectors);
  EXPECT_EQ(std::count(choices.begin(), choices.end(), "AxisOrder=tzyx"), 1);
}

TEST(PlainTime, ParticlesHaveSteps)
{
  MemoryFacts rows;
  rows.Data("/position", { 5, 70, 3 }).Growing(0);
  rows.Data("/mass", { 70 });
  rows.Data("/time", { 5 }).Growing(0).Holding({ 0, 1, 2, 4, 8 });
  const Description made = Described(rows);
  ExpectLine(made, "part points: 70 points without cells, at /position[t=4, i:70, c:3]");
  ExpectLine(made, "  point array mass: /mass[i:70]");
  ExpectLine(made, "step 4 of 5, times 0 to 8");
  MemoryFacts columns;
  for (const char* name : { "/x", "/y", "/charge" })
  {
    columns.Data(name, { 5, 70 }).Growing(0);
  }
  columns.Data("/time", { 5 }).Growing(0).Holding({ 0, 1, 2, 4, 8 });
  const Description found = Described(columns, {}, 1);
  ExpectLine(found, "part points: 70 points without cells, at /x[t=1, i:70], /y[t=1, i:70]");
  ExpectLine(found, "  point array charge: /charge[t=1, i:70]");
  ExpectLine(found, "time 1");
}

TEST(PlainTime, AProfileOverTimeStaysAPicture)
{
  MemoryFacts file;
  file.Data("/u", { 5, 40 }).Growing(0);
  file.Data("/time", { 5 }).Growing(0).Holding({ 0, 1, 2, 4, 8 });
  const Description made = Described(file);
  ExpectLine(made, "  point array u: /u[y:5, x:40]");
  EXPECT_EQ(Choices(made), (Texts{ "AxisOrder=xy", "AxisOrder=tx", "ValuesOf=2" }));
  ExpectLine(InOrder(file, "tx", 1), "  point array u: /u[t=1, x:40]");
  ExpectLine(InOrder(file, "tx", 1), "time 1");
}

TEST(PlainTime, StepsWhoseTimesAreNotWrittenYetAreNotShown)
{
  MemoryFacts file;
  file.Data("/u", { 5, 30, 40 }).Growing(0);
  file.Data("/time", { 4 }).Growing(0).Holding({ 0, 1, 2, 4 });
  ExpectLine(Described(file), "  point array u: /u[t=3, y:30, x:40]");
  ExpectLine(Described(file), "time 4");
}

TEST(PlainTime, TimesThatDoNotAscendLeaveTheLastStep)
{
  MemoryFacts file;
  file.Data("/u", { 3, 30, 40 }).Growing(0);
  file.Data("/time", { 3 }).Growing(0).Holding({ 0, 1, 1 });
  const Description made = Described(file);
  ExpectLine(made, "  point array u: /u[t=2, y:30, x:40]");
  EXPECT_TRUE(made.Times.empty());
  ExpectLine(made, "guessed: Last step only (the times in /time do not ascend)");
}

// ---- Groups that are steps, coordinates by names, kinds.

TEST(PlainSteps, NumberedGroupsNeedNotBeSteps)
{
  MemoryFacts file;
  file.Data("/1/rho", { 30, 40 });
  file.Data("/2/rho", { 30, 40 });
  EXPECT_EQ(FirstChoice(Described(file)), "StepGroups=1");
  PlainChoice choice;
  choice.StepGroups = false;
  const Description made = Described(file, choice);
  ExpectLine(made, "  point array 1/rho: /1/rho[y:30, x:40]");
  ExpectLine(made, "  point array 2/rho: /2/rho[y:30, x:40]");
  ExpectNoLine(made, "step ");
  ExpectLine(made, "set: Numbered groups are not steps");
}

TEST(PlainSteps, TakeTheirTimesFromDatasets)
{
  MemoryFacts file;
  for (const int step : { 1, 2 })
  {
    const std::string group = "/step_" + std::to_string(step);
    file.Data(group + "/rho", { 30, 40 });
    file.Data(group + "/time", {}).Holding({ step / 4.0 });
  }
  const Description made = Described(file);
  ExpectLine(made, "step 1 of 2, times 0.25 to 0.5");
  ExpectLine(made, "time 0.5");
  ExpectNoLine(made, "left out: /step_2/time");
}

TEST(PlainCoordinates, CanBeLeftAside)
{
  MemoryFacts file;
  file.Data("/u", { 3, 4 });
  file.Data("/x", { 4 }).Holding({ 0, 1, 2, 4 });
  file.Data("/y", { 3 }).Holding({ 10, 20, 30 });
  EXPECT_EQ(Choices(Described(file)), Texts{ "GridCoordinates=1" });
  PlainChoice choice;
  choice.GridCoordinates = false;
  const Description made = Described(file, choice);
  ExpectLine(made, "part image: uniform, 4 x 3 x 1 points, origin 0 0 0, spacing 1 1 1");
  ExpectLine(made, "set: Grid coordinates are indices");
}

TEST(PlainCoordinates, OfTheSameLengthLeaveTheAxisOrderOpen)
{
  MemoryFacts file;
  file.Data("/u", { 30, 30 });
  for (const char* name : { "/x", "/y" })
  {
    file.Data(name, { 30 }).Holding(Numbers(30, 1));
  }
  const Texts choices = Choices(Described(file));
  EXPECT_EQ(choices, (Texts{ "GridCoordinates=1", "AxisOrder=xy" }));
}

TEST(PlainKinds, ListTheOtherKinds)
{
  MemoryFacts columns;
  columns.Data("/a", { 7 });
  EXPECT_EQ(Choices(Described(columns)), Texts{ "ReadAs=3" });
  MemoryFacts rows;
  rows.Data("/a", { 70, 3 });
  EXPECT_EQ(
    Choices(Described(rows)), (Texts{ "ReadAs=4", "AxisOrder=xy", "AxisOrder=xc", "ValuesOf=2" }));
  MemoryFacts points;
  points.Data("/position", { 70, 3 });
  EXPECT_EQ(Choices(Described(points)), Texts{ "ReadAs=4" });
}

TEST(PlainAlternatives, CanAllBeChosenAndChangeWhatIsShown)
{
  using Fill = void (*)(MemoryFacts&);
  constexpr Fill files[] = {
    [](MemoryFacts& file) { file.Data("/u", { 20, 30 }).With("spacing", Numbers{ 2, 1, 3 }); },
    [](MemoryFacts& file)
    {
      file.Data("/u", { 5, 6, 7 })
        .With("spacing", Numbers{ 2, 1, 3 })
        .With("origin", Numbers{ 1, 2, 3 });
    },
    [](MemoryFacts& file) { file.Data("/u", { 3, 20, 30, 3 }); },
    [](MemoryFacts& file)
    {
      file.Data("/u", { 5, 30, 40 }).Growing(0);
      file.Data("/mask", { 30, 40 });
      file.Data("/time", { 5 }).Holding({ 0, 1, 2, 4, 8 });
    },
    [](MemoryFacts& file) { file.Data("/v", { 5, 30, 40, 2 }).Growing(0); },
    [](MemoryFacts& file) { file.Data("/v", { 5, 8, 30, 40, 3 }).Growing(0); },
    [](MemoryFacts& file) { file.Data("/v", { 30, 40, 5 }).Growing(2); },
    [](MemoryFacts& file)
    {
      file.Data("/x", { 5, 70 }).Growing(0);
      file.Data("/y", { 5, 70 }).Growing(0);
      file.Data("/time", { 5 }).Growing(0).Holding({ 0, 1, 2, 4, 8 });
    },
    [](MemoryFacts& file) { file.Data("/u", { 5, 40 }).Growing(0); },
    [](MemoryFacts& file) { file.Data("/a", { 70, 3 }); },
    [](MemoryFacts& file) { file.Data("/position", { 70, 3 }); },
    [](MemoryFacts& file) { file.Data("/a", { 70 }); },
    [](MemoryFacts& file)
    {
      file.Data("/1/rho", { 30, 30 });
      file.Data("/2/rho", { 30, 30 });
      file.Data("/x", { 30 }).Holding(dsm::describe::EquallySpaced(30, 1));
      file.Data("/y", { 30 }).Holding(dsm::describe::EquallySpaced(30, 1));
    },
    [](MemoryFacts& file)
    {
      file.Data("/u", { 4, 3 });
      file.Data("/x", { 3 }).Holding({ 0, 1, 4 });
      file.Data("/y", { 4 }).Holding({ 0, 1, 2, 4 });
    },
  };
  std::size_t chosen = 0;
  for (const Fill fill : files)
  {
    MemoryFacts file;
    fill(file);
    const Description before = Described(file);
    for (const auto& assumed : before.Assumed)
    {
      for (const Alternative& other : assumed.Alternatives)
      {
        const std::string what = assumed.Text + ": " + other.Value;
        try
        {
          const Description made = Chosen(file, other);
          EXPECT_NO_THROW(dsm::describe::Check(made)) << what;
          const bool differs = made.Parts != before.Parts || made.Times != before.Times;
          EXPECT_TRUE(differs) << what << "\n" << dsm::describe::Text(made);
          ++chosen;
        }
        catch (const dsm::Error& error)
        {
          ADD_FAILURE() << what << ": " << error.what() << "\n" << dsm::describe::Text(before);
        }
      }
    }
  }
  EXPECT_GT(chosen, 30U);
}
