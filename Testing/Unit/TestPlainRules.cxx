// SPDX-License-Identifier: BSD-3-Clause
#include "Describe/Overrides.h"
#include "Describe/PlainRules.h"
#include "MemoryFacts.h"

#include <gtest/gtest.h>

using dsm::describe::PlainChoice;

namespace
{
using Numbers = std::vector<double>;

void Check(const PlainChoice& choice, const std::vector<RecogniserCase>& table)
{
  CheckRecogniser([&](const dsm::describe::Asked& asked)
    { return std::optional(dsm::describe::DescribePlain(asked, choice)); }, table);
}

void FillParticles(MemoryFacts& file)
{
  for (const char* name : { "x", "y", "z", "charge" })
  {
    file.Data(std::string("/ions/") + name, { 7 });
  }
  file.Data("/electrons/position", { 9, 3 });
  file.Data("/electrons/charge", { 9 });
}
}

TEST(PlainRules, MakeImagesOfTheLargestDatasets)
{
  Check({},
    {
      { "a grid of three dimensions", [](MemoryFacts& file) { file.Data("/u", { 2, 3, 4 }); },
        R"(image: its largest dataset is a 2 x 3 x 4 grid
part image: uniform, 4 x 3 x 2 points, origin 0 0 0, spacing 1 1 1
  point array u: /u[z:2, y:3, x:4]
guessed: Origin 0 0 0
guessed: Spacing 1 1 1
guessed: Last dimension = x
guessed: Point data)" },
      { "a vector, and distances that attributes state",
        [](MemoryFacts& file)
        {
          file.Data("/v", { 2, 3, 4, 3 }).With("dx", 0.5);
          file.Group("/").With("origin", Numbers{ 1, 2, 3 }).With("time", 4);
        },
        R"(image: its largest dataset is a 2 x 3 x 4 grid
time 4
part image: uniform, 4 x 3 x 2 points, origin 3 2 1, spacing 0.5 0.5 0.5
  point array v: /v[z:2, y:3, x:4, c:3]
guessed: Origin 3 2 1 (/@origin read as z, y, x)
guessed: Spacing 0.5 along all axes (/v@dx)
guessed: Last dimension = x
guessed: Point data
guessed: Last dimension = vector components)" },
      { "two shapes, a small one, a single value and text",
        [](MemoryFacts& file)
        {
          file.Data("/e", { 9, 6, 5 });
          file.Data("/b", { 8, 6, 5 });
          file.Data("/small", { 3 });
          file.Data("/one", {});
          file.Data("/empty", { 0, 6, 5 });
          file.Data("/name", { 2 }).OfType("text");
        },
        R"(image: its largest dataset is a 9 x 6 x 5 grid
part 9 x 6 x 5: uniform, 5 x 6 x 9 points, origin 0 0 0, spacing 1 1 1
  point array e: /e[z:9, y:6, x:5]
part 8 x 6 x 5: uniform, 5 x 6 x 8 points, origin 0 0 0, spacing 1 1 1
  point array b: /b[z:8, y:6, x:5]
guessed: Origin 0 0 0
guessed: Spacing 1 1 1
guessed: Last dimension = x
guessed: Point data
left out: /empty: it is empty
left out: /name: its type is not numeric (text)
left out: /one: it is a single value
left out: /small: size 3 does not match the grid (9 x 6 x 5))" },
      { "coordinates with usual names, which descend along y",
        [](MemoryFacts& file)
        {
          file.Data("/u", { 3, 4 });
          file.Data("/x", { 4 }).Holding({ 0, 1, 2, 3 });
          file.Data("/y", { 3 }).Holding({ 30, 20, 10 });
        },
        R"(image: its largest dataset is a 3 x 4 grid
part image: uniform, 4 x 3 x 1 points, origin 0 10 0, spacing 1 10 1
  point array u: /u[-y:3, x:4]
guessed: Point coordinates = /x, /y)" },
      { "coordinates of cells' edges, at different distances",
        [](MemoryFacts& file)
        {
          file.Data("/u", { 2, 3 });
          file.Data("/grid/x", { 4 }).Holding({ 0, 1, 2, 4 });
          file.Data("/grid/y", { 3 }).Holding({ 0, 1, 2 });
        },
        R"(image: its largest dataset is a 2 x 3 grid
part image: rectilinear, 4 x 3 x 1 points, at /grid/x[x:4]; /grid/y[y:3]; 0
  cell array u: /u[y:2, x:3]
guessed: Cell edges = /grid/x, /grid/y)" },
      { "complex numbers and other compounds",
        [](MemoryFacts& file)
        {
          file.Data("/psi", { 3, 4 }).OfMembers({ "r", "i" });
          file.Data("/phi", { 3, 4 }).OfMembers({ "real", "imag" });
          file.Data("/state", { 3, 4 }).OfMembers({ "rho", "p" });
        },
        R"(image: its largest dataset is a 3 x 4 grid
part image: uniform, 4 x 3 x 1 points, origin 0 0 0, spacing 1 1 1
  point array phi (real, imaginary): /phi.real[y:3, x:4], /phi.imag[y:3, x:4]
  point array psi (real, imaginary): /psi.r[y:3, x:4], /psi.i[y:3, x:4]
  point array state.rho: /state.rho[y:3, x:4]
  point array state.p: /state.p[y:3, x:4]
guessed: Origin 0 0 0
guessed: Spacing 1 1 1
guessed: Last dimension = x
guessed: Point data)" },
      { "groups that are steps, with their times",
        [](MemoryFacts& file)
        {
          for (const int step : { 0, 9, 10 })
          {
            const std::string group = "/Step#" + std::to_string(step);
            file.Group(group).With("TimeValue", step / 10.0);
            file.Data(group + "/rho", { 4, 6 });
          }
        },
        R"(image: its largest dataset is a 4 x 6 grid
time 1
step 2 of 3, times 0 to 1
part image: uniform, 6 x 4 x 1 points, origin 0 0 0, spacing 1 1 1
  point array rho: /Step#10/rho[y:4, x:6]
guessed: Steps = /Step#10 and the groups beside it
guessed: Origin 0 0 0
guessed: Spacing 1 1 1
guessed: Last dimension = x
guessed: Point data)" },
      { "groups that are steps, by their numbers, the first",
        [](MemoryFacts& file)
        {
          file.Data("/cycle_5/rho", { 4, 6 });
          file.Data("/cycle_6/rho", { 4, 6 });
        },
        R"(image: its largest dataset is a 4 x 6 grid
step 0 of 2, times 5 to 6
part image: uniform, 6 x 4 x 1 points, origin 0 0 0, spacing 1 1 1
  point array rho: /cycle_5/rho[y:4, x:6]
guessed: Steps = /cycle_6 and the groups beside it
guessed: Time = step number
guessed: Origin 0 0 0
guessed: Spacing 1 1 1
guessed: Last dimension = x
guessed: Point data)",
        0 },
      { "the time in a dataset",
        [](MemoryFacts& file)
        {
          file.Data("/u", { 3, 4 });
          file.Data("/time", { 3 }).Holding({ 1, 2, 4 });
        },
        R"(image: its largest dataset is a 3 x 4 grid
time 4
part image: uniform, 4 x 3 x 1 points, origin 0 0 0, spacing 1 1 1
  point array u: /u[y:3, x:4]
guessed: Time 4 (the last value of /time)
guessed: Origin 0 0 0
guessed: Spacing 1 1 1
guessed: Last dimension = x
guessed: Point data)" },
    });
}

TEST(PlainRules, MakeTablesAndPointsOfColumns)
{
  Check({},
    {
      { "columns",
        [](MemoryFacts& file)
        {
          file.Data("/a", { 7 });
          file.Data("/c", { 5 });
          file.Data("/z", { 7 }).OfMembers({ "r", "i" });
        },
        R"(table: its largest dataset has 7 values in one dimension
part table: table of 7 rows
  point array a: /a[i:7]
  point array z (real, imaginary): /z.r[i:7], /z.i[i:7]
guessed: Table (datasets with one dimension)
left out: /c: size 5 does not match the columns (7 rows))" },
      { "columns of one length, the largest with several numbers in a row",
        [](MemoryFacts& file)
        {
          file.Data("/a", { 7 });
          file.Data("/b", { 7, 3 });
        },
        R"(image: its largest dataset is a 7 x 3 grid
part image: uniform, 3 x 7 x 1 points, origin 0 0 0, spacing 1 1 1
  point array b: /b[y:7, x:3]
guessed: Image (/b may be columns of a table)
guessed: Origin 0 0 0
guessed: Spacing 1 1 1
guessed: Last dimension = x
guessed: Point data
left out: /a: size 7 does not match the grid (7 x 3))" },
      { "particles of two species", FillParticles,
        R"(points: its largest dataset has 9 x 3 values, and /electrons/position gives coordinates
part ions: 7 points without cells, at /ions/x[i:7], /ions/y[i:7], /ions/z[i:7]
  point array charge: /ions/charge[i:7]
  point array x: /ions/x[i:7]
  point array y: /ions/y[i:7]
  point array z: /ions/z[i:7]
part electrons: 9 points without cells, at /electrons/position[i:9, c:3]
  point array charge: /electrons/charge[i:9]
  point array position: /electrons/position[i:9, c:3]
guessed: Point coordinates = /ions/x, /ions/y, /ions/z
guessed: Point coordinates = /electrons/position)" },
    });
}

TEST(PlainRules, DoWhatIsChosen)
{
  PlainChoice table;
  table.Show = PlainChoice::As::Table;
  Check(table, { { "a table", FillParticles, R"(table: as was asked for
part table: table of 9 rows
  point array electrons/charge: /electrons/charge[i:9]
  point array electrons/position: /electrons/position[i:9, c:3]
left out: /ions/charge: size 7 does not match the columns (9 rows)
left out: /ions/x: size 7 does not match the columns (9 rows)
left out: /ions/y: size 7 does not match the columns (9 rows)
left out: /ions/z: size 7 does not match the columns (9 rows))" } });
  PlainChoice points;
  points.Show = PlainChoice::As::Points;
  points.Columns = { "a", "b", "" };
  Check(points,
    {
      { "columns for the coordinates",
        [](MemoryFacts& file)
        {
          file.Data("/a", { 7 });
          file.Data("/b", { 7 });
          file.Data("/c", { 7 });
        },
        R"(points: as was asked for
part points: 7 points without cells, at /a[i:7], /b[i:7]
  point array a: /a[i:7]
  point array b: /b[i:7]
  point array c: /c[i:7]
set: Point coordinates = /a, /b)" },
      { "columns of different length",
        [](MemoryFacts& file)
        {
          file.Data("/a", { 7 });
          file.Data("/b", { 6 });
        },
        R"(error: the columns /a and /b of /runs/out.h5 are to be coordinates, and have 7 and 6 rows: choose columns of one length)" },
      { "a column that does not exist", [](MemoryFacts& file) { file.Data("/a", { 7 }); },
        R"(error: /runs/out.h5 has no column "b" for the coordinates: choose among a, or leave the choice empty)" },
    });
  PlainChoice image;
  image.Show = PlainChoice::As::Image;
  Check(image, { { "an image of columns", FillParticles, R"(image: as was asked for
part image: uniform, 3 x 9 x 1 points, origin 0 0 0, spacing 1 1 1
  point array electrons/position: /electrons/position[y:9, x:3]
guessed: Origin 0 0 0
guessed: Spacing 1 1 1
guessed: Last dimension = x
guessed: Point data
left out: /electrons/charge: size 9 does not match the grid (9 x 3)
left out: /ions/charge: size 7 does not match the grid (9 x 3)
left out: /ions/x: size 7 does not match the grid (9 x 3)
left out: /ions/y: size 7 does not match the grid (9 x 3)
left out: /ions/z: size 7 does not match the grid (9 x 3))" } });
  PlainChoice order;
  order.Order = dsm::describe::ParseAxisOrder("c,y,x");
  Check(order,
    {
      { "components first", [](MemoryFacts& file) { file.Data("/v", { 3, 4, 5 }); },
        R"(image: its largest dataset is a 4 x 5 grid
part image: uniform, 5 x 4 x 1 points, origin 0 0 0, spacing 1 1 1
  point array v: /v[c:3, y:4, x:5]
guessed: Origin 0 0 0
guessed: Spacing 1 1 1
guessed: Last dimension = x
guessed: Point data)" },
      { "no dataset has as many", [](MemoryFacts& file) { file.Data("/v", { 4, 5 }); },
        R"(error: /runs/out.h5 holds no dataset of numbers with the 3 dimensions that the axis order names: it has /v (float64, 4 x 5); name as many as one of its datasets has, or leave it empty)" },
    });
}

TEST(PlainRules, SayThatThereIsNothingToShow)
{
  Check({},
    {
      { "nothing", [](MemoryFacts&) {},
        R"(error: /runs/out.h5 holds neither a VTKHDF group nor a dataset of numbers with one to three dimensions (or four, the last with at most 9 components): it has no datasets, so there is nothing to show)" },
      { "text", [](MemoryFacts& file) { file.Data("/name", { 2 }).OfType("text"); },
        R"(error: /runs/out.h5 holds neither a VTKHDF group nor a dataset of numbers with one to three dimensions (or four, the last with at most 9 components): it has /name (text, 2), so there is nothing to show)" },
    });
  PlainChoice points;
  points.Show = PlainChoice::As::Points;
  Check(points,
    { { "no coordinates", [](MemoryFacts& file) { file.Data("/a", { 7 }); },
      R"(error: /runs/out.h5 has no columns called x and y (and z), or coordinates: name those to take as the points' coordinates, or show it as a table)" } });
}
