// SPDX-License-Identifier: BSD-3-Clause
#include "Describe/Chombo.h"
#include "MemoryFacts.h"

#include <gtest/gtest.h>

using Attribute = MemoryFacts::Attribute;

namespace
{
// One level of two dimensions: a box of 4 x 2 cells, and one of 2 x 2.
void Fill(MemoryFacts& file)
{
  file.Group("/Chombo_global").With("SpaceDim", 2);
  file.Group("/").With("num_components", 2).With("component_0", "rho").With("component_1", "p");
  file.Group("/").With("time", 0.5);
  file.Group("/level_0").With("dx", 0.25).With("prob_domain", Attribute::Compound({ 0, 0, 5, 1 }));
  file.Group("/level_0/data_attributes").With("objectType", "CellCenter");
  file.Data("/level_0/boxes", { 2 })
    .OfMembers({ "lo_i", "lo_j", "hi_i", "hi_j" })
    .Holding({ 0, 4 }, "lo_i")
    .Holding({ 0, 0 }, "lo_j")
    .Holding({ 3, 5 }, "hi_i")
    .Holding({ 1, 1 }, "hi_j");
  file.Data("/level_0/data:datatype=0", { 24 });
  file.Data("/level_0/data:offsets=0", { 3 }).OfType("int64").Holding({ 0, 16, 24 });
}

// With a finer level over two cells of the first box.
void FillTwo(MemoryFacts& file)
{
  Fill(file);
  file.Group("/level_0").With("ref_ratio", 2);
  file.Group("/level_1").With("dx", 0.125);
  file.Data("/level_1/boxes", { 1 })
    .OfMembers({ "lo_i", "lo_j", "hi_i", "hi_j" })
    .Holding({ 2 }, "lo_i")
    .Holding({ 0 }, "lo_j")
    .Holding({ 5 }, "hi_i")
    .Holding({ 1 }, "hi_j");
  file.Data("/level_1/data:datatype=0", { 16 });
}
}

TEST(ChomboRecogniser, MakesAPartOfEachLevel)
{
  CheckRecogniser(dsm::describe::RecogniseChombo,
    {
      { "one level", Fill, R"(Chombo: the file has levels of boxes, as Chombo and AMReX write them
time 0.5
part level 0: uniform, 5 x 3 x 1 points, origin 0 0 0, spacing 0.25 0.25 1
  block 0: level 0, origin 0 0 0, spacing 0.25 0.25 1, 5 x 3 x 1 points, from element 0
  block 1: level 0, origin 1 0 0, spacing 0.25 0.25 1, 3 x 3 x 1 points, from element 16
  cell array rho: /level_0/data:datatype=0 from its element 0[y:2, x:4]
  cell array p: /level_0/data:datatype=0 from its element 0 after 1 others[y:2, x:4])" },
      { "two levels", FillTwo,
        R"(Chombo: the file has levels of boxes, as Chombo and AMReX write them
time 0.5
part level 0: uniform, 5 x 3 x 1 points, origin 0 0 0, spacing 0.25 0.25 1
  block 0: level 0, origin 0 0 0, spacing 0.25 0.25 1, 5 x 3 x 1 points, from element 0, 2 cells of it covered
  block 1: level 0, origin 1 0 0, spacing 0.25 0.25 1, 3 x 3 x 1 points, from element 16
  cell array rho: /level_0/data:datatype=0 from its element 0[y:2, x:4]
  cell array p: /level_0/data:datatype=0 from its element 0 after 1 others[y:2, x:4]
part level 1: uniform, 5 x 3 x 1 points, origin 0.25 0 0, spacing 0.125 0.125 1
  block 0: level 1, origin 0.25 0 0, spacing 0.125 0.125 1, 5 x 3 x 1 points, from element 0
  cell array rho: /level_1/data:datatype=0 from its element 0[y:2, x:4]
  cell array p: /level_1/data:datatype=0 from its element 0 after 1 others[y:2, x:4])" },
      { "ghost cells",
        [](MemoryFacts& file)
        {
          Fill(file);
          file.Group("/level_0/data_attributes").With("outputGhost", Attribute::Compound({ 1, 0 }));
          file.Data("/level_0/data:datatype=0", { 40 });
          file.Data("/level_0/data:offsets=0", { 3 }).OfType("int64").Holding({ 0, 24, 40 });
        },
        R"(Chombo: the file has levels of boxes, as Chombo and AMReX write them
time 0.5
part level 0: uniform, 5 x 3 x 1 points, origin 0 0 0, spacing 0.25 0.25 1
  block 0: level 0, origin 0 0 0, spacing 0.25 0.25 1, 5 x 3 x 1 points, from element 0
  block 1: level 0, origin 1 0 0, spacing 0.25 0.25 1, 3 x 3 x 1 points, from element 24
  cell array rho: /level_0/data:datatype=0 from its element 0[y:2, x:4 from 1 of 6]
  cell array p: /level_0/data:datatype=0 from its element 0 after 1 others[y:2, x:4 from 1 of 6])" },
      { "AMReX: a dataset for each array, and a place of the domain",
        [](MemoryFacts& file)
        {
          Fill(file);
          file.Group("/").With("plotfile_type", "HyperCLaw-V1.1").With("coordinate_system", 1);
          file.Group("/level_0").With("prob_lo", std::vector<double>{ -1, 2 });
          file.Group("/level_0").With("prob_domain", Attribute::Compound({ 2, 0, 7, 1 }));
          file.Data("/level_0/data:datatype=0", { 12 });
          file.Data("/level_0/data:datatype=1", { 12 });
          file.Data("/level_0/data:offsets=0", { 3 }).OfType("int64").Holding({ 0, 8, 12 });
        },
        R"(AMReX: the file has levels of boxes, as Chombo and AMReX write them
time 0.5
part level 0: uniform, 5 x 3 x 1 points, origin -1.5 2 0, spacing 0.25 0.25 1
  block 0: level 0, origin -1.5 2 0, spacing 0.25 0.25 1, 5 x 3 x 1 points, from element 0
  block 1: level 0, origin -0.5 2 0, spacing 0.25 0.25 1, 3 x 3 x 1 points, from element 8
  cell array rho: /level_0/data:datatype=0 from its element 0[y:2, x:4]
  cell array p: /level_0/data:datatype=1 from its element 0[y:2, x:4]
guessed: Coordinates are shown as if they were Cartesian)" },
      { "names that two components have, and datasets of no level",
        [](MemoryFacts& file)
        {
          Fill(file);
          file.Group("/").With("component_1", "rho");
          file.Data("/level_0/Processors", { 2 }).OfType("int32");
          file.Data("/notes", { 5 });
        },
        R"(Chombo: the file has levels of boxes, as Chombo and AMReX write them
time 0.5
part level 0: uniform, 5 x 3 x 1 points, origin 0 0 0, spacing 0.25 0.25 1
  block 0: level 0, origin 0 0 0, spacing 0.25 0.25 1, 5 x 3 x 1 points, from element 0
  block 1: level 0, origin 1 0 0, spacing 0.25 0.25 1, 3 x 3 x 1 points, from element 16
  cell array rho: /level_0/data:datatype=0 from its element 0[y:2, x:4]
  cell array rho (component_1): /level_0/data:datatype=0 from its element 0 after 1 others[y:2, x:4]
left out: /notes: it is not of the levels' arrays)" },
    });
}

TEST(ChomboRecogniser, SaysWhyALevelCannotBeShown)
{
  CheckRecogniser(dsm::describe::RecogniseChombo,
    {
      { "four dimensions",
        [](MemoryFacts& file)
        {
          Fill(file);
          file.Group("/Chombo_global").With("SpaceDim", 4);
        },
        R"(error: /runs/out.h5 is a file of Chombo, and cannot be shown: SpaceDim of /Chombo_global is 4, and 1, 2 or 3 are supported)" },
      { "no components",
        [](MemoryFacts& file)
        {
          Fill(file);
          file.Group("/").With("num_components", 0.0);
        },
        R"(error: /runs/out.h5 is a file of Chombo, and cannot be shown: its attribute num_components is no number of arrays)" },
      { "no distance",
        [](MemoryFacts& file)
        {
          Fill(file);
          file.Group("/level_0").With("dx", 0.0);
        },
        R"(error: /runs/out.h5 is a file of Chombo, and cannot be shown: dx of /level_0 is no distance)" },
      { "values on faces",
        [](MemoryFacts& file)
        {
          Fill(file);
          file.Group("/level_0/data_attributes").With("objectType", "FluxBox");
        },
        R"(error: /runs/out.h5 is a file of Chombo, and cannot be shown: its values are of FluxBox, and only those of cells are supported)" },
      { "too few numbers",
        [](MemoryFacts& file)
        {
          Fill(file);
          file.Data("/level_0/data:datatype=0", { 20 });
        },
        R"(error: /runs/out.h5 is a file of Chombo, and cannot be shown: box 1 of /level_0 has 8 numbers from element 16 on, and /level_0/data:datatype=0 has 20)" },
      { "offsets that do not fit the boxes",
        [](MemoryFacts& file)
        {
          Fill(file);
          file.Data("/level_0/data:offsets=0", { 3 }).OfType("int64").Holding({ 0, 12, 24 });
        },
        R"(error: /runs/out.h5 is a file of Chombo, and cannot be shown: box 0 of /level_0 has 16 numbers by its size and ghost cells, and 12 by /level_0/data:offsets=0)" },
      { "a box that ends before it begins",
        [](MemoryFacts& file)
        {
          Fill(file);
          file.Data("/level_0/boxes", { 2 }).Holding({ 3, 0 }, "hi_i");
        },
        R"(error: /runs/out.h5 is a file of Chombo, and cannot be shown: box 1 of /level_0 goes from 4 to 0 along i)" },
      { "no boxes",
        [](MemoryFacts& file)
        {
          Fill(file);
          file.Data("/level_0/boxes", { 0 });
        },
        R"(error: there is nothing in it yet: none of its levels has boxes)" },
    });
}

TEST(ChomboRecogniser, IgnoresOtherFiles)
{
  CheckRecogniser(dsm::describe::RecogniseChombo,
    {
      { "nothing", [](MemoryFacts&) {}, "not recognised" },
      { "no level", [](MemoryFacts& file) { file.Group("/Chombo_global").With("SpaceDim", 2); },
        "not recognised" },
      { "boxes, and no number of arrays",
        [](MemoryFacts& file)
        {
          file.Group("/Chombo_global").With("SpaceDim", 2);
          file.Data("/level_0/boxes", { 1 }).OfMembers({ "lo_i", "lo_j", "hi_i", "hi_j" });
        },
        "not recognised" },
    });
}
