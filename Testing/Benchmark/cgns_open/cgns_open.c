/* SPDX-License-Identifier: BSD-3-Clause */
/* What cgns_open.py times: a CGNS program that knows nothing of us.

     cgns_open write NAME BASES ZONES
     cgns_open METADATA NAME BASES ZONES ROUNDS

   The first, on one rank, makes a file of BASES bases with ZONES zones each, which have coordinates
   of a few points. The second opens it ROUNDS times on all ranks (cgp_open), asks for all bases and
   zones, and compares their names and sizes with what was written; METADATA is "together" (HDF5's
   collective metadata reads, as CGNS wants it) or "each" (as it does where HDF5 has none). Rank 0
   prints the milliseconds in which the slowest rank opened the file, and asked. */
#undef H5Pset_all_coll_metadata_ops /* CGNS is compiled to call CgnsMetadata for it */
#include "simulation.h"

#include <pcgnslib.h>

#include <stdbool.h>
#include <string.h>

enum
{
  Points = 2
};

static bool Together = true;

/* Instead of H5Pset_all_coll_metadata_ops, so that one CGNS can do either. */
herr_t CgnsMetadata(hid_t list, hbool_t wanted)
{
  return H5Pset_all_coll_metadata_ops(list, wanted && Together);
}

/* CGNS gives them back by name. */
static void BaseName(char* name, int base)
{
  sprintf(name, "base %03d", base);
}

static void ZoneName(char* name, int zone)
{
  sprintf(name, "zone %03d", zone);
}

/* So that no two zones of a base are alike. */
static void ZoneSize(cgsize_t* size, int zone)
{
  for (int i = 0; i < 3; ++i)
  {
    size[i] = Points;
    size[3 + i] = Points - 1;
    size[6 + i] = 0;
  }
  size[2] += zone;
  size[5] += zone;
}

static void Write(const char* file, int bases, int zones)
{
  int number = 0;
  CHECK(cgp_open(file, CG_MODE_WRITE, &number) == CG_OK);
  double* const values = calloc((size_t)(Points * Points * (Points + zones)), sizeof(double));
  CHECK(values);
  for (int base = 1; base <= bases; ++base)
  {
    char name[33];
    int isBase = 0;
    BaseName(name, base);
    CHECK(cg_base_write(number, name, 3, 3, &isBase) == CG_OK && isBase == base);
    for (int zone = 1; zone <= zones; ++zone)
    {
      cgsize_t size[9];
      int isZone = 0, isCoordinate = 0;
      ZoneName(name, zone);
      ZoneSize(size, zone);
      CHECK(cg_zone_write(number, base, name, size, CGNS_ENUMV(Structured), &isZone) == CG_OK);
      CHECK(cg_coord_write(number, base, isZone, CGNS_ENUMV(RealDouble), "CoordinateX", values,
              &isCoordinate) == CG_OK);
    }
  }
  free(values);
  CHECK(cgp_close(number) == CG_OK);
}

static void Ask(int number, int bases, int zones)
{
  int found = 0;
  CHECK(cg_nbases(number, &found) == CG_OK && found == bases);
  for (int base = 1; base <= bases; ++base)
  {
    char expected[33], name[33];
    int cells = 0, physical = 0;
    BaseName(expected, base);
    CHECK(cg_base_read(number, base, name, &cells, &physical) == CG_OK);
    CHECK(strcmp(name, expected) == 0 && cells == 3 && physical == 3);
    CHECK(cg_nzones(number, base, &found) == CG_OK && found == zones);
    for (int zone = 1; zone <= zones; ++zone)
    {
      cgsize_t size[9], all[9];
      ZoneName(expected, zone);
      ZoneSize(all, zone);
      CHECK(cg_zone_read(number, base, zone, name, size) == CG_OK);
      CHECK(strcmp(name, expected) == 0 && memcmp(size, all, sizeof all) == 0);
      CHECK(cg_ncoords(number, base, zone, &found) == CG_OK && found == 1);
    }
  }
}

/* Milliseconds, on the slowest rank, since all began. */
static double Slowest(MPI_Comm ranks, double began)
{
  double mine = (MPI_Wtime() - began) * 1e3, all = 0;
  CHECK(MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_MAX, ranks) == MPI_SUCCESS);
  return all;
}

int main(int argc, char** argv)
{
  CHECK(MPI_Init(&argc, &argv) == MPI_SUCCESS);
  CHECK(argc >= 5);
  const MPI_Comm ranks = ThisProgram();
  int rank = 0;
  MPI_Comm_rank(ranks, &rank);
  const char* const file = argv[2];
  const int bases = atoi(argv[3]), zones = atoi(argv[4]);
  CHECK(cgp_mpi_comm(ranks) == CG_OK && cgp_pio_mode(CGP_COLLECTIVE) == CG_OK);
  if (strcmp(argv[1], "write") == 0)
  {
    Write(file, bases, zones);
    MPI_Finalize();
    return 0;
  }
  CHECK(argc == 6);
  Together = strcmp(argv[1], "together") == 0;
  CHECK(Together || strcmp(argv[1], "each") == 0);
  for (int round = 0; round < atoi(argv[5]); ++round)
  {
    MPI_Barrier(ranks);
    int number = 0;
    const double began = MPI_Wtime();
    CHECK(cgp_open(file, CG_MODE_READ, &number) == CG_OK);
    const double opened = Slowest(ranks, began);
    const double beganToAsk = MPI_Wtime();
    Ask(number, bases, zones);
    const double asked = Slowest(ranks, beganToAsk);
    if (rank == 0)
    {
      printf("milliseconds %.3f %.3f\n", opened, asked);
      fflush(stdout);
    }
    CHECK(cgp_close(number) == CG_OK);
  }
  MPI_Finalize();
  return 0;
}
