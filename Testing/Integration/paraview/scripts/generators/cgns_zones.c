/* SPDX-License-Identifier: BSD-3-Clause
 *
 * CGNS by its own library: structured zones, one with velocities at vertices and one with pressures
 * in cells, at two times, and an unstructured one of tetrahedra, a pyramid and its boundary; others
 * in it have nodes without a shape, but in an order. */
#include <cgnslib.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

enum
{
  I = 5,
  J = 4,
  K = 3,
  Vertices = I * J * K,
  Cells = (I - 1) * (J - 1) * (K - 1)
};
enum
{
  Tetrahedral = 7,
  Others = 4,
  Nodes = Tetrahedral + 20 + 6 + 15 + 27,
  Elements = 3 + Others
};

static const ElementType_t types[Others] = { HEXA_20, PENTA_6, PENTA_15, HEXA_27 };
static const int lengths[Others] = { 20, 6, 15, 27 };

static int file, base;

static void WriteSolution(
  int zone, const char* name, GridLocation_t where, int count, const char** fields, double seed)
{
  int solution, field;
  double values[Vertices + Nodes];
  cg_sol_write(file, base, zone, name, where, &solution);
  for (; *fields; ++fields)
  {
    for (int index = 0; index < count; ++index)
    {
      values[index] = sin(index + seed) + strlen(*fields);
    }
    cg_field_write(file, base, zone, solution, RealDouble, *fields, values, &field);
    seed += 0.5;
  }
}

static void WriteCoordinates(int zone, const double* x, const double* y, const double* z)
{
  int which;
  cg_coord_write(file, base, zone, RealDouble, "CoordinateX", x, &which);
  cg_coord_write(file, base, zone, RealDouble, "CoordinateY", y, &which);
  cg_coord_write(file, base, zone, RealDouble, "CoordinateZ", z, &which);
}

static void PointTo(int zone, const char* first, const char* second)
{
  const cgsize_t names[] = { 32, 2 };
  char both[65];
  snprintf(both, sizeof both, "%-32s%-32s", first, second);
  cg_ziter_write(file, base, zone, "Solutions");
  cg_goto(file, base, "Zone_t", zone, "ZoneIterativeData_t", 1, "end");
  cg_array_write("FlowSolutionPointers", Character, 2, names, both);
}

int main(int argc, char** argv)
{
  char path[4096];
  snprintf(path, sizeof path, "%s/zones.cgns", argc > 1 ? argv[1] : ".");
  cg_set_file_type(CG_FILE_HDF5);
  if (cg_open(path, CG_MODE_WRITE, &file) || cg_base_write(file, "Flow", 3, 3, &base))
  {
    return 1;
  }
  double x[Vertices], y[Vertices], z[Vertices];
  for (int index = 0; index < Vertices; ++index)
  {
    const int i = index % I, j = index / I % J, k = index / (I * J);
    x[index] = i + 0.1 * j;
    y[index] = j * j * 0.5;
    z[index] = k - 0.2 * i;
  }
  int structured, cells, unstructured, section;
  const cgsize_t blockSize[9] = { I, J, K, I - 1, J - 1, K - 1, 0, 0, 0 };
  cg_zone_write(file, base, "Block", blockSize, Structured, &structured);
  WriteCoordinates(structured, x, y, z);
  const char* atVertices[] = { "VelocityX", "VelocityY", "VelocityZ", NULL };
  const char* inCells[] = { "Pressure", "Density", NULL };
  WriteSolution(structured, "Vertex1", Vertex, Vertices, atVertices, 1);
  WriteSolution(structured, "Vertex2", Vertex, Vertices, atVertices, 2);
  for (int index = 0; index < Vertices; ++index)
  {
    z[index] += 100;
  }
  cg_zone_write(file, base, "Volume", blockSize, Structured, &cells);
  WriteCoordinates(cells, x, y, z);
  WriteSolution(cells, "Cell1", CellCenter, Cells, inCells, 3);
  WriteSolution(cells, "Cell2", CellCenter, Cells, inCells, 4);

  double px[Nodes] = { 10, 11, 11, 10, 10.5, 10.5, 11.5 },
         py[Nodes] = { 0, 0, 1, 1, 0.5, 0.5, 0.5 }, pz[Nodes] = { 0, 0, 0, 0, 1, -1, 0.5 };
  for (int node = Tetrahedral; node < Nodes; ++node)
  {
    px[node] = 20 + sin(node);
    py[node] = cos(2 * node);
    pz[node] = sin(3 * node);
  }
  const cgsize_t meshSize[3] = { Nodes, Elements, 0 };
  const cgsize_t tetrahedra[] = { 2, 3, 5, 7, 1, 2, 4, 6 }, pyramid[] = { 1, 2, 3, 4, 5 },
                 wall[] = { 1, 2, 5 };
  cg_zone_write(file, base, "Mesh", meshSize, Unstructured, &unstructured);
  WriteCoordinates(unstructured, px, py, pz);
  cg_section_write(file, base, unstructured, "Tetrahedra", TETRA_4, 1, 2, 0, tetrahedra, &section);
  cg_section_write(file, base, unstructured, "Pyramids", PYRA_5, 3, 3, 0, pyramid, &section);
  for (int other = 0, first = Tetrahedral; other < Others; first += lengths[other++])
  {
    cgsize_t nodes[27];
    for (int node = 0; node < lengths[other]; ++node)
    {
      nodes[node] = first + node + 1;
    }
    cg_section_write(file, base, unstructured, ElementTypeName[types[other]], types[other],
      4 + other, 4 + other, 0, nodes, &section);
  }
  cg_section_write(
    file, base, unstructured, "Wall", TRI_3, Elements + 1, Elements + 1, 0, wall, &section);
  const char* temperature[] = { "Temperature", NULL };
  WriteSolution(unstructured, "Nodes", Vertex, Nodes, temperature, 5);
  WriteSolution(unstructured, "Elements", CellCenter, Elements, inCells, 6);

  const double times[] = { 0.5, 0.75 };
  const cgsize_t two = 2;
  cg_biter_write(file, base, "Steps", 2);
  cg_goto(file, base, "BaseIterativeData_t", 1, "end");
  cg_array_write("TimeValues", RealDouble, 1, &two, times);
  PointTo(structured, "Vertex1", "Vertex2");
  PointTo(cells, "Cell1", "Cell2");
  return cg_close(file) != 0;
}
