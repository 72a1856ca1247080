// SPDX-License-Identifier: BSD-3-Clause
#include "Describe/AmrexParticles.h"
#include "MemoryFacts.h"

#include <gtest/gtest.h>

namespace
{
// Four particles, with two real numbers and a whole one beside what all have.
void Fill(MemoryFacts& file)
{
  file.Group("/Chombo_global").With("SpaceDim", 3);
  file.Group("/")
    .With("nparticles", 4)
    .With("num_component", 3)
    .With("num_component_real", 2)
    .With("num_component_int", 1)
    .With("real_component_3", "mass")
    .With("int_component_2", "kind");
  file.Data("/level_0/boxes", { 1 }).OfType("compound");
  file.Data("/level_0/data:datatype=0", { 12 }).OfType("int32");
  file.Data("/level_0/data:datatype=1", { 20 });
}
}

TEST(AmrexParticlesRecogniser, MakesPointsOfEachLevel)
{
  CheckRecogniser(dsm::describe::RecogniseAmrexParticles,
    {
      { "two levels, one of them empty",
        [](MemoryFacts& file)
        {
          Fill(file);
          file.Data("/level_1/data:datatype=0", { 0 }).OfType("int32");
          file.Data("/level_1/data:datatype=1", { 0 });
        },
        R"(AMReX particles: the file has levels of particles, as AMReX writes them
part level_0: 4 points without cells, at /level_0/data:datatype=1 from its element 0[i:4, c:3 of 5]
  point array mass: /level_0/data:datatype=1 from its element 0[i:4, 3]
  point array real_4: /level_0/data:datatype=1 from its element 0[i:4, 4]
  point array id: /level_0/data:datatype=0 from its element 0[i:4, 0]
  point array cpu: /level_0/data:datatype=0 from its element 0[i:4, 1]
  point array kind: /level_0/data:datatype=0 from its element 0[i:4, 2])" },
      { "names that are counted behind the coordinates, and a vector of them",
        [](MemoryFacts& file)
        {
          Fill(file);
          file.Group("/Chombo_global").With("SpaceDim", 2);
          file.Group("/").With("num_component_real", 3);
          file.Group("/").With("real_component_2", "vx").With("real_component_3", "vy");
          file.Group("/").With("real_component_4", "w");
        },
        R"(AMReX particles: the file has levels of particles, as AMReX writes them
part level_0: 4 points without cells, at /level_0/data:datatype=1 from its element 0[i:4, c:2 of 5]
  point array v: /level_0/data:datatype=1 from its element 0[i:4, 2], /level_0/data:datatype=1 from its element 0[i:4, 3]
  point array w: /level_0/data:datatype=1 from its element 0[i:4, 4]
  point array id: /level_0/data:datatype=0 from its element 0[i:4, 0]
  point array cpu: /level_0/data:datatype=0 from its element 0[i:4, 1]
  point array kind: /level_0/data:datatype=0 from its element 0[i:4, 2])" },
    });
}

TEST(AmrexParticlesRecogniser, SaysWhatIsWrong)
{
  CheckRecogniser(dsm::describe::RecogniseAmrexParticles,
    {
      { "no particles",
        [](MemoryFacts& file)
        {
          Fill(file);
          file.Data("/level_0/data:datatype=1", { 0 });
        },
        "error: there is nothing in it yet: it has no particles" },
      { "half a particle",
        [](MemoryFacts& file)
        {
          Fill(file);
          file.Data("/level_0/data:datatype=1", { 19 });
        },
        "error: /runs/out.h5 is a file of AMReX particles, and cannot be shown: "
        "/level_0/data:datatype=1 has 19 numbers, and each particle has 5" },
      { "fewer whole numbers",
        [](MemoryFacts& file)
        {
          Fill(file);
          file.Group("/").With("num_component_real", 0.0);
          file.Data("/level_0/data:datatype=1", { 12 });
          file.Data("/level_0/data:datatype=0", { 11 }).OfType("int32");
        },
        R"(AMReX particles: the file has levels of particles, as AMReX writes them
part level_0: 4 points without cells, at /level_0/data:datatype=1 from its element 0[i:4, c:3 of 3]
left out: /level_0/data:datatype=0: it has 11 numbers, and 4 particles have 3 each)" },
      { "cells of AMReX", [](MemoryFacts& file)
        { file.Group("/Chombo_global").With("SpaceDim", 3); }, "not recognised" },
    });
}
