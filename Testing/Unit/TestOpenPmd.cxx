// SPDX-License-Identifier: BSD-3-Clause
#include "Describe/OpenPmd.h"
#include "MemoryFacts.h"

#include <gtest/gtest.h>

#include <cmath>

namespace
{
using Numbers = std::vector<double>;
using Names = std::vector<std::string>;

void AddIteration(MemoryFacts& file, const std::string& number, double time)
{
  file.Group("/").With("openPMD", "1.1.0").With("meshesPath", "fields/");
  file.Group("/").With("particlesPath", "particles/");
  file.Group("/data/" + number).With("time", time).With("timeUnitSI", 2);
}

MemoryFacts::Entry& AddMesh(MemoryFacts& file, const std::string& path)
{
  return file.Data(path, { 3, 4 })
    .With("gridSpacing", Numbers{ 0.5, 0.25 })
    .With("gridGlobalOffset", Numbers{ 1, 2 })
    .With("gridUnitSI", 10)
    .With("axisLabels", Names{ "y", "x" })
    .With("unitSI", 3)
    .With("unitDimension", Numbers{ 1, 0, -2, 0, 0, 0, 0 });
}

// Seven particles that have a position in x only, and a constant charge.
void AddSpecies(MemoryFacts& file)
{
  const std::string electrons = "/data/0/particles/electrons/";
  file.Data(electrons + "position/x", { 7 }).With("unitSI", 0.5);
  file.Group(electrons + "positionOffset/x")
    .With("value", 4)
    .With("shape", Numbers{ 7 })
    .With("unitSI", 0.5);
  file.Group(electrons + "charge").With("value", -1).With("shape", Numbers{ 1 });
  file.Data(electrons + "momentum/x", { 7 });
  file.Data(electrons + "momentum/y", { 7 });
  file.Data(electrons + "particlePatches/offset", { 2 });
}
}

TEST(OpenPmdRecogniser, PutsMeshesWhereTheyAre)
{
  CheckRecogniser(dsm::describe::RecogniseOpenPmd,
    {
      { "a scalar of the last iteration",
        [](MemoryFacts& file)
        {
          AddIteration(file, "2", 0.5);
          AddIteration(file, "10", 1.5);
          AddMesh(file, "/data/2/fields/rho");
          AddMesh(file, "/data/10/fields/rho");
        },
        R"(openPMD: the file says that it is of openPMD 1.1.0
time 3 s
step 1 of 2, times 1 to 3
part meshes: uniform, 4 x 3 x 1 points, origin 20 10 0, spacing 2.5 5 1
  point array rho [m s^-2]: /data/10/fields/rho[y:3, x:4] * 3)" },
      { "the first iteration",
        [](MemoryFacts& file)
        {
          AddIteration(file, "2", 0.5);
          AddIteration(file, "10", 1.5);
          AddMesh(file, "/data/2/fields/rho");
        },
        R"(openPMD: the file says that it is of openPMD 1.1.0
time 1 s
step 0 of 2, times 1 to 3
part meshes: uniform, 4 x 3 x 1 points, origin 20 10 0, spacing 2.5 5 1
  point array rho [m s^-2]: /data/2/fields/rho[y:3, x:4] * 3)",
        0 },
      { "times that do not ascend",
        [](MemoryFacts& file)
        {
          AddIteration(file, "2", 1);
          AddIteration(file, "10", 1);
          AddMesh(file, "/data/10/fields/rho");
        },
        R"(openPMD: the file says that it is of openPMD 1.1.0
time 10
step 1 of 2, times 2 to 10
part meshes: uniform, 4 x 3 x 1 points, origin 20 10 0, spacing 2.5 5 1
  point array rho [m s^-2]: /data/10/fields/rho[y:3, x:4] * 3
guessed: Time = number of the iteration (the times do not ascend))" },
      { "a vector whose components lie on the same points",
        [](MemoryFacts& file)
        {
          AddIteration(file, "0", 0);
          file.Group("/data/0/fields/E")
            .With("gridSpacing", Numbers{ 1, 1 })
            .With("timeOffset", 0.5);
          file.Data("/data/0/fields/E/x", { 3, 4 });
          file.Group("/data/0/fields/E/y").With("value", 9).With("shape", Numbers{ 3, 4 });
        },
        R"(openPMD: the file says that it is of openPMD 1.1.0
time 0 s
part meshes: uniform, 4 x 3 x 1 points, origin 0 0 0, spacing 1 1 1
  point array E (x, y): /data/0/fields/E/x[y:3, x:4], 9
guessed: /data/0/fields/E is 1 s later than the shown time)" },
      { "a vector whose components do not",
        [](MemoryFacts& file)
        {
          AddIteration(file, "0", 0);
          file.Group("/data/0/fields/E");
          file.Data("/data/0/fields/E/x", { 3, 4 }).With("position", Numbers{ 0.5, 0 });
          file.Data("/data/0/fields/E/y", { 3, 4 });
        },
        R"(openPMD: the file says that it is of openPMD 1.1.0
time 0 s
part meshes: uniform, 4 x 3 x 1 points, origin 0 0.5 0, spacing 1 1 1
  point array E_x: /data/0/fields/E/x[y:3, x:4]
part meshes 2: uniform, 4 x 3 x 1 points, origin 0 0 0, spacing 1 1 1
  point array E_y: /data/0/fields/E/y[y:3, x:4])" },
      { "modes, and Fortran's order",
        [](MemoryFacts& file)
        {
          AddIteration(file, "0", 0);
          file.Data("/data/0/fields/rho", { 3, 5, 8 })
            .With("geometry", "thetaMode")
            .With("axisLabels", Names{ "r", "z" });
          AddMesh(file, "/data/0/fields/j").With("dataOrder", "F");
        },
        R"(openPMD: the file says that it is of openPMD 1.1.0
time 0 s
part meshes: uniform, 3 x 4 x 1 points, origin 20 10 0, spacing 2.5 5 1
  point array j [m s^-2]: /data/0/fields/j[x:3, y:4] * 3
part meshes 2: uniform, 5 x 1 x 8 points, origin 0 0 0, spacing 1 1 1
  axes r [m]; ; z [m]
  point array rho: /data/0/fields/rho[0, x:5, z:8]
guessed: /data/0/fields/rho = the average over the angle (first mode), over r and z)" },
      { "one iteration without a number, and labels in one text",
        [](MemoryFacts& file)
        {
          AddIteration(file, "0", 0);
          file.Group("/").With("basePath", "/data/").With("iterationEncoding", "variableBased");
          file.Group("/data").With("snapshot", 40);
          AddMesh(file, "/data/fields/rho").With("axisLabels", "zy");
        },
        R"(openPMD: the file says that it is of openPMD 1.1.0
time 40 s
part meshes: uniform, 1 x 4 x 3 points, origin 0 20 10, spacing 1 2.5 5
  point array rho [m s^-2]: /data/fields/rho[z:3, y:4] * 3)" },
    });
}

TEST(OpenPmdRecogniser, PutsParticlesWhereTheyAre)
{
  CheckRecogniser(dsm::describe::RecogniseOpenPmd,
    {
      { "with offsets and constants",
        [](MemoryFacts& file)
        {
          AddIteration(file, "0", 0);
          AddSpecies(file);
        },
        R"(openPMD: the file says that it is of openPMD 1.1.0
time 0 s
part electrons: 7 points without cells, at /data/0/particles/electrons/position/x[i:7] * 0.5 + 2, 0, 0
  point array charge: -1
  point array momentum (x, y): /data/0/particles/electrons/momentum/x[i:7], /data/0/particles/electrons/momentum/y[i:7])" },
      { "a record of another length",
        [](MemoryFacts& file)
        {
          AddIteration(file, "0", 0);
          AddSpecies(file);
          file.Data("/data/0/particles/electrons/weighting", { 6 });
        },
        R"(openPMD: the file says that it is of openPMD 1.1.0
time 0 s
part electrons: 7 points without cells, at /data/0/particles/electrons/position/x[i:7] * 0.5 + 2, 0, 0
  point array charge: -1
  point array momentum (x, y): /data/0/particles/electrons/momentum/x[i:7], /data/0/particles/electrons/momentum/y[i:7]
left out: /data/0/particles/electrons/weighting: it has not a number for each particle)" },
    });
}

TEST(OpenPmdRecogniser, SaysWhatCannotBeShown)
{
  CheckRecogniser(dsm::describe::RecogniseOpenPmd,
    {
      { "no iteration", [](MemoryFacts& file) { file.Group("/").With("openPMD", "1.1.0"); },
        R"(error: there is nothing in it yet: it has no iteration in /data)" },
      { "nothing in the iteration", [](MemoryFacts& file) { AddIteration(file, "0", 0); },
        R"(error: /data/0 of openPMD has neither meshes nor particles that can be shown)" },
      { "meshes that are none, beside one",
        [](MemoryFacts& file)
        {
          AddIteration(file, "0", 0);
          AddMesh(file, "/data/0/fields/rho");
          AddMesh(file, "/data/0/fields/round").With("geometry", "spherical");
          AddMesh(file, "/data/0/fields/short").With("gridSpacing", Numbers{ 1, 2, 3 });
          AddMesh(file, "/data/0/fields/far").With("gridGlobalOffset", Numbers{ INFINITY, 0 });
          file.Data("/data/0/fields/words", { 3, 4 }).OfType("text");
          file.Group("/data/0/fields/empty");
          file.Group("/data/0/fields/negative").With("value", 1).With("shape", Numbers{ -1 });
        },
        R"(openPMD: the file says that it is of openPMD 1.1.0
time 0 s
part meshes: uniform, 4 x 3 x 1 points, origin 20 10 0, spacing 2.5 5 1
  point array rho [m s^-2]: /data/0/fields/rho[y:3, x:4] * 3
left out: /data/0/fields/empty: it has no components
left out: /data/0/fields/negative: its shape has the size -1
left out: /data/0/fields/words: the dataset /data/0/fields/words in /runs/out.h5 holds no numbers
left out: /data/0/fields/far: where its grid lies is not finite
left out: /data/0/fields/round: the geometry spherical is not supported
left out: /data/0/fields/short: its gridSpacing has 3 numbers for 2 axes)" },
      { "particles without a position",
        [](MemoryFacts& file)
        {
          AddIteration(file, "0", 0);
          file.Data("/data/0/particles/ions/charge", { 7 });
        },
        R"(error: /data/0 of openPMD has neither meshes nor particles that can be shown: /data/0/particles/ions: its particles have no position)" },
    });
}

TEST(OpenPmdRecogniser, IgnoresOtherFiles)
{
  CheckRecogniser(dsm::describe::RecogniseOpenPmd,
    { { "nothing", [](MemoryFacts& file) { file.Data("/data/0/fields/rho", { 3, 4 }); },
      "not recognised" } });
}
