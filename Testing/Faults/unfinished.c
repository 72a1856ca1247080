/* SPDX-License-Identifier: BSD-3-Clause */
/* A simulation with bad manners. unfinished HOW NAME writes one good file NAME.1.h5, then begins
 * NAME.2.h5 and ends without closing it: "finalize" calls MPI_Finalize, "exit" leaves at once,
 * "kill" is killed by a signal, "large" writes 64 MiB per rank, "wait" closes all its files after
 * a line on its standard input. "kill-flushed" and so on do the same behind an H5Fflush of the
 * second file, and write another dataset before; "abort" calls MPI_Abort. "endless" writes 1 MiB
 * per rank again and again, until a write fails or there is a file NAME.enough, and then closes the
 * file. "late" does nothing before there is a file NAME.go, and then closes all its files. With
 * DSM_TEST_STAY in the environment, who could not write stays until it is killed: launchers end a
 * whole job when one of its programs ends with an error. */
#include "../simulation.h"

#include <signal.h>
#include <string.h>

static MPI_Comm Ours = MPI_COMM_NULL;

static void StayIfWanted(void)
{
  while (getenv("DSM_TEST_STAY"))
  {
    Say("staying");
    pause();
  }
}

static hid_t Create(const char* name, int number)
{
  char path[4096];
  snprintf(path, sizeof path, "%s.%d.h5", name, number);
  hid_t access = H5Pcreate(H5P_FILE_ACCESS);
  H5Pset_fapl_mpio(access, Ours, MPI_INFO_NULL);
  hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, access);
  H5Pclose(access);
  if (file < 0)
  {
    fprintf(stderr, "unfinished: H5Fcreate failed\n");
    StayIfWanted();
    MPI_Finalize();
    exit(3);
  }
  return file;
}

static herr_t WriteTimes(hid_t file, hsize_t valuesPerRank, int times, const char* enough)
{
  int rank = 0;
  int ranks = 1;
  MPI_Comm_rank(Ours, &rank);
  MPI_Comm_size(Ours, &ranks);
  hsize_t begin = valuesPerRank * (hsize_t)rank;
  int* values = malloc(valuesPerRank * sizeof *values);
  for (hsize_t i = 0; i < valuesPerRank; ++i)
  {
    values[i] = (int)(begin + i);
  }
  Values made = CreateValues(file, H5T_NATIVE_INT, valuesPerRank, (hsize_t)rank, (hsize_t)ranks);
  herr_t status = 0;
  for (int i = 0; i < times && status >= 0 && !(enough && access(enough, F_OK) == 0); ++i)
  {
    status = H5Dwrite(made.Set, H5T_NATIVE_INT, made.Memory, made.Space, H5P_DEFAULT, values);
    if (times > 1 && i == 2)
    {
      MPI_Barrier(Ours); /* all have the memory they need */
      if (rank == 0)
      {
        Say("writing");
      }
    }
  }
  CloseValues(made);
  free(values);
  return status;
}

/* Flushes a file, and writes more to it. */
static void FlushAndGoOn(hid_t file, int ranks)
{
  H5Fflush(file, H5F_SCOPE_GLOBAL);
  MPI_Barrier(Ours);
  int rank = 0;
  MPI_Comm_rank(Ours, &rank);
  const hid_t group = H5Gcreate2(file, "more", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  Values made = CreateValues(group, H5T_NATIVE_INT, 10, (hsize_t)rank, (hsize_t)ranks);
  const int values[10] = { 0 };
  H5Dwrite(made.Set, H5T_NATIVE_INT, made.Memory, made.Space, H5P_DEFAULT, values);
  CloseValues(made);
  H5Gclose(group);
}

static herr_t Write(hid_t file, hsize_t valuesPerRank)
{
  return WriteTimes(file, valuesPerRank, 1, NULL);
}

int main(int argc, char** argv)
{
  MPI_Init(&argc, &argv);
  if (argc != 3)
  {
    fprintf(stderr, "usage: unfinished finalize|exit|kill|large|wait|endless|late NAME\n");
    MPI_Finalize();
    return 2;
  }
  Ours = ThisProgram();
  int rank = 0;
  MPI_Comm_rank(Ours, &rank);
  const int late = strcmp(argv[1], "late") == 0;
  if (late)
  {
    char go[4096];
    snprintf(go, sizeof go, "%s.go", argv[2]);
    Say("late");
    WaitForFile(go);
  }
  hid_t first = Create(argv[2], 1);
  Write(first, 1000);
  H5Fclose(first);

  const int endless = strcmp(argv[1], "endless") == 0;
  const int large = endless || strcmp(argv[1], "large") == 0;
  hid_t second = Create(argv[2], 2);
  char enough[4096];
  snprintf(enough, sizeof enough, "%s.enough", argv[2]);
  herr_t status = endless ? WriteTimes(second, (hsize_t)1 << 18, 1000000, enough)
                          : Write(second, large ? (hsize_t)16 << 20 : 1000);
  if (status < 0)
  {
    StayIfWanted();
  }
  if (strstr(argv[1], "-flushed"))
  {
    int ranks = 1;
    MPI_Comm_size(Ours, &ranks);
    FlushAndGoOn(second, ranks);
  }
  MPI_Barrier(Ours);
  if (large || late || strcmp(argv[1], "wait") == 0)
  {
    if (!large && !late && rank == 0)
    {
      Say("waiting");
      char line[16];
      if (!fgets(line, sizeof line, stdin))
      {
        line[0] = '\0';
      }
    }
    MPI_Barrier(Ours);
    if (H5Fclose(second) < 0)
    {
      status = -1;
      StayIfWanted();
    }
    int failed = status < 0;
    MPI_Allreduce(MPI_IN_PLACE, &failed, 1, MPI_INT, MPI_MAX, Ours);
    MPI_Finalize();
    return failed ? 4 : 0;
  }
  if (strncmp(argv[1], "kill", 4) == 0)
  {
    raise(SIGKILL);
  }
  if (strncmp(argv[1], "terminate", 9) == 0)
  {
    raise(SIGTERM);
  }
  if (strncmp(argv[1], "abort", 5) == 0)
  {
    MPI_Abort(Ours, 6);
  }
  if (strncmp(argv[1], "exit", 4) == 0)
  {
    _exit(5);
  }
  MPI_Finalize();
  return 0;
}
