// SPDX-License-Identifier: BSD-3-Clause
#include "Describe/Exodus.h"
#include "MemoryFacts.h"

#include <gtest/gtest.h>

namespace
{
// Eight points, a hexahedron and two quadrilaterals, variables at three steps.
void Fill(MemoryFacts& file)
{
  file.Group("/").With("api_version", 8.0).With("floating_point_word_size", 8.0);
  for (const char* name : { "/coordx", "/coordy", "/coordz" })
  {
    file.Data(name, { 8 });
  }
  file.Data("/connect1", { 1, 8 }).OfType("int32").With("elem_type", "HEX8");
  file.Data("/connect2", { 2, 4 }).OfType("int32").With("elem_type", "SHELL");
  file.Rows("/eb_names", { "solid", "" });
  file.Data("/eb_prop1", { 2 }).OfType("int32").Holding({ 10, 20 });
  file.Data("/time_whole", { 3 }).Holding({ 0, 0.5, 1 });
  file.Rows("/name_nod_var", { "disp_x", "disp_y", "disp_z", "T" });
  for (int variable = 1; variable <= 4; ++variable)
  {
    file.Data("/vals_nod_var" + std::to_string(variable), { 3, 8 });
  }
  file.Rows("/name_elem_var", { "stress" });
  file.Data("/vals_elem_var1eb2", { 3, 2 });
}
}

TEST(ExodusRecogniser, MakesAPartOfEachBlock)
{
  CheckRecogniser(dsm::describe::RecogniseExodus,
    {
      { "the last step", Fill, R"(Exodus: the file has Exodus' attributes and coordinates
time 1
step 2 of 3, times 0 to 1
part solid: unstructured, 8 points at /coordx[i:8], /coordy[i:8], /coordz[i:8]; 1 cells of VTK's type 12 with 8 points each, /connect1[i:1, c:8], points from 1
  point array disp: /vals_nod_var1[t=2, i:8], /vals_nod_var2[t=2, i:8], /vals_nod_var3[t=2, i:8]
  point array T: /vals_nod_var4[t=2, i:8]
part block 20: unstructured, 8 points at /coordx[i:8], /coordy[i:8], /coordz[i:8]; 2 cells of VTK's type 9 with 4 points each, /connect2[i:2, c:4], points from 1
  point array disp: /vals_nod_var1[t=2, i:8], /vals_nod_var2[t=2, i:8], /vals_nod_var3[t=2, i:8]
  point array T: /vals_nod_var4[t=2, i:8]
  cell array stress: /vals_elem_var1eb2[t=2, i:2])" },
      { "the first step", Fill, R"(Exodus: the file has Exodus' attributes and coordinates
time 0
step 0 of 3, times 0 to 1
part solid: unstructured, 8 points at /coordx[i:8], /coordy[i:8], /coordz[i:8]; 1 cells of VTK's type 12 with 8 points each, /connect1[i:1, c:8], points from 1
  point array disp: /vals_nod_var1[t=0, i:8], /vals_nod_var2[t=0, i:8], /vals_nod_var3[t=0, i:8]
  point array T: /vals_nod_var4[t=0, i:8]
part block 20: unstructured, 8 points at /coordx[i:8], /coordy[i:8], /coordz[i:8]; 2 cells of VTK's type 9 with 4 points each, /connect2[i:2, c:4], points from 1
  point array disp: /vals_nod_var1[t=0, i:8], /vals_nod_var2[t=0, i:8], /vals_nod_var3[t=0, i:8]
  point array T: /vals_nod_var4[t=0, i:8]
  cell array stress: /vals_elem_var1eb2[t=0, i:2])",
        0 },
      { "all coordinates and all variables in one dataset",
        [](MemoryFacts& file)
        {
          file.Group("/").With("api_version", 8.0).With("floating_point_word_size", 8.0);
          file.Data("/coord", { 2, 6 });
          file.Data("/connect1", { 2, 3 }).With("elem_type", "tri");
          file.Rows("/name_nod_var", { "p", "q", "p" });
          file.Data("/vals_nod_var", { 1, 2, 6 });
          file.Data("/vals_glo_var", { 1, 4 });
          file.Data("/node_ns1", { 2 });
        },
        R"(Exodus: the file has Exodus' attributes and coordinates
part block 1: unstructured, 6 points at /coord[0, i:6], /coord[1, i:6]; 2 cells of VTK's type 5 with 3 points each, /connect1[i:2, c:3], points from 1
  point array p: /vals_nod_var[t=0, 0, i:6]
  point array q: /vals_nod_var[t=0, 1, i:6]
left out: /node_ns1: sets of nodes are not shown
left out: /vals_glo_var: it is of the whole mesh)" },
      { "quadratic elements in the order of Exodus",
        [](MemoryFacts& file)
        {
          file.Group("/").With("api_version", 8.0).With("floating_point_word_size", 8.0);
          file.Data("/coordx", { 27 });
          file.Data("/connect1", { 1, 27 }).With("elem_type", "HEX27");
        },
        R"(Exodus: the file has Exodus' attributes and coordinates
part block 1: unstructured, 27 points at /coordx[i:27]; 1 cells of VTK's type 29 with 27 points each, /connect1[i:1, c:27] in the order 0 1 2 3 4 5 6 7 8 9 10 11 16 17 18 19 12 13 14 15 23 24 25 26 21 22 20, points from 1)" },
      { "a variable that lacks the step",
        [](MemoryFacts& file)
        {
          Fill(file);
          file.Data("/vals_nod_var4", { 2, 8 });
        },
        R"(Exodus: the file has Exodus' attributes and coordinates
time 1
step 2 of 3, times 0 to 1
part solid: unstructured, 8 points at /coordx[i:8], /coordy[i:8], /coordz[i:8]; 1 cells of VTK's type 12 with 8 points each, /connect1[i:1, c:8], points from 1
  point array disp: /vals_nod_var1[t=2, i:8], /vals_nod_var2[t=2, i:8], /vals_nod_var3[t=2, i:8]
part block 20: unstructured, 8 points at /coordx[i:8], /coordy[i:8], /coordz[i:8]; 2 cells of VTK's type 9 with 4 points each, /connect2[i:2, c:4], points from 1
  point array disp: /vals_nod_var1[t=2, i:8], /vals_nod_var2[t=2, i:8], /vals_nod_var3[t=2, i:8]
  cell array stress: /vals_elem_var1eb2[t=2, i:2])" },
    });
}

TEST(ExodusRecogniser, SaysWhyNoBlockIsShown)
{
  CheckRecogniser(dsm::describe::RecogniseExodus,
    {
      { "unknown elements",
        [](MemoryFacts& file)
        {
          file.Group("/").With("api_version", 8.0).With("floating_point_word_size", 8.0);
          file.Data("/coordx", { 8 });
          file.Data("/connect1", { 1, 11 }).With("elem_type", "NSIDED");
        },
        R"(error: /runs/out.h5 is an Exodus file, and none of its blocks of elements can be shown: /connect1: elements "NSIDED" with 11 nodes are not supported)" },
      { "coordinates that are text",
        [](MemoryFacts& file)
        {
          file.Group("/").With("api_version", 8.0).With("floating_point_word_size", 8.0);
          file.Data("/coordx", { 8 }).OfType("text");
        },
        R"(error: /runs/out.h5 is an Exodus file without coordinates)" },
    });
}

TEST(ExodusRecogniser, IgnoresOtherFiles)
{
  CheckRecogniser(dsm::describe::RecogniseExodus,
    {
      { "no version", [](MemoryFacts& file) { file.Data("/coordx", { 8 }); }, "not recognised" },
      { "no coordinates", [](MemoryFacts& file)
        { file.Group("/").With("api_version", 8.0).With("floating_point_word_size", 8.0); },
        "not recognised" },
    });
}
