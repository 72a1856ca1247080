// SPDX-License-Identifier: BSD-3-Clause
#include "Describe/Parthenon.h"
#include "MemoryFacts.h"

#include <gtest/gtest.h>

namespace
{
using Numbers = std::vector<double>;
using Names = std::vector<std::string>;

// Two blocks of 4 x 3 x 1 cells.
void Fill(MemoryFacts& file)
{
  file.Group("/Info").With("NumMeshBlocks", 2).With("Time", 2.5);
  file.Group("/Info").With("OutputDatasetNames", Names{ "prim", "phi" });
  file.Group("/Info").With("NumComponents", Numbers{ 2, 1 });
  file.Group("/Info").With("ComponentNames", Names{ "rho", "u", "phi" });
  file.Data("/Locations/x", { 2, 5 });
  file.Data("/Locations/y", { 2, 4 });
  file.Data("/Locations/z", { 2, 2 });
  file.Data("/Levels", { 2 }).OfType("int64").Holding({ 3, 4 });
  file.Data("/prim", { 2, 2, 1, 3, 4 });
  file.Data("/phi", { 2, 1, 4, 5 }).With("TopologicalLocation", "Node");
}
}

TEST(ParthenonRecogniser, MakesAPartOfAllBlocks)
{
  CheckRecogniser(dsm::describe::RecogniseParthenon,
    {
      { "cells and points", Fill,
        R"(Parthenon: the file has /Info and /Locations, as Parthenon writes them
time 2.5
part mesh: rectilinear, 5 x 4 x 2 points, at /Locations/x[b:2, x:5]; /Locations/y[b:2, y:4]; /Locations/z[b:2, z:2]
  block 0: level 0, origin 0 0 0, spacing 1 1 1
  block 1: level 1, origin 0 0 0, spacing 1 1 1
  cell array rho: /prim[b:2, 0, z:1, y:3, x:4]
  cell array u: /prim[b:2, 1, z:1, y:3, x:4]
  point array phi: /phi[b:2, 0, y:4, x:5])" },
      { "components that are numbered stay together",
        [](MemoryFacts& file)
        {
          Fill(file);
          file.Group("/Info").With("ComponentNames", Names{ "prim_0", "prim_1", "phi" });
        },
        R"(Parthenon: the file has /Info and /Locations, as Parthenon writes them
time 2.5
part mesh: rectilinear, 5 x 4 x 2 points, at /Locations/x[b:2, x:5]; /Locations/y[b:2, y:4]; /Locations/z[b:2, z:2]
  block 0: level 0, origin 0 0 0, spacing 1 1 1
  block 1: level 1, origin 0 0 0, spacing 1 1 1
  cell array prim: /prim[b:2, c:2, z:1, y:3, x:4]
  point array phi: /phi[b:2, 0, y:4, x:5])" },
      { "ghost cells, along axes with more than one cell",
        [](MemoryFacts& file)
        {
          Fill(file);
          file.Group("/Info").With("IncludesGhost", 1).With("NGhost", 1);
        },
        R"(Parthenon: the file has /Info and /Locations, as Parthenon writes them
time 2.5
part mesh: rectilinear, 3 x 2 x 2 points, at /Locations/x[b:2, x:3 from 1]; /Locations/y[b:2, y:2 from 1]; /Locations/z[b:2, z:2]
  block 0: level 0, origin 0 0 0, spacing 1 1 1
  block 1: level 1, origin 0 0 0, spacing 1 1 1
  cell array rho: /prim[b:2, 0, z:1, y:1 from 1, x:2 from 1]
  cell array u: /prim[b:2, 1, z:1, y:1 from 1, x:2 from 1]
  point array phi: /phi[b:2, 0, y:2 from 1, x:3 from 1])" },
      { "particles",
        [](MemoryFacts& file)
        {
          Fill(file);
          for (const char* name : { "x", "y", "z", "id" })
          {
            file.Data(std::string("/tracers/SwarmVars/swarm.") + name, { 7 });
          }
          file.Data("/tracers/SwarmVars/v", { 3, 7 });
          file.Data("/tracers/counts", { 2 });
          file.Data("/dust/SwarmVars/x", { 9 });
        },
        R"(Parthenon: the file has /Info and /Locations, as Parthenon writes them
time 2.5
part mesh: rectilinear, 5 x 4 x 2 points, at /Locations/x[b:2, x:5]; /Locations/y[b:2, y:4]; /Locations/z[b:2, z:2]
  block 0: level 0, origin 0 0 0, spacing 1 1 1
  block 1: level 1, origin 0 0 0, spacing 1 1 1
  cell array rho: /prim[b:2, 0, z:1, y:3, x:4]
  cell array u: /prim[b:2, 1, z:1, y:3, x:4]
  point array phi: /phi[b:2, 0, y:4, x:5]
part tracers: 7 points without cells, at /tracers/SwarmVars/swarm.x[i:7], /tracers/SwarmVars/swarm.y[i:7], /tracers/SwarmVars/swarm.z[i:7]
  point array swarm.id: /tracers/SwarmVars/swarm.id[i:7]
  point array v: /tracers/SwarmVars/v[c:3, i:7]
left out: /dust: its particles have no coordinates along y)" },
      { "what is not shown, and what is guessed",
        [](MemoryFacts& file)
        {
          Fill(file);
          file.Group("/Info").With("OutputDatasetNames", Names{ "prim", "phi", "gone" });
          file.Group("/Info").With("Coordinates", "UniformSpherical");
          file.Data("/SparseInfo", { 2, 1 });
          file.Data("/phi", { 2, 1, 4, 5 }).With("TopologicalLocation", "Face");
          file.Data("/prim", { 2, 2, 1, 3, 9 });
          file.Data("/other", { 3 });
        },
        R"(Parthenon: the file has /Info and /Locations, as Parthenon writes them
time 2.5
part mesh: rectilinear, 5 x 4 x 2 points, at /Locations/x[b:2, x:5]; /Locations/y[b:2, y:4]; /Locations/z[b:2, z:2]
  block 0: level 0, origin 0 0 0, spacing 1 1 1
  block 1: level 1, origin 0 0 0, spacing 1 1 1
guessed: Coordinates (UniformSpherical) are shown as if they were Cartesian
guessed: Sparse variables = 0 or NaN, as the file has it, in blocks without them
left out: /prim: size 2 x 2 x 1 x 3 x 9 does not match a block (1 x 3 x 4 cells)
left out: /phi: it is on faces, and is not of cells or points
left out: /gone: /Info names it, and it is not there
left out: /other: /Info does not name it)" },
    });
}

TEST(ParthenonRecogniser, SaysWhyBlocksCannotBeShown)
{
  CheckRecogniser(dsm::describe::RecogniseParthenon,
    {
      { "no coordinates",
        [](MemoryFacts& file)
        {
          Fill(file);
          file.Data("/Locations/y", { 2 });
        },
        R"(error: /runs/out.h5 is a file of Parthenon, and cannot be shown: /Locations/y is no list of coordinates for each block)" },
      { "another number of blocks",
        [](MemoryFacts& file)
        {
          Fill(file);
          file.Data("/Locations/y", { 3, 4 });
        },
        R"(error: /runs/out.h5 is a file of Parthenon, and cannot be shown: /Locations/y is of 3 blocks, and /Locations/x of 2)" },
      { "ghost cells only",
        [](MemoryFacts& file)
        {
          Fill(file);
          file.Group("/Info").With("IncludesGhost", 1).With("NGhost", 2);
        },
        R"(error: /runs/out.h5 is a file of Parthenon, and cannot be shown: /Locations/x has 4 cells in a block, and 2 ghost cells at both ends)" },
      { "a wrong number of ghost cells",
        [](MemoryFacts& file)
        {
          Fill(file);
          file.Group("/Info").With("IncludesGhost", 1).With("NGhost", -1);
        },
        R"(error: /runs/out.h5 is a file of Parthenon, and cannot be shown: NGhost of /Info is -1)" },
    });
}

TEST(ParthenonRecogniser, IgnoresOtherFiles)
{
  CheckRecogniser(dsm::describe::RecogniseParthenon,
    {
      { "nothing", [](MemoryFacts&) {}, "not recognised" },
      { "no locations", [](MemoryFacts& file)
        { file.Group("/Info").With("NumMeshBlocks", 2).With("OutputDatasetNames", Names{ "u" }); },
        "not recognised" },
    });
}
