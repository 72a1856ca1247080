/* SPDX-License-Identifier: BSD-3-Clause */
/* A simulation with every kind of parameter. Prints what it has whenever that changes, and whether
 * all ranks have the same; its Fortran and Python twins print the same lines. */
#include <dsm.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int called = 0;
static int rank = 0;
static long step = 0;

static void Again(void* data)
{
  ++*(int*)data;
}

static void Write(void* data)
{
  (void)data;
  if (rank == 0)
  {
    printf("written at step %ld\n", step);
    fflush(stdout);
  }
}

static void Check(int status)
{
  if (status != DSM_OK)
  {
    fprintf(stderr, "steered_program: %s\n", dsm_last_error());
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
}

int main(int argc, char** argv)
{
  MPI_Init(&argc, &argv);
  int ranks = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const long steps = argc > 1 ? strtol(argv[1], NULL, 10) : 1000000;
  const unsigned nap = argc > 2 ? (unsigned)strtol(argv[2], NULL, 10) : 1000;

  bool flag = false;
  int64_t count = 3;
  double feed = 0.03;
  int mode = 0;
  char label[16] = "first";
  double where[3] = { 0, 0, 0 };
  dsm_session* dsm = NULL;
  Check(dsm_open(MPI_COMM_WORLD, NULL, &dsm));
  Check(dsm_bool(dsm, "flag", &flag));
  Check(dsm_int64(dsm, "count", &count));
  Check(dsm_range(dsm, "count", 1, 100));
  Check(dsm_double(dsm, "feed", &feed));
  Check(dsm_range(dsm, "feed", 0, 0.1));
  Check(dsm_unit(dsm, "feed", "1/s"));
  Check(dsm_text(dsm, "feed", "how fast u is fed"));
  Check(dsm_group(dsm, "feed", "Reaction"));
  Check(dsm_enum(dsm, "mode", &mode, "periodic|mirror|fixed"));
  Check(dsm_string(dsm, "label", label, sizeof label));
  Check(dsm_vector(dsm, "where", where));
  Check(dsm_meaning(dsm, "where", "position"));
  Check(dsm_command(dsm, "seed again", Again, &called));
  Check(dsm_observable(dsm, "energy"));
  Check(dsm_last_step(dsm, steps - 1));
  Check(dsm_output_interval(dsm, 0));
  /* Whoever asks for a group offers to switch off all that is in it. */
  dsm_enabled(dsm, "/fields");
  if (argc > 3)
  {
    Check(dsm_output_action(dsm, Write, NULL));
  }

  char last[256] = "";
  double energy = 1;
  for (; step < steps && dsm_running(dsm); ++step)
  {
    Check(dsm_observe(dsm, "energy", energy));
    Check(dsm_step(dsm, step, 0.5 * (double)step));
    energy += feed;
    char now[256] = "";
    snprintf(now, sizeof now,
      "flag %d count %ld feed %.17g mode %d label %s where %g %g %g again %d pressure %d", flag,
      (long)count, feed, mode, label, where[0], where[1], where[2], called,
      dsm_enabled(dsm, "/fields/pressure"));
    if (dsm_output_due(dsm) && rank == 0)
    {
      printf("write at step %ld\n", step);
    }
    char first[256];
    memcpy(first, now, sizeof now);
    MPI_Bcast(first, sizeof first, MPI_CHAR, 0, MPI_COMM_WORLD);
    int same = strcmp(first, now) == 0;
    MPI_Allreduce(MPI_IN_PLACE, &same, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    if (rank == 0 && (strcmp(last, now) != 0 || !same))
    {
      printf("step %ld %s same %d\n", step, now, same);
      fflush(stdout);
      memcpy(last, now, sizeof now);
    }
    if (nap > 0)
    {
      usleep(nap);
    }
  }
  if (rank == 0)
  {
    printf("energy %.17g\nended at step %ld\n", energy, step);
  }
  Check(dsm_close(&dsm));
  MPI_Finalize();
  return 0;
}
