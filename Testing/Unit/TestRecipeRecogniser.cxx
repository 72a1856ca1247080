// SPDX-License-Identifier: BSD-3-Clause
#include "Describe/RecipeRecogniser.h"
#include "MemoryFacts.h"

#include <gtest/gtest.h>

namespace
{
using Attribute = MemoryFacts::Attribute;
using Names = std::vector<std::string>;
using Numbers = std::vector<double>;

void Check(const char* recipe, const std::vector<RecogniserCase>& table)
{
  CheckRecogniser([&](const dsm::describe::Asked& asked)
    { return DescribeByRecipe(dsm::describe::RecipeFromText(recipe, "the recipe"), asked); },
    table);
}

void FillAthena(MemoryFacts& file)
{
  file.Group("/").With("DatasetNames", Names{ "prim", "B" }).With("NumVariables", Numbers{ 2, 1 });
  file.Group("/").With("VariableNames", Names{ "rho", "press", "Bcc1" }).With("Time", 0.5);
  file.Group("/").With("Coordinates", "cartesian");
  file.Data("/x1f", { 3, 5 });
  file.Data("/x2f", { 3, 3 });
  file.Data("/x3f", { 3, 2 });
  file.Data("/Levels", { 3 }).OfType("int32").Holding({ 1, 1, 2 });
  file.Data("/prim", { 2, 3, 1, 2, 4 });
  file.Data("/B", { 1, 3, 1, 2, 4 });
  file.Data("/LogicalLocations", { 3, 3 }).OfType("int64");
}
}

TEST(BuiltInRecipes, KnowTheirFormats)
{
  CheckRecogniser(dsm::describe::RecogniseBuiltIn,
    {
      { "H5MD",
        [](MemoryFacts& file)
        {
          file.Group("/h5md").With("version", Numbers{ 1, 1 });
          file.Data("/particles/all/position/value", { 3, 7, 3 });
          file.Data("/particles/all/position/time", { 3 }).Holding({ 0, 0.5, 1 });
          file.Data("/particles/all/velocity/value", { 3, 7, 3 });
          file.Data("/particles/all/species", { 7 }).OfType("int32");
          file.Data("/observables/energy", { 3 });
        },
        R"(H5MD: the recipe for H5MD
time 1
step 2 of 3, times 0 to 1
part all: 7 points without cells, at /particles/all/position/value[t=2, i:7, c:3]
  point array velocity: /particles/all/velocity/value[t=2, i:7, c:3]
  point array species: /particles/all/species[i:7]
left out: /observables/energy: the recipe does not name it)" },
      { "H5MD, times from step to step, the second step",
        [](MemoryFacts& file)
        {
          file.Group("/h5md").With("version", Numbers{ 1, 1 });
          file.Data("/particles/all/position/value", { 3, 7, 3 });
          file.Data("/particles/all/position/time", {}).Holding({ 0.5 }).With("offset", 10);
        },
        R"(H5MD: the recipe for H5MD
time 10.5
step 1 of 3, times 10 to 11
part all: 7 points without cells, at /particles/all/position/value[t=1, i:7, c:3])",
        1 },
      { "Gadget, whose masses are in the header",
        [](MemoryFacts& file)
        {
          file.Group("/Header").With("NumPart_ThisFile", Numbers{ 7, 9 }).With("Time", 0.25);
          file.Group("/Header").With("MassTable", Numbers{ 0, 3 });
          file.Data("/PartType0/Coordinates", { 7, 3 });
          file.Data("/PartType0/Masses", { 7 });
          file.Data("/PartType1/Coordinates", { 9, 3 });
          file.Data("/PartType1/Velocities", { 9, 3 });
        },
        R"(Gadget: the recipe for Gadget
time 0.25
part PartType0: 7 points without cells, at /PartType0/Coordinates[i:7, c:3]
  point array Masses: /PartType0/Masses[i:7]
part PartType1: 9 points without cells, at /PartType1/Coordinates[i:9, c:3]
  point array Velocities: /PartType1/Velocities[i:9, c:3]
  point array Masses: 3)" },
      { "Athena++", FillAthena, R"(Athena++: the recipe for Athena++
time 0.5
part Athena++: rectilinear, 5 x 3 x 2 points, at /x1f[b:3, x:5]; /x2f[b:3, y:3]; /x3f[b:3, z:2]
  block 0: level 0, origin 0 0 0, spacing 1 1 1
  block 1: level 0, origin 0 0 0, spacing 1 1 1
  block 2: level 1, origin 0 0 0, spacing 1 1 1
  cell array Bcc1: /B[0, b:3, z:1, y:2, x:4]
  cell array rho: /prim[0, b:3, z:1, y:2, x:4]
  cell array press: /prim[1, b:3, z:1, y:2, x:4]
left out: /LogicalLocations: the recipe does not name it)" },
      { "Athena++, of spherical coordinates",
        [](MemoryFacts& file)
        {
          FillAthena(file);
          file.Group("/").With("Coordinates", "spherical_polar");
        },
        R"(Athena++: the recipe for Athena++
time 0.5
part Athena++: rectilinear, 5 x 3 x 2 points, at /x1f[b:3, x:5]; /x2f[b:3, y:3]; /x3f[b:3, z:2]
  block 0: level 0, origin 0 0 0, spacing 1 1 1
  block 1: level 0, origin 0 0 0, spacing 1 1 1
  block 2: level 1, origin 0 0 0, spacing 1 1 1
  cell array Bcc1: /B[0, b:3, z:1, y:2, x:4]
  cell array rho: /prim[0, b:3, z:1, y:2, x:4]
  cell array press: /prim[1, b:3, z:1, y:2, x:4]
guessed: Coordinates are shown as if they were Cartesian
left out: /LogicalLocations: the recipe does not name it)" },
      { "FLASH, whose leaves are shown",
        [](MemoryFacts& file)
        {
          file.Data("/unknown names", { 1, 1 }).OfType("text");
          file.Data("/bounding box", { 2, 3, 2 }).Holding({ 0, 1, 0, 1, 0, 1, 0, 2, 0, 2, 0, 2 });
          file.Data("/refine level", { 2 }).OfType("int32").Holding({ 2, 1 });
          file.Data("/node type", { 2 }).OfType("int32").Holding({ 1, 2 });
          file.Named("/real scalars", { { "time", 1.25 }, { "dt", 0.5 } });
          file.Data("/dens", { 2, 4, 4, 4 });
        },
        R"(FLASH: the recipe for FLASH
time 1.25
part FLASH: uniform, 5 x 5 x 5 points, origin 0 0 0, spacing 1 1 1
  block 0: level 1, origin 0 0 0, spacing 0.25 0.25 0.25
  cell array dens: /dens[b:2, z:4, y:4, x:4]
left out: /real scalars: the recipe does not name it
left out: /unknown names: the recipe does not name it)" },
      { "OSIRIS, a grid",
        [](MemoryFacts& file)
        {
          file.Group("/").With("TIME", 3);
          file.Data("/AXIS/AXIS1", { 2 }).Holding({ 0, 2 });
          file.Data("/AXIS/AXIS2", { 2 }).Holding({ -1, 1 });
          file.Data("/e1", { 4, 8 });
        },
        R"(OSIRIS: the recipe for OSIRIS
time 3
part OSIRIS: uniform, 9 x 5 x 1 points, origin 0 -1 0, spacing 0.25 0.5 1
  cell array e1: /e1[y:4, x:8])" },
      { "OSIRIS, particles",
        [](MemoryFacts& file)
        {
          file.Group("/").With("TIME", 3).With("TYPE", "particles");
          file.Data("/x1", { 7 });
          file.Data("/ene", { 7 });
        },
        R"(OSIRIS: the recipe for OSIRIS
time 3
part OSIRIS: 7 points without cells, at /x1[i:7]
  point array ene: /ene[i:7])" },
      { "PFLOTRAN, whose groups have their times as names",
        [](MemoryFacts& file)
        {
          file.Data("/Coordinates/X [m]", { 4 }).Holding({ 0, 1, 2, 3 });
          file.Data("/Coordinates/Y [m]", { 3 }).Holding({ 0, 1, 2 });
          file.Data("/Coordinates/Z [m]", { 2 }).Holding({ 0, 5 });
          file.Data("/Time:  0.00000E+00 y/P [Pa]", { 3, 2, 1 });
          file.Data("/Time:  1.00000E+00 y/P [Pa]", { 3, 2, 1 });
        },
        R"(PFLOTRAN: the recipe for PFLOTRAN
time 1
step 1 of 2, times 0 to 1
part PFLOTRAN: rectilinear, 4 x 3 x 2 points, at /Coordinates/X [m][x:4]; /Coordinates/Y [m][y:3]; /Coordinates/Z [m][z:2]
  cell array P [Pa]: /Time:  1.00000E+00 y/P [Pa][x:3, y:2, z:1])" },
      { "PLUTO",
        [](MemoryFacts& file)
        {
          for (const char* axis : { "X", "Y", "Z" })
          {
            file.Data(std::string("/node_coords/") + axis, { 2, 3, 4 });
            file.Data(std::string("/cell_coords/") + axis, { 1, 2, 3 });
          }
          file.Group("/Timestep_4").With("Time", 0.5);
          file.Data("/Timestep_4/vars/rho", { 1, 2, 3 });
        },
        R"(PLUTO: the recipe for PLUTO
time 0.5
part PLUTO: curvilinear, 4 x 3 x 2 points, at /node_coords/X[z:2, y:3, x:4], /node_coords/Y[z:2, y:3, x:4], /node_coords/Z[z:2, y:3, x:4]
  cell array rho: /Timestep_4/vars/rho[z:1, y:2, x:3]
left out: /cell_coords/X: the recipe does not name it
left out: /cell_coords/Y: the recipe does not name it
left out: /cell_coords/Z: the recipe does not name it)" },
      { "nothing", [](MemoryFacts&) {}, "not recognised" },
    });
}

TEST(RecipeInterpreter, DoesWhatARecipeSays)
{
  Check(
    R"({"name": "Waves", "when": ["@/wave/version"], "time": "@/wave/clock", "parts": "/tile {n}",
            "on": "cell", "origin": "@/tile {n}/corner", "spacing": "@/wave/h", "fields": ["q_*[x,y,c?]"],
            "remarks": {"/notes": "that the notes do not matter"}})",
    {
      { "tiles",
        [](MemoryFacts& file)
        {
          file.Group("/wave").With("version", 2).With("clock", 1.5).With("h", Numbers{ 0.5, 0.25 });
          file.Group("/tile 1").With("corner", Numbers{ 0, 0 });
          file.Group("/tile 2").With("corner", Numbers{ 2, 0 });
          file.Data("/tile 1/q_h", { 4, 2 });
          file.Data("/tile 2/q_h", { 4, 2 });
          file.Data("/tile 2/q_v", { 4, 2, 2 });
          file.Data("/tile 2/q_w", { 3, 2 });
          file.Data("/notes", { 3 });
        },
        R"(Waves: the recipe for Waves
time 1.5
part tile 1: uniform, 5 x 3 x 1 points, origin 0 0 0, spacing 0.5 0.25 1
  cell array q_h: /tile 1/q_h[x:4, y:2]
part tile 2: uniform, 5 x 3 x 1 points, origin 2 0 0, spacing 0.5 0.25 1
  cell array q_h: /tile 2/q_h[x:4, y:2]
  cell array q_v: /tile 2/q_v[x:4, y:2, c:2]
guessed: that the notes do not matter
left out: /notes: the recipe does not name it
left out: /tile 2/q_w: size 3 x 2 does not match tile 2)" },
      { "another condition", [](MemoryFacts& file) { file.Group("/wave"); }, "not recognised" },
      { "no fields",
        [](MemoryFacts& file)
        {
          file.Group("/wave").With("version", 2);
          file.Group("/tile 1");
        },
        R"(error: /runs/out.h5 is Waves, and the recipe for that finds nothing to show in it: /tile 1/: it has none of the recipe's fields)" },
    });
  Check(R"({"name": "Mine", "when": ["/psi"],
            "arrays": {"psi": ["psi<r>[y,-x]", "psi<i>[y,-x]"], "v": ["vx[y,x]", "vy[y,x]"]}})",
    {
      { "arrays by names of their own",
        [](MemoryFacts& file)
        {
          file.Data("/psi", { 3, 4 }).OfMembers({ "r", "i" });
          file.Data("/vx", { 3, 4 });
          file.Data("/vy", { 3, 4 });
        },
        R"(Mine: the recipe for Mine
part Mine: uniform, 4 x 3 x 1 points, origin 0 0 0, spacing 1 1 1
  point array psi (real, imaginary): /psi.r[y:3, -x:4], /psi.i[y:3, -x:4]
  point array v: /vx[y:3, x:4], /vy[y:3, x:4])" },
      { "arrays that are not whole",
        [](MemoryFacts& file)
        {
          file.Data("/psi", { 3, 4 }).OfMembers({ "r", "i" });
          file.Data("/vx", { 3, 4 });
        },
        R"(Mine: the recipe for Mine
part Mine: uniform, 4 x 3 x 1 points, origin 0 0 0, spacing 1 1 1
  point array psi (real, imaginary): /psi.r[y:3, -x:4], /psi.i[y:3, -x:4]
left out: v: there is no vy[y,x]
left out: /vx: the recipe does not name it)" },
    });
  Check(R"({"name": "Beads", "when": ["/beads"], "points": ["beads/x[i]", "beads/y[i]"],
            "fields": ["beads/*[i]"]})",
    {
      { "coordinates of different length",
        [](MemoryFacts& file)
        {
          file.Data("/beads/x", { 7 });
          file.Data("/beads/y", { 6 });
        },
        R"(error: /runs/out.h5 is Beads, and the recipe for that finds nothing to show in it: /beads/y: size 6 does not match the other coordinates (7))" },
      { "a field of different length",
        [](MemoryFacts& file)
        {
          file.Data("/beads/x", { 7 });
          file.Data("/beads/y", { 7 });
          file.Data("/beads/q", { 6 });
        },
        R"(Beads: the recipe for Beads
part Beads: 7 points without cells, at /beads/x[i:7], /beads/y[i:7]
left out: /beads/q: size 6 does not match Beads)" },
    });
}

TEST(RecogniseOwn, FindsTheRecipeInTheFile)
{
  CheckRecogniser(dsm::describe::RecogniseOwn,
    {
      { "a dataset Recipe",
        [](MemoryFacts& file)
        {
          file.Contents("/Recipe", R"({"name": "Own", "when": ["/u"], "fields": ["u[y,x]"]})");
          file.Data("/u", { 3, 4 });
        },
        R"(Own: the recipe for Own
part Own: uniform, 4 x 3 x 1 points, origin 0 0 0, spacing 1 1 1
  point array u: /u[y:3, x:4]
left out: /Recipe: the recipe does not name it)" },
      { "none", [](MemoryFacts& file) { file.Data("/u", { 3, 4 }); }, "not recognised" },
    });
}

TEST(DescribeOnlyBy, SaysWhichConditionDoesNotHold)
{
  const auto recipe = dsm::describe::RecipeFromText(
    R"({"name": "Waves", "when": ["/u", "!@done", "@kind=wave"], "fields": ["u[y,x]"]})", "it");
  CheckRecogniser([&](const dsm::describe::Asked& asked)
    { return std::optional(DescribeOnlyBy(recipe, asked)); },
    {
      { "no u", [](MemoryFacts&) {},
        R"(error: the recipe for Waves is not for /runs/out.h5: "/u" does not hold)" },
      { "done",
        [](MemoryFacts& file)
        {
          file.Data("/u", { 3, 4 });
          file.Group("/").With("done", 1);
        },
        R"(error: the recipe for Waves is not for /runs/out.h5: "!@done" does not hold)" },
      { "another kind",
        [](MemoryFacts& file)
        {
          file.Data("/u", { 3, 4 });
          file.Group("/").With("kind", "heat");
        },
        R"(error: the recipe for Waves is not for /runs/out.h5: "@kind=wave" does not hold)" },
      { "all hold",
        [](MemoryFacts& file)
        {
          file.Data("/u", { 3, 4 });
          file.Group("/").With("kind", "wave");
        },
        R"(Waves: the recipe for Waves
part Waves: uniform, 4 x 3 x 1 points, origin 0 0 0, spacing 1 1 1
  point array u: /u[y:3, x:4])" },
    });
}
