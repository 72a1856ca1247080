/* SPDX-License-Identifier: BSD-3-Clause
 *
 * MED by its own library, as code_aster and Salome write it: hexahedra and tetrahedra with some of
 * their faces, displacements of nodes and a pressure of cells, at two times. */
#include <med.h>

#include <math.h>
#include <stdio.h>

enum
{
  Nodes = 13
};

int main(int argc, char** argv)
{
  char path[4096];
  snprintf(path, sizeof path, "%s/beam.med", argc > 1 ? argv[1] : ".");
  const med_idt file = MEDfileOpen(path, MED_ACC_CREAT);
  /* Names of 16 letters each, of axes and of components. */
  const char* three = "x               y               z               ";
  const char* metres = "m               m               m               ";
  double points[3 * Nodes];
  for (int node = 0; node < Nodes - 1; ++node)
  {
    points[3 * node] = node % 3 * 1.25;
    points[3 * node + 1] = node / 3 % 2 * 1.5;
    points[3 * node + 2] = node / 6;
  }
  points[36] = 3.5, points[37] = 0.5, points[38] = 0.5;
  const med_int hexahedra[] = { 1, 2, 5, 4, 7, 8, 11, 10, 2, 3, 6, 5, 8, 9, 12, 11 };
  const med_int tetrahedra[] = { 3, 6, 9, 13, 6, 12, 9, 13 }, faces[] = { 1, 2, 5, 4 };
  int bad = file < 0;
  bad |= MEDmeshCr(file, "beam", 3, 3, MED_UNSTRUCTURED_MESH, "a beam", "s", MED_SORT_DTIT,
           MED_CARTESIAN, three, metres) < 0;
  bad |= MEDmeshNodeCoordinateWr(
           file, "beam", MED_NO_DT, MED_NO_IT, 0, MED_FULL_INTERLACE, Nodes, points) < 0;
  bad |= MEDmeshElementConnectivityWr(file, "beam", MED_NO_DT, MED_NO_IT, 0, MED_CELL, MED_HEXA8,
           MED_NODAL, MED_FULL_INTERLACE, 2, hexahedra) < 0;
  bad |= MEDmeshElementConnectivityWr(file, "beam", MED_NO_DT, MED_NO_IT, 0, MED_CELL, MED_TETRA4,
           MED_NODAL, MED_FULL_INTERLACE, 2, tetrahedra) < 0;
  bad |= MEDmeshElementConnectivityWr(file, "beam", MED_NO_DT, MED_NO_IT, 0, MED_CELL, MED_QUAD4,
           MED_NODAL, MED_FULL_INTERLACE, 1, faces) < 0;
  bad |= MEDfamilyCr(file, "beam", "FAMILLE_ZERO", 0, 0, "") < 0;
  bad |= MEDfieldCr(file, "DEPL", MED_FLOAT64, 3, three, metres, "s", "beam") < 0;
  bad |= MEDfieldCr(file, "pressure", MED_FLOAT64, 1, "p               ", "Pa              ", "s",
           "beam") < 0;
  for (int step = 1; step <= 2; ++step)
  {
    double moved[3 * Nodes];
    for (int index = 0; index < 3 * Nodes; ++index)
    {
      moved[index] = sin(index) * step;
    }
    const double inHexahedra[] = { step, step + 0.25 }, inTetrahedra[] = { -step, -step - 0.5 },
                 onFaces[] = { 7 };
    const double time = 0.5 * step * step;
    bad |= MEDfieldValueWr(file, "DEPL", step, MED_NO_IT, time, MED_NODE, MED_NONE,
             MED_FULL_INTERLACE, MED_ALL_CONSTITUENT, Nodes, (const unsigned char*)moved) < 0;
    bad |= MEDfieldValueWr(file, "pressure", step, MED_NO_IT, time, MED_CELL, MED_HEXA8,
             MED_FULL_INTERLACE, MED_ALL_CONSTITUENT, 2, (const unsigned char*)inHexahedra) < 0;
    bad |= MEDfieldValueWr(file, "pressure", step, MED_NO_IT, time, MED_CELL, MED_TETRA4,
             MED_FULL_INTERLACE, MED_ALL_CONSTITUENT, 2, (const unsigned char*)inTetrahedra) < 0;
    bad |= MEDfieldValueWr(file, "pressure", step, MED_NO_IT, time, MED_CELL, MED_QUAD4,
             MED_FULL_INTERLACE, MED_ALL_CONSTITUENT, 1, (const unsigned char*)onFaces) < 0;
  }
  bad |= MEDfileClose(file) < 0;
  return bad;
}
