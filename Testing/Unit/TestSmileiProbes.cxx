// SPDX-License-Identifier: BSD-3-Clause
#include "Describe/SmileiProbes.h"
#include "MemoryFacts.h"

#include <gtest/gtest.h>

namespace
{
void Fill(MemoryFacts& file)
{
  file.Group("/").With("fields", "Ex,Ey,Rho").With("time_integral", 0.0).With("dimension", 1);
  file.Data("/p0", { 2 });
  file.Data("/p1", { 2 });
  file.Data("/number", { 1 }).OfType("uint32");
}
}

TEST(SmileiProbesRecogniser, PutsFieldsAtThePositions)
{
  CheckRecogniser(dsm::describe::RecogniseSmileiProbes,
    {
      { "the last step of two, in a window that moves",
        [](MemoryFacts& file)
        {
          Fill(file);
          file.Data("/positions", { 5, 2 });
          file.Data("/0000000000", { 3, 5 });
          file.Data("/0000000010", { 3, 5 }).With("x_moved", 1.5);
        },
        R"(Smilei probes: the file has probes and their fields, as Smilei writes them
time 10
step 1 of 2, times 0 to 10
part probe: 5 points without cells, at /positions[i:5, 0] + 1.5, /positions[i:5, 1]
  point array E: /0000000010[0, i:5], /0000000010[1, i:5]
  point array Rho: /0000000010[2, i:5]
guessed: Time = step number)" },
      { "no step", Fill, "error: there is nothing in it yet: it has no step" },
      { "another number of points",
        [](MemoryFacts& file)
        {
          Fill(file);
          file.Data("/positions", { 4, 2 });
          file.Data("/0000000000", { 3, 5 });
        },
        "error: /runs/out.h5 is a file of Smilei probes, and cannot be shown: /0000000000 has 3 x "
        "5 "
        "elements, and there are 3 fields at 4 points" },
      { "something else", [](MemoryFacts& file) { file.Data("/0000000000", { 3, 5 }); },
        "not recognised" },
    });
}
