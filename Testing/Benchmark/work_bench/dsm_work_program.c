/* SPDX-License-Identifier: BSD-3-Clause */
/* The program that work_bench.py times: a simulation that computes on all cores between its files,
   and knows nothing of us.

   dsm_work_program KERNEL calibrate SECONDS MIB
     prints how many loops take that long
   dsm_work_program KERNEL run LOOPS MIB NAME FIRST FILES BYTES KEEP [PROCESS...]
     computes so many loops FILES times, after a file NAME.0000.h5, ... each time; those before the
     last KEEP are removed. Of FIRST more files at the beginning nothing is printed, and a quarter
     of that is computed after each. If BYTES is 0, there are no files.

   KERNEL is "compute", which multiplies and adds in registers, or "memory", which adds arrays of so
   many MiB for each rank. Rank r runs on the r-th of the cores that rank 0 may use.

   For each phase of computing rank 0 prints the seconds of the slowest rank, the processor time of
   all ranks' kernels, that of the ranks' other threads, that of the given processes meanwhile, and
   the seconds that the slowest rank needed for the file before. */
#define _GNU_SOURCE
#include "simulation.h"

#include <string.h>

#include <sched.h>
#include <time.h>

enum
{
  Lanes = 16,  /* independent sums, so that the processor's units are busy */
  Block = 4096 /* steps of a loop in registers */
};

static int Rank, Ranks;
static double* A;
static double* B;
static double* C;
static size_t Length;
static volatile double Sink;

static void Compute(long loops)
{
  double sums[Lanes];
  for (int i = 0; i < Lanes; ++i)
  {
    sums[i] = 1.0 / (i + 1);
  }
  for (long loop = 0; loop < loops; ++loop)
  {
    for (int step = 0; step < Block; ++step)
    {
      for (int i = 0; i < Lanes; ++i)
      {
        sums[i] = sums[i] * 0.999999 + 1e-6;
      }
    }
  }
  for (int i = 0; i < Lanes; ++i)
  {
    Sink = sums[i];
  }
}

/* STREAM's triad. */
static void Triad(long loops)
{
  for (long loop = 0; loop < loops; ++loop)
  {
    for (size_t i = 0; i < Length; ++i)
    {
      A[i] = B[i] + 3.0 * C[i];
    }
    Sink = A[(size_t)loop % Length];
  }
}

typedef void (*Kernel)(long loops);

static double Clock(clockid_t clock)
{
  struct timespec now;
  return clock_gettime(clock, &now) == 0 ? (double)now.tv_sec + 1e-9 * (double)now.tv_nsec : 0;
}

/* Returns the processor time of other programs' processes, except of those that have ended. */
static double ClockOf(char** processes, int count)
{
  double sum = 0;
  for (int i = 0; i < count; ++i)
  {
    clockid_t clock;
    if (clock_getcpuclockid((pid_t)atoi(processes[i]), &clock) == 0)
    {
      sum += Clock(clock);
    }
  }
  return sum;
}

/* Binds this rank to a core of its own, as launchers do. */
static void Bind(void)
{
  cpu_set_t all;
  cpu_set_t one;
  CHECK(sched_getaffinity(0, sizeof all, &all) == 0);
  MPI_Allreduce(MPI_IN_PLACE, &all, (int)sizeof all, MPI_BYTE, MPI_BOR, MPI_COMM_WORLD);
  int before = Rank % CPU_COUNT(&all);
  size_t core = 0;
  while (!CPU_ISSET(core, &all) || before-- > 0)
  {
    ++core;
  }
  CPU_ZERO(&one);
  CPU_SET(core, &one);
  CHECK(sched_setaffinity(0, sizeof one, &one) == 0);
}

static void Calibrate(Kernel kernel, double seconds)
{
  kernel(1);
  /* The processor time is measured: other work on the machine does not change it. */
  long loops = 1;
  double spent = 0;
  for (; spent < seconds / 8; loops *= 2)
  {
    const double begin = Clock(CLOCK_THREAD_CPUTIME_ID);
    kernel(loops);
    spent = Clock(CLOCK_THREAD_CPUTIME_ID) - begin;
  }
  const long last = loops / 2;
  double each = spent / (double)last;
  MPI_Allreduce(MPI_IN_PLACE, &each, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  if (Rank == 0)
  {
    printf("%ld\n", (long)(seconds / each) + 1);
  }
}

static void WriteFile(const char* name, const double* values, hsize_t count)
{
  const hid_t access = H5Pcreate(H5P_FILE_ACCESS);
  CHECK(H5Pset_fapl_mpio(access, MPI_COMM_WORLD, MPI_INFO_NULL) >= 0);
  const hid_t file = H5Fcreate(name, H5F_ACC_TRUNC, H5P_DEFAULT, access);
  CHECK(file >= 0);
  const hsize_t all = count * (hsize_t)Ranks;
  const hsize_t first = count * (hsize_t)Rank;
  const hid_t space = H5Screate_simple(1, &all, NULL);
  const hid_t memory = H5Screate_simple(1, &count, NULL);
  CHECK(H5Sselect_hyperslab(space, H5S_SELECT_SET, &first, NULL, &count, NULL) >= 0);
  const hid_t set =
    H5Dcreate2(file, "values", H5T_NATIVE_DOUBLE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  const hid_t transfer = H5Pcreate(H5P_DATASET_XFER);
  CHECK(H5Pset_dxpl_mpio(transfer, H5FD_MPIO_COLLECTIVE) >= 0);
  CHECK(H5Dwrite(set, H5T_NATIVE_DOUBLE, memory, space, transfer, values) >= 0);
  H5Pclose(transfer);
  H5Dclose(set);
  H5Sclose(memory);
  H5Sclose(space);
  CHECK(H5Fclose(file) >= 0);
  H5Pclose(access);
}

static double Slowest(double mine)
{
  MPI_Allreduce(MPI_IN_PLACE, &mine, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return mine;
}

/* Writes a file and returns the seconds it took. */
static double Output(const char* base, int number, const double* values, hsize_t count, int keep)
{
  char name[4096];
  snprintf(name, sizeof name, "%s.%04d.h5", base, number);
  MPI_Barrier(MPI_COMM_WORLD);
  const double begin = MPI_Wtime();
  WriteFile(name, values, count);
  const double spent = Slowest(MPI_Wtime() - begin);
  if (Rank == 0 && number >= keep)
  {
    snprintf(name, sizeof name, "%s.%04d.h5", base, number - keep);
    unlink(name);
  }
  return spent;
}

static void Run(Kernel kernel, char** words, int others)
{
  const long loops = atol(words[0]);
  const int first = atoi(words[3]);
  const int files = first + atoi(words[4]);
  const hsize_t count = (hsize_t)atoll(words[5]) / sizeof(double) / (hsize_t)Ranks;
  const int keep = atoi(words[6]);
  char** const processes = words + 7;
  double* values = malloc(count * sizeof(double) + 1);
  CHECK(values);
  kernel(1);
  for (int file = 0; file < files; ++file)
  {
    double blocked = 0;
    if (count > 0)
    {
      for (hsize_t i = 0; i < count; ++i)
      {
        values[i] = (double)file + (double)i;
      }
      blocked = Output(words[2], file, values, count, keep);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    const double hosts = ClockOf(processes, others);
    const double process = Clock(CLOCK_PROCESS_CPUTIME_ID);
    const double thread = Clock(CLOCK_THREAD_CPUTIME_ID);
    const double begin = MPI_Wtime();
    kernel(file < first ? loops / 4 : loops);
    const double spent = MPI_Wtime() - begin;
    double used[2];
    used[0] = Clock(CLOCK_THREAD_CPUTIME_ID) - thread;
    used[1] = Clock(CLOCK_PROCESS_CPUTIME_ID) - process - used[0];
    const double slowest = Slowest(spent);
    const double meanwhile = ClockOf(processes, others) - hosts;
    MPI_Allreduce(MPI_IN_PLACE, used, 2, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    if (Rank == 0 && file >= first)
    {
      printf("%.6f %.6f %.6f %.6f %.6f\n", slowest, used[0], used[1], meanwhile, blocked);
      fflush(stdout);
    }
  }
  free(values);
}

int main(int argc, char** argv)
{
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &Rank);
  MPI_Comm_size(MPI_COMM_WORLD, &Ranks);
  CHECK(argc >= 5);
  Bind();
  const int memory = strcmp(argv[1], "memory") == 0;
  CHECK(memory || strcmp(argv[1], "compute") == 0);
  Length = ((size_t)atol(argv[4]) << 20) / 3 / sizeof(double) + 1;
  if (memory)
  {
    A = calloc(Length, sizeof(double));
    B = calloc(Length, sizeof(double));
    C = calloc(Length, sizeof(double));
    CHECK(A && B && C);
    /* Memory that was never written is one page of zeros. */
    for (size_t i = 0; i < Length; ++i)
    {
      B[i] = C[i] = (double)i;
    }
  }
  const Kernel kernel = memory ? Triad : Compute;
  if (strcmp(argv[2], "calibrate") == 0)
  {
    Calibrate(kernel, atof(argv[3]));
  }
  else
  {
    CHECK(argc >= 10 && strcmp(argv[2], "run") == 0);
    Run(kernel, argv + 3, argc - 10);
  }
  free(A);
  free(B);
  free(C);
  MPI_Finalize();
  return 0;
}
