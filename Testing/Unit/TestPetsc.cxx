// SPDX-License-Identifier: BSD-3-Clause
#include "Describe/Petsc.h"
#include "MemoryFacts.h"

#include <gtest/gtest.h>

namespace
{
// Two triangles.
void FillMesh(MemoryFacts& file)
{
  file.Data("/geometry/vertices", { 4, 2 });
  file.Data("/topology/cells", { 19, 1 }).OfType("int32").With("cell_dim", 2);
  file.Data("/topology/cones", { 11, 1 }).OfType("int32");
  file.Data("/viz/topology/cells", { 2, 3 }).OfType("int32").With("cell_dim", 2);
  file.Data("/labels/marker/1/indices", { 4, 1 }).OfType("int32");
}

MemoryFacts::Entry& AddSteps(
  MemoryFacts& file, const std::string& path, const std::vector<hsize_t>& shape)
{
  return file.Data(path, shape).With("timestepping", 1);
}
}

TEST(PetscRecogniser, ShowsMeshesOfDmplex)
{
  CheckRecogniser(dsm::describe::RecognisePetsc,
    {
      { "fields of vertices and cells, in time",
        [](MemoryFacts& file)
        {
          FillMesh(file);
          AddSteps(file, "/vertex_fields/u", { 3, 4 });
          AddSteps(file, "/vertex_fields/v", { 3, 4, 2 });
          AddSteps(file, "/cell_fields/p", { 3, 2 });
          file.Data("/cell_fields/rank", { 2 });
          file.Data("/time", { 3, 1 }).Holding({ 0, 0.5, 1.5 });
        },
        R"(PETSc: the file has the mesh of a DMPlex of PETSc
time 1.5
step 2 of 3, times 0 to 1.5
part mesh: unstructured, 4 points at /geometry/vertices[i:4, c:2]; 2 cells of VTK's type 5 with 3 points each, /viz/topology/cells[i:2, c:3]
  point array u: /vertex_fields/u[t=2, i:4]
  point array v: /vertex_fields/v[t=2, i:4, c:2]
  cell array p: /cell_fields/p[t=2, i:2]
  cell array rank: /cell_fields/rank[i:2])" },
      { "vectors of the mesh, one of which fits nothing",
        [](MemoryFacts& file)
        {
          FillMesh(file);
          AddSteps(file, "/fields/temp", { 2, 2 });
          AddSteps(file, "/fields/q", { 2, 9 });
        },
        R"(PETSc: the file has the mesh of a DMPlex of PETSc
time 1
step 1 of 2, times 0 to 1
part mesh: unstructured, 4 points at /geometry/vertices[i:4, c:2]; 2 cells of VTK's type 5 with 3 points each, /viz/topology/cells[i:2, c:3]
  cell array temp: /fields/temp[t=1, i:2]
guessed: /fields/temp = cell data (the counts match)
guessed: Time = step number
left out: /fields/q: it has 9 values, and the mesh has 4 vertices and 2 cells)" },
      { "a checkpoint, which has no cells by vertices",
        [](MemoryFacts& file)
        {
          file.Data("/geometry/vertices", { 4, 3 });
          file.Data("/topology/cones", { 11, 1 }).OfType("int32");
        },
        R"(PETSc: the file has the mesh of a DMPlex of PETSc
part vertices: 4 points without cells, at /geometry/vertices[i:4, c:3]
left out: /topology: it has no cells by their vertices, only cones: view the mesh with the format HDF5_VIZ)" },
    });
}

TEST(PetscRecogniser, ShowsVectorsInTime)
{
  CheckRecogniser(dsm::describe::RecognisePetsc,
    {
      { "on a DMDA, the second of four steps",
        [](MemoryFacts& file)
        {
          file.Data("/coordinates", { 16, 24, 2 });
          AddSteps(file, "/u", { 4, 16, 24 }).Growing(0);
          AddSteps(file, "/w", { 4, 16, 24, 3 }).Growing(0);
        },
        R"(PETSc: the file has vectors of PETSc in time
time 1
step 1 of 4, times 0 to 3
part grid: curvilinear, 24 x 16 x 1 points, at /coordinates[y:16, x:24, c:2]
  point array u: /u[t=1, y:16, x:24]
  point array w: /w[t=1, y:16, x:24, c:3]
guessed: Time = step number)",
        1 },
      { "without coordinates", [](MemoryFacts& file) { AddSteps(file, "/u", { 4, 16, 24 }); },
        R"(PETSc: the file has vectors of PETSc in time
time 3
step 3 of 4, times 0 to 3
part grid: uniform, 24 x 16 x 1 points, origin 0 0 0, spacing 1 1 1
  point array u: /u[t=3, y:16, x:24]
guessed: Origin 0 0 0
guessed: Spacing 1 1 1
guessed: Last dimension = x
guessed: Time = step number)" },
      { "a dataset without steps", [](MemoryFacts& file) { file.Data("/u", { 4, 16, 24 }); },
        "not recognised" },
    });
}
