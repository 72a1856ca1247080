// SPDX-License-Identifier: BSD-3-Clause
#include "Describe/Med.h"
#include "MemoryFacts.h"

#include <gtest/gtest.h>

namespace
{
// A mesh of six points, two triangles and a boundary; a temperature at two steps.
void Fill(MemoryFacts& file)
{
  file.Group("/INFOS_GENERALES");
  file.Group("/ENS_MAA/plate").With("ESP", 2).With("TYP", 0.0);
  const std::string mesh = "/ENS_MAA/plate/-1-1/";
  file.Data(mesh + "NOE/COO", { 12 });
  file.Data(mesh + "MAI/TR3/NOD", { 6 }).OfType("int32");
  file.Data(mesh + "MAI/SE2/NOD", { 4 }).OfType("int32");
  file.Group("/CHA/T").With("MAI", "plate").With("NCO", 1);
  for (const auto& [step, time] : { std::pair("1", 0.5), std::pair("2", 1.5) })
  {
    const std::string path = std::string("/CHA/T/") + step;
    file.Group(path).With("NDT", 1).With("PDT", time);
    file.Data(path + "/NOE/MED_NO_PROFILE_INTERNAL/CO", { 6 });
    file.Data(path + "/MAI.TR3/MED_NO_PROFILE_INTERNAL/CO", { 2 });
  }
}
}

TEST(MedRecogniser, MakesPartsOfMeshes)
{
  CheckRecogniser(dsm::describe::RecogniseMed,
    {
      { "the last step", Fill, R"(MED: the file has MED's meshes
time 1.5
step 1 of 2, times 0.5 to 1.5
part plate TR3: unstructured, 6 points at /ENS_MAA/plate/-1-1/NOE/COO from its element 0[i:6], /ENS_MAA/plate/-1-1/NOE/COO from its element 6[i:6]; 2 cells of VTK's type 5 with 3 points each, /ENS_MAA/plate/-1-1/MAI/TR3/NOD from its element 0[c:3, i:2], points from 1
  point array T: /CHA/T/2/NOE/MED_NO_PROFILE_INTERNAL/CO from its element 0[i:6]
  cell array T: /CHA/T/2/MAI.TR3/MED_NO_PROFILE_INTERNAL/CO from its element 0[i:2]
left out: /ENS_MAA/plate/-1-1/MAI/SE2: its cells are of the boundary)" },
      { "the first step", Fill, R"(MED: the file has MED's meshes
time 0.5
step 0 of 2, times 0.5 to 1.5
part plate TR3: unstructured, 6 points at /ENS_MAA/plate/-1-1/NOE/COO from its element 0[i:6], /ENS_MAA/plate/-1-1/NOE/COO from its element 6[i:6]; 2 cells of VTK's type 5 with 3 points each, /ENS_MAA/plate/-1-1/MAI/TR3/NOD from its element 0[c:3, i:2], points from 1
  point array T: /CHA/T/1/NOE/MED_NO_PROFILE_INTERNAL/CO from its element 0[i:6]
  cell array T: /CHA/T/1/MAI.TR3/MED_NO_PROFILE_INTERNAL/CO from its element 0[i:2]
left out: /ENS_MAA/plate/-1-1/MAI/SE2: its cells are of the boundary)",
        0 },
      { "a field of three components and without steps",
        [](MemoryFacts& file)
        {
          Fill(file);
          file.Group("/CHA/U").With("MAI", "plate").With("NCO", 3);
          file.Group("/CHA/U/only").With("NDT", -1).With("NOR", -1);
          file.Data("/CHA/U/only/NOE/MED_NO_PROFILE_INTERNAL/CO", { 18 });
        },
        R"(MED: the file has MED's meshes
time 1.5
step 1 of 2, times 0.5 to 1.5
part plate TR3: unstructured, 6 points at /ENS_MAA/plate/-1-1/NOE/COO from its element 0[i:6], /ENS_MAA/plate/-1-1/NOE/COO from its element 6[i:6]; 2 cells of VTK's type 5 with 3 points each, /ENS_MAA/plate/-1-1/MAI/TR3/NOD from its element 0[c:3, i:2], points from 1
  point array T: /CHA/T/2/NOE/MED_NO_PROFILE_INTERNAL/CO from its element 0[i:6]
  cell array T: /CHA/T/2/MAI.TR3/MED_NO_PROFILE_INTERNAL/CO from its element 0[i:2]
  point array U: /CHA/U/only/NOE/MED_NO_PROFILE_INTERNAL/CO from its element 0[i:6], /CHA/U/only/NOE/MED_NO_PROFILE_INTERNAL/CO from its element 6[i:6], /CHA/U/only/NOE/MED_NO_PROFILE_INTERNAL/CO from its element 12[i:6]
left out: /ENS_MAA/plate/-1-1/MAI/SE2: its cells are of the boundary)" },
      { "two types of cells, and one that is unknown",
        [](MemoryFacts& file)
        {
          Fill(file);
          file.Data("/ENS_MAA/plate/-1-1/MAI/QU4/NOD", { 4 });
          file.Data("/ENS_MAA/plate/-1-1/MAI/POG/NOD", { 4 });
        },
        R"(MED: the file has MED's meshes
time 1.5
step 1 of 2, times 0.5 to 1.5
part plate QU4: unstructured, 6 points at /ENS_MAA/plate/-1-1/NOE/COO from its element 0[i:6], /ENS_MAA/plate/-1-1/NOE/COO from its element 6[i:6]; 1 cells of VTK's type 9 with 4 points each, /ENS_MAA/plate/-1-1/MAI/QU4/NOD from its element 0[c:4, i:1], points from 1
  point array T: /CHA/T/2/NOE/MED_NO_PROFILE_INTERNAL/CO from its element 0[i:6]
part plate TR3: unstructured, 6 points at /ENS_MAA/plate/-1-1/NOE/COO from its element 0[i:6], /ENS_MAA/plate/-1-1/NOE/COO from its element 6[i:6]; 2 cells of VTK's type 5 with 3 points each, /ENS_MAA/plate/-1-1/MAI/TR3/NOD from its element 0[c:3, i:2], points from 1
  point array T: /CHA/T/2/NOE/MED_NO_PROFILE_INTERNAL/CO from its element 0[i:6]
  cell array T: /CHA/T/2/MAI.TR3/MED_NO_PROFILE_INTERNAL/CO from its element 0[i:2]
left out: /ENS_MAA/plate/-1-1/MAI/POG: cells of MED's type POG are not supported
left out: /ENS_MAA/plate/-1-1/MAI/SE2: its cells are of the boundary)" },
      { "cells without a list of points",
        [](MemoryFacts& file)
        {
          Fill(file);
          file.Data("/ENS_MAA/plate/-1-1/MAI/QU4/NOD", { 4 });
          file.Data("/ENS_MAA/plate/-1-1/MAI/TR3/NOD", { 5 });
        },
        R"(MED: the file has MED's meshes
time 1.5
step 1 of 2, times 0.5 to 1.5
part plate QU4: unstructured, 6 points at /ENS_MAA/plate/-1-1/NOE/COO from its element 0[i:6], /ENS_MAA/plate/-1-1/NOE/COO from its element 6[i:6]; 1 cells of VTK's type 9 with 4 points each, /ENS_MAA/plate/-1-1/MAI/QU4/NOD from its element 0[c:4, i:1], points from 1
  point array T: /CHA/T/2/NOE/MED_NO_PROFILE_INTERNAL/CO from its element 0[i:6]
left out: /ENS_MAA/plate/-1-1/MAI/SE2: its cells are of the boundary
left out: /ENS_MAA/plate/-1-1/MAI/TR3: it has no list of cells)" },
      { "fields that are not shown",
        [](MemoryFacts& file)
        {
          Fill(file);
          file.Group("/CHA/some").With("MAI", "plate");
          file.Data("/CHA/some/1/NOE/upper/CO", { 3 });
          file.Group("/CHA/short").With("MAI", "plate");
          file.Data("/CHA/short/1/NOE/MED_NO_PROFILE_INTERNAL/CO", { 5 });
          file.Group("/CHA/T ").With("MAI", "plate");
          file.Data("/CHA/T /1/NOE/MED_NO_PROFILE_INTERNAL/CO", { 6 });
        },
        R"(MED: the file has MED's meshes
time 1.5
step 1 of 2, times 0.5 to 1.5
part plate TR3: unstructured, 6 points at /ENS_MAA/plate/-1-1/NOE/COO from its element 0[i:6], /ENS_MAA/plate/-1-1/NOE/COO from its element 6[i:6]; 2 cells of VTK's type 5 with 3 points each, /ENS_MAA/plate/-1-1/MAI/TR3/NOD from its element 0[c:3, i:2], points from 1
  point array T: /CHA/T/2/NOE/MED_NO_PROFILE_INTERNAL/CO from its element 0[i:6]
  cell array T: /CHA/T/2/MAI.TR3/MED_NO_PROFILE_INTERNAL/CO from its element 0[i:2]
left out: /ENS_MAA/plate/-1-1/MAI/SE2: its cells are of the boundary
left out: /CHA/T /1/NOE/MED_NO_PROFILE_INTERNAL: another field has its name
left out: /CHA/short/1/NOE/MED_NO_PROFILE_INTERNAL: it has not one value for each node or cell
left out: /CHA/some/1/NOE: fields on some of the nodes or cells are not supported)" },
    });
}

TEST(MedRecogniser, SaysWhyNoMeshIsShown)
{
  CheckRecogniser(dsm::describe::RecogniseMed,
    {
      { "no mesh",
        [](MemoryFacts& file)
        {
          file.Group("/INFOS_GENERALES");
          file.Group("/ENS_MAA");
        },
        R"(error: /runs/out.h5 is a MED file, and none of its meshes can be shown: it has none)" },
      { "a mesh of axes",
        [](MemoryFacts& file)
        {
          Fill(file);
          file.Group("/ENS_MAA/plate").With("TYP", 1);
        },
        R"(error: /runs/out.h5 is a MED file, and none of its meshes can be shown: /ENS_MAA/plate: only meshes of cells that are listed are supported)" },
      { "no coordinates",
        [](MemoryFacts& file)
        {
          Fill(file);
          file.Data("/ENS_MAA/plate/-1-1/NOE/COO", { 11 });
        },
        R"(error: /runs/out.h5 is a MED file, and none of its meshes can be shown: /ENS_MAA/plate/-1-1: it has no coordinates of one to three dimensions)" },
    });
}

TEST(MedRecogniser, IgnoresOtherFiles)
{
  CheckRecogniser(dsm::describe::RecogniseMed,
    { { "no meshes", [](MemoryFacts& file) { file.Group("/INFOS_GENERALES"); },
      "not recognised" } });
}
