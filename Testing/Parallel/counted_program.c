/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A program that knows HDF5 and MPI and nothing of us, and counts what it costs a server: rank 0
 * prints, after each thing that all ranks do, how many sockets the server's process has, and how
 * many connections of these are control channels: a transport over a network has others, one for
 * each rank.
 *
 *   dsmCountedProgram SERVER PORT NAME FOREIGN MIB HOW
 *
 * SERVER: the server's process, PORT: of its control channel. NAME: of the file that all ranks
 * write, MIB altogether, and read, together and each by itself. FOREIGN: a file on disk, which each
 * rank opens by itself; and FOREIGN.RANK, which each makes. HOW:
 *   writes   all that
 *   flushes  the same, where a flush shows the file: all ranks read what it has shown, too, and
 *            what that was when they have written on
 *   reads    only reads NAME
 *   falls    writes NAME and NAME.2, for which the server has no room
 */
#include "../simulation.h"

#include <dirent.h>
#include <string.h>
#include <unistd.h>

static int Rank, Ranks;
static const char* Server;
static unsigned Port;

/* The server's sockets, by their numbers in the kernel. */
static unsigned long Sockets[1024];

static int CountSockets(void)
{
  char folder[64];
  snprintf(folder, sizeof folder, "/proc/%s/fd", Server);
  DIR* all = opendir(folder);
  CHECK(all);
  int sockets = 0;
  for (struct dirent* one = readdir(all); one; one = readdir(all))
  {
    char path[512], target[64] = "";
    snprintf(path, sizeof path, "%s/%s", folder, one->d_name);
    if (readlink(path, target, sizeof target - 1) > 0 &&
      sscanf(target, "socket:[%lu]", Sockets + sockets) == 1)
    {
      ++sockets;
      CHECK(sockets < 1024);
    }
  }
  closedir(all);
  return sockets;
}

/* The kernel shows a connection more than once if others come or go meanwhile: each socket counts
 * once. */
static int CountChannels(int sockets)
{
  FILE* table = fopen("/proc/net/tcp", "r");
  CHECK(table);
  char line[512];
  int channels = 0;
  char counted[1024] = { 0 };
  while (fgets(line, sizeof line, table))
  {
    unsigned port = 0, state = 0;
    unsigned long number = 0;
    const int known =
      sscanf(line, " %*d: %*8x:%4x %*8x:%*4x %2x %*s %*s %*s %*d %*d %lu", &port, &state, &number);
    for (int i = 0; known == 3 && port == Port && state == 1 /* established */ && i < sockets; ++i)
    {
      if (Sockets[i] == number && !counted[i])
      {
        counted[i] = 1;
        ++channels;
      }
    }
  }
  fclose(table);
  return channels;
}

static void Tell(const char* what)
{
  MPI_Barrier(MPI_COMM_WORLD);
  if (Rank == 0)
  {
    const int sockets = CountSockets();
    printf("%s %d %d\n", what, sockets, CountChannels(sockets));
    fflush(stdout);
  }
  MPI_Barrier(MPI_COMM_WORLD);
}

/* What each rank has written last. */
static double Step;

static double ValueAt(hsize_t i)
{
  return (double)Rank + Step + 1e-9 * (double)i;
}

static void Fill(double* values, hsize_t each)
{
  for (hsize_t i = 0; i < each; ++i)
  {
    values[i] = ValueAt(i);
  }
}

static Values OpenValues(hid_t file, hsize_t each)
{
  const hsize_t begin = each * (hsize_t)Rank;
  Values made;
  made.Set = H5Dopen2(file, "values", H5P_DEFAULT);
  CHECK(made.Set >= 0);
  made.Space = H5Dget_space(made.Set);
  made.Memory = H5Screate_simple(1, &each, NULL);
  H5Sselect_hyperslab(made.Space, H5S_SELECT_SET, &begin, NULL, &each, NULL);
  return made;
}

static void Expect(Values from, hsize_t each)
{
  double* read = calloc(each, sizeof *read);
  CHECK(read);
  CHECK(H5Dread(from.Set, H5T_NATIVE_DOUBLE, from.Memory, from.Space, H5P_DEFAULT, read) >= 0);
  for (hsize_t i = 0; i < each; ++i)
  {
    CHECK(read[i] == ValueAt(i));
  }
  free(read);
}

/* Opens a file, looks for this rank's values, and closes it. */
static void Read(const char* name, hid_t fapl, hsize_t each, const char* open, const char* closed)
{
  hid_t file = H5Fopen(name, H5F_ACC_RDONLY, fapl);
  CHECK(file >= 0);
  Values there = OpenValues(file, each);
  Expect(there, each);
  Tell(open);
  CloseValues(there);
  CHECK(H5Fclose(file) >= 0);
  Tell(closed);
}

static void Put(Values into, const double* values)
{
  CHECK(H5Dwrite(into.Set, H5T_NATIVE_DOUBLE, into.Memory, into.Space, H5P_DEFAULT, values) >= 0);
}

static void Write(const char* name, hid_t fapl, hsize_t each, double* values, int flushes)
{
  hid_t file = H5Fcreate(name, H5F_ACC_TRUNC, H5P_DEFAULT, fapl);
  CHECK(file >= 0);
  Tell("created");
  Values made = CreateValues(file, H5T_IEEE_F64LE, each, (hsize_t)Rank, (hsize_t)Ranks);
  /* Independent, and one after the other: each may be the one for which there is no room. */
  for (int rank = 0; rank < Ranks; ++rank)
  {
    if (rank == Rank)
    {
      Put(made, values);
    }
    MPI_Barrier(MPI_COMM_WORLD);
  }
  Tell("grown");
  const double number = 7;
  hid_t one = H5Screate(H5S_SCALAR);
  hid_t attribute = H5Acreate2(file, "number", H5T_IEEE_F64LE, one, H5P_DEFAULT, H5P_DEFAULT);
  CHECK(H5Awrite(attribute, H5T_NATIVE_DOUBLE, &number) >= 0);
  CHECK(H5Fflush(file, H5F_SCOPE_GLOBAL) >= 0);
  Tell("flushed");
  hid_t shown = H5I_INVALID_HID;
  Values before = { 0 };
  if (flushes)
  {
    shown = H5Fopen(name, H5F_ACC_RDONLY, fapl);
    CHECK(shown >= 0);
    before = OpenValues(shown, each);
    Expect(before, each);
    Tell("shown");
  }
  /* Where a flush shows the file, each rank changes bytes that others are to see as they were. */
  Step = 0.5;
  Fill(values, each);
  Put(made, values);
  Tell("changed");
  if (flushes)
  {
    Step = 0;
    Expect(before, each);
    Step = 0.5;
    Tell("moved");
    CloseValues(before);
    CHECK(H5Fclose(shown) >= 0);
  }
  H5Aclose(attribute);
  H5Sclose(one);
  CloseValues(made);
  CHECK(H5Fclose(file) >= 0);
  Tell("sealed");
  /* Once more: an attribute and nothing else. */
  file = H5Fopen(name, H5F_ACC_RDWR, fapl);
  CHECK(file >= 0);
  attribute = H5Aopen(file, "number", H5P_DEFAULT);
  CHECK(H5Awrite(attribute, H5T_NATIVE_DOUBLE, &number) >= 0);
  H5Aclose(attribute);
  CHECK(H5Fclose(file) >= 0);
  Tell("attribute");
}

static void Foreign(const char* foreign)
{
  hid_t file = H5Fopen(foreign, H5F_ACC_RDONLY, H5P_DEFAULT);
  CHECK(file >= 0);
  Tell("foreign-open");
  CHECK(H5Fclose(file) >= 0);
  char own[4096];
  snprintf(own, sizeof own, "%s.%d", foreign, Rank);
  file = H5Fcreate(own, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
  CHECK(file >= 0);
  Tell("foreign-made");
  CHECK(H5Fclose(file) >= 0);
}

/* What can be steered: together, and each by itself. */
static void Steered(hid_t fapl)
{
  const hid_t ways[] = { fapl, H5P_DEFAULT };
  const char* const stages[] = { "steered", "steered-each" };
  for (int way = 0; way < 2; ++way)
  {
    hid_t file = H5Fopen("dsm#Interactions", H5F_ACC_RDONLY, ways[way]);
    CHECK(file >= 0);
    Tell(stages[way]);
    CHECK(H5Fclose(file) >= 0);
  }
}

static void WriteWithoutRoom(const char* name, hid_t fapl, hsize_t each, const double* values)
{
  char second[4096];
  snprintf(second, sizeof second, "%s.2", name);
  const char* const names[] = { name, second };
  const char* const stages[] = { "first", "on-disk" };
  for (int i = 0; i < 2; ++i)
  {
    hid_t file = H5Fcreate(names[i], H5F_ACC_TRUNC, H5P_DEFAULT, fapl);
    CHECK(file >= 0);
    Values made = CreateValues(file, H5T_IEEE_F64LE, each, (hsize_t)Rank, (hsize_t)Ranks);
    Put(made, values);
    Tell(stages[i]);
    CloseValues(made);
    CHECK(H5Fclose(file) >= 0);
  }
}

int main(int argc, char** argv)
{
  CHECK(argc == 7);
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &Rank);
  MPI_Comm_size(MPI_COMM_WORLD, &Ranks);
  Server = argv[1];
  Port = (unsigned)atoi(argv[2]);
  const char* name = argv[3];
  const char* foreign = argv[4];
  const hsize_t each = (hsize_t)atoi(argv[5]) * 1024 * 1024 / sizeof(double) / (hsize_t)Ranks;
  const char* how = argv[6];

  hid_t fapl = H5Pcreate(H5P_FILE_ACCESS);
  CHECK(H5Pset_fapl_mpio(fapl, MPI_COMM_WORLD, MPI_INFO_NULL) >= 0);
  double* values = malloc(each * sizeof *values);
  CHECK(values);
  Fill(values, each);
  if (strcmp(how, "falls") == 0)
  {
    WriteWithoutRoom(name, fapl, each, values);
  }
  else
  {
    const int reads = strcmp(how, "reads") == 0;
    Step = 0.5;
    if (!reads)
    {
      Step = 0;
      Write(name, fapl, each, values, strcmp(how, "flushes") == 0);
    }
    Read(name, fapl, each, "read", "closed");
    Read(name, H5P_DEFAULT, each, "read-each", "closed-each");
    if (!reads)
    {
      Foreign(foreign);
      Steered(fapl);
    }
  }
  free(values);
  H5Pclose(fapl);
  MPI_Finalize();
  return 0;
}
