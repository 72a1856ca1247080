/* SPDX-License-Identifier: BSD-3-Clause */
/* A simulation with an array that viewers send: rows, of which each rank has a part, or with
 * "block" as the fourth argument columns. Each rank writes what it has to FOLDER/<rank>.<step> at
 * the step that changed it. Its Fortran and Python twins do the same. array_program ROWS COLUMNS
 * FOLDER [block] */
#include <dsm.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void Check(int status)
{
  if (status != DSM_OK)
  {
    fprintf(stderr, "array_program: %s\n", dsm_last_error());
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
}

int main(int argc, char** argv)
{
  int rank = 0;
  int ranks = 1;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (argc < 4)
  {
    fprintf(stderr, "usage: array_program ROWS COLUMNS FOLDER [block]\n");
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  const size_t whole[2] = { strtoull(argv[1], NULL, 10), strtoull(argv[2], NULL, 10) };
  const int block = argc > 4 && strcmp(argv[4], "block") == 0;
  const size_t shared = whole[block];
  size_t starts[2] = { 0, 0 };
  size_t counts[2] = { whole[0], whole[1] };
  starts[block] = shared * (size_t)rank / (size_t)ranks;
  counts[block] = shared * (size_t)(rank + 1) / (size_t)ranks - starts[block];
  double* field = calloc(counts[0] * counts[1] + 1, sizeof *field);
  double gain = 1;

  dsm_session* dsm = NULL;
  Check(dsm_open(MPI_COMM_WORLD, NULL, &dsm));
  Check(dsm_double(dsm, "gain", &gain));
  Check(block ? dsm_array_block(dsm, "field", DSM_DOUBLE, 2, whole, starts, counts, field)
              : dsm_array(dsm, "field", DSM_DOUBLE, 2, counts, field));
  Check(dsm_unit(dsm, "field", "m"));
  for (long step = 0; step < 2000 && dsm_running(dsm); ++step)
  {
    Check(dsm_step(dsm, step, (double)step));
    if (dsm_changed(dsm, "field"))
    {
      char path[4096];
      snprintf(path, sizeof path, "%s/%d.%ld", argv[3], rank, step);
      FILE* file = fopen(path, "wb");
      if (!file ||
        fwrite(field, sizeof *field, counts[0] * counts[1], file) != counts[0] * counts[1] ||
        fclose(file) != 0)
      {
        MPI_Abort(MPI_COMM_WORLD, 3);
      }
      if (rank == 0)
      {
        printf("changed at step %ld, gain %g\n", step, gain);
        fflush(stdout);
      }
    }
    usleep(10000);
  }
  dsm_close(&dsm);
  free(field);
  MPI_Finalize();
  return 0;
}
