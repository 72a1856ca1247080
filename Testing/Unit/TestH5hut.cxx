// SPDX-License-Identifier: BSD-3-Clause
#include "Describe/H5hut.h"
#include "MemoryFacts.h"

#include <gtest/gtest.h>

namespace
{
using Numbers = std::vector<double>;

void AddParticles(MemoryFacts& file, const std::string& step, hsize_t count)
{
  for (const char* name : { "x", "y", "z", "px", "py", "pz", "q" })
  {
    file.Data(step + "/" + name, { count });
  }
}

void AddField(MemoryFacts& file, const std::string& group, int components)
{
  for (int component = 0; component < components; ++component)
  {
    file.Data(group + "/" + std::to_string(component), { 2, 3, 4 });
  }
}
}

TEST(H5hutRecogniser, MakesPartsOfParticlesAndFields)
{
  CheckRecogniser(dsm::describe::RecogniseH5hut,
    {
      { "particles of the last step, counted as numbers",
        [](MemoryFacts& file)
        {
          for (const char* step : { "/Step#2", "/Step#10" })
          {
            AddParticles(file, step, 7);
          }
          file.Group("/Step#10").With("TIME", 0.5);
        },
        R"(H5hut: the file has steps /Step#n, as H5hut writes them
time 0.5
part particles: 7 points without cells, at /Step#10/x[i:7], /Step#10/y[i:7], /Step#10/z[i:7]
  point array p: /Step#10/px[i:7], /Step#10/py[i:7], /Step#10/pz[i:7]
  point array q: /Step#10/q[i:7])" },
      { "particles of the first step",
        [](MemoryFacts& file)
        {
          AddParticles(file, "/Step#0", 5);
          AddParticles(file, "/Step#1", 7);
        },
        R"(H5hut: the file has steps /Step#n, as H5hut writes them
time 0
step 0 of 2, times 0 to 1
part particles: 5 points without cells, at /Step#0/x[i:5], /Step#0/y[i:5], /Step#0/z[i:5]
  point array p: /Step#0/px[i:5], /Step#0/py[i:5], /Step#0/pz[i:5]
  point array q: /Step#0/q[i:5])",
        0 },
      { "fields with a place, and others",
        [](MemoryFacts& file)
        {
          AddField(file, "/Step#0/Block/E", 3);
          AddField(file, "/Step#0/Block/rho", 1);
          AddField(file, "/Step#0/Block/phi", 1);
          file.Group("/Step#0/Block/E")
            .With("__Origin__", Numbers{ 1, 2, 3 })
            .With("__Spacing__", Numbers{ 0.5, 0.5, 2 });
        },
        R"(H5hut: the file has steps /Step#n, as H5hut writes them
time 0
part fields: uniform, 4 x 3 x 2 points, origin 1 2 3, spacing 0.5 0.5 2
  point array E: /Step#0/Block/E/0[z:2, y:3, x:4], /Step#0/Block/E/1[z:2, y:3, x:4], /Step#0/Block/E/2[z:2, y:3, x:4]
part fields 2: uniform, 4 x 3 x 2 points, origin 0 0 0, spacing 1 1 1
  point array phi: /Step#0/Block/phi/0[z:2, y:3, x:4]
  point array rho: /Step#0/Block/rho/0[z:2, y:3, x:4]
guessed: Origin 0 0 0 of fields
guessed: Spacing 1 1 1 of fields)" },
      { "what is not shown",
        [](MemoryFacts& file)
        {
          AddParticles(file, "/Step#0", 5);
          file.Data("/Step#0/short", { 3 });
          file.Data("/Step#0/Block/flat/0", { 3, 4 });
        },
        R"(H5hut: the file has steps /Step#n, as H5hut writes them
time 0
part particles: 5 points without cells, at /Step#0/x[i:5], /Step#0/y[i:5], /Step#0/z[i:5]
  point array p: /Step#0/px[i:5], /Step#0/py[i:5], /Step#0/pz[i:5]
  point array q: /Step#0/q[i:5]
left out: /Step#0/Block/flat: it has no field of three dimensions
left out: /Step#0/Block/flat/0: it is of no particles and no field
left out: /Step#0/short: it is of no particles and no field)" },
    });
}

TEST(H5hutRecogniser, SaysThatCoordinatesDiffer)
{
  CheckRecogniser(dsm::describe::RecogniseH5hut,
    {
      { "y is longer",
        [](MemoryFacts& file)
        {
          AddParticles(file, "/Step#0", 5);
          file.Data("/Step#0/y", { 6 });
        },
        R"(error: /runs/out.h5 is a file of H5hut, and /Step#0/y has 6 elements, x 5)" },
    });
}

TEST(H5hutRecogniser, IgnoresOtherFiles)
{
  CheckRecogniser(dsm::describe::RecogniseH5hut,
    {
      { "nothing", [](MemoryFacts&) {}, "not recognised" },
      { "steps of something else", [](MemoryFacts& file) { file.Data("/Step#0/rho", { 3, 4 }); },
        "not recognised" },
    });
}
