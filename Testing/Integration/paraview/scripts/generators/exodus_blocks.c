/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Exodus by its own library: a block of hexahedra and one of tetrahedra, and one element each of
 * others, whose nodes have no shape but an order; temperatures and displacements of nodes, stresses
 * of elements, at three times. */
#include <exodusII.h>

#include <math.h>
#include <stdio.h>

enum
{
  Linear = 13,
  Others = 6,
  Nodes = Linear + 20 + 6 + 15 + 27 + 5 + 4,
  Blocks = 2 + Others
};

static const char* const types[Others] = { "HEX20", "WEDGE", "WEDGE15", "HEX27", "PYRAMID",
  "SHELL" };
static const int lengths[Others] = { 20, 6, 15, 27, 5, 4 };

int main(int argc, char** argv)
{
  char path[4096];
  int doubles = 8, stored = 8;
  snprintf(path, sizeof path, "%s/blocks.e", argc > 1 ? argv[1] : ".");
  const int file = ex_create(path, EX_CLOBBER | EX_NETCDF4 | EX_NOCLASSIC, &doubles, &stored);
  if (file < 0 || ex_put_init(file, "blocks", 3, Nodes, 4 + Others, Blocks, 0, 1) < 0)
  {
    return 1;
  }
  double x[Nodes], y[Nodes], z[Nodes];
  for (int node = 0; node < 12; ++node)
  {
    x[node] = node % 3 * 1.25;
    y[node] = node / 3 % 2 * 1.5;
    z[node] = node / 6;
  }
  x[12] = 3.5, y[12] = 0.5, z[12] = 0.5;
  for (int node = Linear; node < Nodes; ++node)
  {
    x[node] = sin(node);
    y[node] = cos(2 * node);
    z[node] = sin(3 * node);
  }
  char* axes[] = { "x", "y", "z" };
  const int hexahedra[] = { 1, 2, 5, 4, 7, 8, 11, 10, 2, 3, 6, 5, 8, 9, 12, 11 };
  const int tetrahedra[] = { 3, 6, 9, 13, 6, 12, 9, 13 };
  const int sides[] = { 1, 2 }, ofElements[] = { 1, 1 };
  char* blocks[Blocks] = { "solid", "tip", "a", "b", "c", "d", "e", "f" };
  int bad = ex_put_coord(file, x, y, z) | ex_put_coord_names(file, axes);
  bad |=
    ex_put_elem_block(file, 10, "HEX8", 2, 8, 0) | ex_put_elem_block(file, 20, "TETRA", 2, 4, 0);
  bad |= ex_put_elem_conn(file, 10, hexahedra) | ex_put_elem_conn(file, 20, tetrahedra);
  for (int block = 0, first = Linear; block < Others; first += lengths[block++])
  {
    int nodes[27];
    for (int node = 0; node < lengths[block]; ++node)
    {
      nodes[node] = first + node + 1;
    }
    bad |= ex_put_elem_block(file, 30 + block, types[block], 1, lengths[block], 0);
    bad |= ex_put_elem_conn(file, 30 + block, nodes);
  }
  bad |= ex_put_names(file, EX_ELEM_BLOCK, blocks);
  bad |= ex_put_side_set_param(file, 1, 2, 0) | ex_put_side_set(file, 1, ofElements, sides);
  char* nodal[] = { "temperature", "DISPLX", "DISPLY", "DISPLZ" };
  char* ofBlocks[] = { "stress_xx", "wear" };
  char* whole[] = { "energy" };
  /* Only the tip wears off. */
  int table[2 * Blocks] = { 1, 0, 1, 1 };
  bad |= ex_put_var_param(file, "n", 4) | ex_put_var_names(file, "n", 4, nodal);
  bad |= ex_put_var_param(file, "e", 2) | ex_put_var_names(file, "e", 2, ofBlocks);
  bad |= ex_put_var_param(file, "g", 1) | ex_put_var_names(file, "g", 1, whole);
  bad |= ex_put_elem_var_tab(file, Blocks, 2, table);
  for (int step = 1; step <= 3; ++step)
  {
    const double time = 0.25 * step * step;
    bad |= ex_put_time(file, step, &time) | ex_put_glob_vars(file, step, 1, &time);
    for (int variable = 1; variable <= 4; ++variable)
    {
      double values[Nodes];
      for (int node = 0; node < Nodes; ++node)
      {
        values[node] = sin(node + 10 * variable) * step;
      }
      bad |= ex_put_nodal_var(file, step, variable, Nodes, values);
    }
    const double stress[] = { 1.5 * step, 2.5 * step }, more[] = { -step, -2.0 * step };
    bad |=
      ex_put_elem_var(file, step, 1, 10, 2, stress) | ex_put_elem_var(file, step, 1, 20, 2, more);
    bad |= ex_put_elem_var(file, step, 2, 20, 2, more);
    bad |= ex_update(file);
  }
  return ex_close(file) < 0 || bad < 0;
}
