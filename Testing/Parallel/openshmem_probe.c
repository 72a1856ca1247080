/* SPDX-License-Identifier: BSD-3-Clause */
/* What test_openshmem.py asks an OpenSHMEM library, which decides whether a transport can be made
   of it. It knows nothing of us.

     openshmem_probe heap            each PE tells how large its symmetric heap is, and what it maps
     openshmem_probe put SECONDS     PE 0 puts into PE 1, which sleeps meanwhile
     openshmem_probe reach           PE 0 puts to the first PE that its job does not have
     openshmem_probe join accept|connect FILE
                                     two jobs that MPI joins by a port, and what OpenSHMEM has of it
 */
#include <mpi.h>
#include <shmem.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum
{
  Small = 64,
  Repeats = 1000
};
static const size_t Large = (size_t)64 << 20;

static void Require(int true, const char* what)
{
  if (!true)
  {
    fprintf(stderr, "openshmem_probe: PE %d: %s\n", shmem_my_pe(), what);
    shmem_global_exit(3);
  }
}

static double Now(void)
{
  return MPI_Wtime();
}

/* MiB of this process, by the name that /proc/self/status has for it. */
static double Status(const char* name)
{
  char line[256];
  double kib = 0;
  FILE* file = fopen("/proc/self/status", "r");
  while (file && fgets(line, sizeof line, file))
  {
    if (strncmp(line, name, strlen(name)) == 0)
    {
      kib = atof(line + strlen(name) + 1);
    }
  }
  if (file)
  {
    fclose(file);
  }
  return kib / 1024;
}

/* All PEs ask for the same, since the heap is symmetric: also those that lend nothing. */
static void Heap(void)
{
  size_t most = 0;
  for (size_t unit = (size_t)1 << 30; unit >= ((size_t)1 << 20); unit /= 2)
  {
    for (;;)
    {
      void* const try = shmem_malloc(most + unit);
      if (!try)
      {
        break;
      }
      shmem_free(try);
      most += unit;
    }
  }
  printf("PE %d of %d: heap %zu MiB, mapped %.0f MiB\n", shmem_my_pe(), shmem_n_pes(), most >> 20,
    Status("VmSize"));
}

static void Put(double seconds)
{
  Require(shmem_n_pes() == 2, "two PEs are needed");
  char* const there = shmem_malloc(Large);
  char* const here = malloc(Large);
  Require(there && here, "no memory");
  memset(here, 1, Large);
  memset(there, 0, Large);
  shmem_barrier_all();
  if (shmem_my_pe() == 1)
  {
    usleep((useconds_t)(1e6 * seconds));
  }
  else
  {
    usleep(100000);
    for (int round = 0; round < 2; ++round)
    {
      const double begin = Now();
      shmem_putmem(there, here, Large, 1);
      shmem_quiet();
      const double spent = Now() - begin;
      printf("%zu MiB: %.4f s, %.2f GB/s\n", Large >> 20, spent, (double)Large / spent / 1e9);
    }
    const double begin = Now();
    for (int i = 0; i < Repeats; ++i)
    {
      shmem_putmem(there, here, Small, 1);
      shmem_quiet();
    }
    printf("%d bytes: %.2f us\n", Small, 1e6 * (Now() - begin) / Repeats);
  }
  shmem_barrier_all();
  if (shmem_my_pe() == 1)
  {
    Require(there[0] == 1 && there[Large - 1] == 1, "the bytes did not arrive");
    printf("arrived\n");
  }
}

static void Reach(void)
{
  static long target;
  const long value = 1;
  if (shmem_my_pe() == 0)
  {
    printf("of %d PEs, PE %d is accessible: %d\n", shmem_n_pes(), shmem_n_pes() - 1,
      shmem_addr_accessible(&target, shmem_n_pes() - 1));
    fflush(stdout);
    shmem_long_put(&target, &value, 1, shmem_n_pes());
    shmem_quiet();
    printf("the put was taken\n");
    fflush(stdout);
  }
  shmem_barrier_all();
}

static void Join(const char* side, const char* file)
{
  char port[MPI_MAX_PORT_NAME] = { 0 };
  MPI_Comm other = MPI_COMM_NULL;
  MPI_Comm both = MPI_COMM_NULL;
  const int accepts = strcmp(side, "accept") == 0;
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (accepts)
  {
    if (rank == 0)
    {
      MPI_Open_port(MPI_INFO_NULL, port);
      char begun[4096];
      snprintf(begun, sizeof begun, "%s.new", file);
      FILE* const told = fopen(begun, "w");
      Require(told && fputs(port, told) >= 0 && fclose(told) == 0 && rename(begun, file) == 0,
        "cannot write the port");
    }
    MPI_Comm_accept(port, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &other);
  }
  else
  {
    FILE* told = NULL;
    for (int i = 0; rank == 0 && i < 3000 && !(told = fopen(file, "r")); ++i)
    {
      usleep(10000);
    }
    Require(rank != 0 || (told && fgets(port, sizeof port, told)), "there is no port");
    MPI_Comm_connect(port, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &other);
  }
  MPI_Intercomm_merge(other, !accepts, &both);
  int joined = 0;
  MPI_Comm_size(both, &joined);
  int teams = 0;
  shmem_team_t team = SHMEM_TEAM_INVALID;
  /* The largest team there is has this job's PEs. */
  if (shmem_team_split_strided(SHMEM_TEAM_WORLD, 0, 1, joined, NULL, 0, &team) == 0 &&
    team != SHMEM_TEAM_INVALID)
  {
    teams = shmem_team_n_pes(team);
  }
  printf("%s: MPI has joined %d processes, OpenSHMEM has %d, and of %d it makes a team of %d\n",
    side, joined, shmem_n_pes(), joined, teams);
  fflush(stdout);
  MPI_Comm_free(&both);
  MPI_Comm_disconnect(&other);
}

int main(int argc, char** argv)
{
  const char* what = argc > 1 ? argv[1] : "";
  int given = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_SINGLE, &given);
  shmem_init();
  if (strcmp(what, "heap") == 0)
  {
    Heap();
  }
  else if (strcmp(what, "put") == 0 && argc == 3)
  {
    Put(atof(argv[2]));
  }
  else if (strcmp(what, "reach") == 0)
  {
    Reach();
  }
  else if (strcmp(what, "join") == 0 && argc == 4)
  {
    Join(argv[2], argv[3]);
  }
  else
  {
    Require(0, "say heap, put, reach or join");
  }
  fflush(stdout);
  shmem_finalize();
  int ended = 0;
  MPI_Finalized(&ended);
  if (ended)
  {
    printf("shmem_finalize has ended MPI, which it had not begun\n");
  }
  else
  {
    MPI_Finalize();
  }
  return 0;
}
