/* SPDX-License-Identifier: BSD-3-Clause */
/* A simulation that does what it is told on its standard input, a line each, while a test does
 * something to its server in between. obedient parallel|serial|each NAME writes NAME.1.h5,
 * NAME.2.h5 and so on:
 *
 *   begin            creates the next file
 *   write N          writes a dataset of N KiB per rank into the newest open file
 *   alone N TIMES    a dataset into which only the last rank writes: N KiB, several times
 *   together         begin, but all ranks write that file, NAME.1.h5, also with "each"
 *   differ KIND      creates a group, dataset, attribute, datatype or link that each rank names
 *                    otherwise
 *   flush, close     the newest open file; after a close the one before is the newest
 *   close RANK       one rank closes its own (with "each")
 *   file             begin, write 4 and close
 *   again NUMBER     opens a file to write more into it, which is the newest open file then
 *   read NUMBER      opens and closes a file for reading
 *   open NUMBER      opens a file for reading, which stays open
 *   check [N]        reads all datasets of the file that open has opened, which are N
 *   shut             closes that file
 *   detach           H5close: HDF5 ends, and begins anew with the next command
 *   fork             rank 0 has a child that calls exit() at once, as one whose exec failed might
 *   exit, exit RANK  all ranks, or one, call exit() with what is open
 *
 * It answers each with a line "did COMMAND: ok, 0.01 s" or "did COMMAND: failed, 0.01 s", as soon
 * as all ranks have done it ("wrong" where check has found other values than were written), and
 * ends with its input: with 4 if anything has failed. Before a failure's answer it says on how many
 * ranks the command failed, and on how many of these HDF5 found a lock (EAGAIN). "serial" opens
 * files with HDF5's default driver, on rank 0 alone; "each" does on each rank, which writes files
 * of its own, NAME.1.p0.h5 and so on. */
#include "../simulation.h"

#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum
{
  MOST_FILES = 16
};

static MPI_Comm Ours = MPI_COMM_NULL;
static int Rank = 0;
static int Ranks = 1;
static int Serial = 0;
static int Each = 0;
static const char* Name = NULL;
static hid_t Files[MOST_FILES];
static int Sets[MOST_FILES];
static int Open = 0;
static int Last = 0;
static hid_t Opened = H5I_INVALID_HID;
static int Wrong = 0;
static int Locked = 0;

static herr_t LookForLock(unsigned number, const H5E_error2_t* error, void* data)
{
  (void)number;
  (void)data;
  Locked = Locked || (error->desc && strstr(error->desc, "errno = 11,"));
  return 0;
}

static herr_t OnError(hid_t stack, void* data)
{
  (void)data;
  H5Ewalk2(stack, H5E_WALK_UPWARD, LookForLock, NULL);
  return Rank == 0 ? H5Eprint2(stack, stderr) : 0;
}

static void PrintErrors(void)
{
  H5Eset_auto2(H5E_DEFAULT, OnError, NULL);
}

static void NameOf(int number, int each, char* path, size_t size)
{
  if (each)
  {
    snprintf(path, size, "%s.%d.p%d.h5", Name, number, Rank);
    return;
  }
  snprintf(path, size, "%s.%d.h5", Name, number);
}

static hid_t Access(int each)
{
  hid_t access = H5Pcreate(H5P_FILE_ACCESS);
  if (!Serial && !each)
  {
    H5Pset_fapl_mpio(access, Ours, MPI_INFO_NULL);
  }
  return access;
}

/* The newest open file is one that has so many datasets. */
static herr_t EnterOpen(hid_t file, int sets)
{
  if (file < 0)
  {
    return -1;
  }
  CHECK(Open < MOST_FILES);
  Sets[Open] = sets;
  Files[Open++] = file;
  return 0;
}

static herr_t Begin(int each)
{
  char path[4096];
  NameOf(++Last, each, path, sizeof path);
  hid_t access = Access(each);
  hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, access);
  H5Pclose(access);
  return EnterOpen(file, 0);
}

/* A dataset of `each` values per rank, of which a rank writes its own; with `alone`, the last rank
 * writes all, in as many pieces as there would be ranks. */
static herr_t Write(hsize_t each, hsize_t pieces, int alone)
{
  if (Open == 0)
  {
    return -1;
  }
  char name[16];
  snprintf(name, sizeof name, "d%d", Sets[Open - 1]++);
  const hsize_t total = each * (Each ? 1 : pieces);
  hid_t space = H5Screate_simple(1, &total, NULL);
  hid_t memory = H5Screate_simple(1, &each, NULL);
  hid_t creation = H5Pcreate(H5P_DATASET_CREATE);
  H5Pset_obj_track_times(creation, 0); /* two runs' files are the same, byte by byte */
  hid_t set =
    H5Dcreate2(Files[Open - 1], name, H5T_NATIVE_INT, space, H5P_DEFAULT, creation, H5P_DEFAULT);
  H5Pclose(creation);
  herr_t status = set < 0 ? -1 : 0;
  int* values = malloc(each * sizeof *values);
  const hsize_t first = alone || Each ? 0 : (hsize_t)Rank;
  const hsize_t behind = alone ? (Rank == Ranks - 1 ? pieces : 0) : first + 1;
  for (hsize_t piece = first; set >= 0 && piece < behind; ++piece)
  {
    const hsize_t begin = piece * each;
    for (hsize_t i = 0; i < each; ++i)
    {
      values[i] = (int)(begin + i);
    }
    H5Sselect_hyperslab(space, H5S_SELECT_SET, &begin, NULL, &each, NULL);
    if (H5Dwrite(set, H5T_NATIVE_INT, memory, space, H5P_DEFAULT, values) < 0)
    {
      status = -1;
    }
  }
  free(values);
  if (set >= 0)
  {
    H5Dclose(set);
  }
  H5Sclose(memory);
  H5Sclose(space);
  return status;
}

static herr_t WriteKib(unsigned long kib)
{
  return Write((hsize_t)kib * 1024 / sizeof(int), (hsize_t)Ranks, 0);
}

static herr_t Close(void)
{
  return Open == 0 ? -1 : H5Fclose(Files[--Open]);
}

static hid_t OpenNumber(int number, unsigned flags)
{
  char path[4096];
  NameOf(number, Each, path, sizeof path);
  hid_t access = Access(Each);
  hid_t file = H5Fopen(path, flags, access);
  H5Pclose(access);
  return file;
}

static herr_t Again(int number)
{
  hid_t file = OpenNumber(number, H5F_ACC_RDWR);
  H5G_info_t root = { 0 };
  return file < 0 || H5Gget_info(file, &root) < 0 ? -1 : EnterOpen(file, (int)root.nlinks);
}

static herr_t Read(int number)
{
  hid_t file = OpenNumber(number, H5F_ACC_RDONLY);
  return file < 0 ? -1 : H5Fclose(file);
}

static herr_t CheckOne(const char* name)
{
  hid_t set = H5Dopen2(Opened, name, H5P_DEFAULT);
  if (set < 0)
  {
    return -1;
  }
  hid_t space = H5Dget_space(set);
  const hssize_t count = H5Sget_simple_extent_npoints(space);
  int* values = malloc((size_t)count * sizeof *values);
  const herr_t status = H5Dread(set, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, values);
  for (hssize_t i = 0; i < count && status >= 0; ++i)
  {
    Wrong = Wrong || values[i] != (int)i;
  }
  free(values);
  H5Sclose(space);
  H5Dclose(set);
  return status;
}

static herr_t Check(int sets)
{
  H5G_info_t root;
  if (H5Gget_info(Opened, &root) < 0)
  {
    return -1;
  }
  if (sets >= 0 && root.nlinks != (hsize_t)sets)
  {
    fprintf(stderr, "obedient: %d datasets instead of %d\n", (int)root.nlinks, sets);
    Wrong = 1;
  }
  for (hsize_t number = 0; number < root.nlinks; ++number)
  {
    char name[16];
    snprintf(name, sizeof name, "d%d", (int)number);
    if (CheckOne(name) < 0)
    {
      return -1;
    }
  }
  return 0;
}

static herr_t Detach(void)
{
  Open = 0;
  Opened = H5I_INVALID_HID;
  if (H5close() < 0)
  {
    return -1;
  }
  H5open();
  PrintErrors();
  return 0;
}

static herr_t Exit(int rank)
{
  if (rank < 0 || rank == Rank)
  {
    exit(5);
  }
  return 0;
}

static herr_t Fork(void)
{
  if (Rank > 0)
  {
    return 0;
  }
  const pid_t child = fork();
  if (child == 0)
  {
    exit(0);
  }
  int status = 0;
  return child > 0 && waitpid(child, &status, 0) == child && status == 0 ? 0 : -1;
}

static herr_t Differ(const char* kind)
{
  if (Open == 0)
  {
    return -1;
  }
  const hid_t file = Files[Open - 1];
  char name[16];
  snprintf(name, sizeof name, "rank%d", Rank);
  hid_t made = H5I_INVALID_HID;
  hid_t space = H5Screate(H5S_SCALAR);
  if (strcmp(kind, "group") == 0)
  {
    made = H5Gcreate2(file, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  }
  if (strcmp(kind, "dataset") == 0)
  {
    made = H5Dcreate2(file, name, H5T_NATIVE_INT, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  }
  if (strcmp(kind, "attribute") == 0)
  {
    made = H5Acreate2(file, name, H5T_NATIVE_INT, space, H5P_DEFAULT, H5P_DEFAULT);
  }
  if (strcmp(kind, "datatype") == 0)
  {
    made = H5Tcopy(H5T_NATIVE_INT);
    if (H5Tcommit2(file, name, made, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT) < 0)
    {
      made = H5I_INVALID_HID;
    }
  }
  if (strcmp(kind, "link") == 0)
  {
    made = H5Lcreate_soft("/", file, name, H5P_DEFAULT, H5P_DEFAULT) < 0
      ? -1
      : H5Gopen2(file, name, H5P_DEFAULT);
  }
  H5Sclose(space);
  return made < 0 || H5Idec_ref(made) < 0 ? -1 : 0;
}

static herr_t Obey(const char* command)
{
  unsigned long number = 0;
  unsigned long times = 0;
  char kind[16];
  if (strcmp(command, "begin") == 0)
  {
    return Begin(Each);
  }
  if (strcmp(command, "together") == 0)
  {
    return Begin(0);
  }
  if (sscanf(command, "write %lu", &number) == 1)
  {
    return WriteKib(number);
  }
  if (sscanf(command, "alone %lu %lu", &number, &times) == 2)
  {
    return Write((hsize_t)number * 1024 / sizeof(int), (hsize_t)times, 1);
  }
  if (sscanf(command, "differ %15s", kind) == 1)
  {
    return Differ(kind);
  }
  if (strcmp(command, "flush") == 0)
  {
    return Open == 0 ? -1 : H5Fflush(Files[Open - 1], H5F_SCOPE_GLOBAL);
  }
  if (strcmp(command, "close") == 0)
  {
    return Close();
  }
  if (sscanf(command, "close %lu", &number) == 1)
  {
    return (int)number == Rank ? Close() : 0;
  }
  if (strcmp(command, "file") == 0)
  {
    return Begin(Each) < 0 || WriteKib(4) < 0 || Close() < 0 ? -1 : 0;
  }
  if (strcmp(command, "fork") == 0)
  {
    return Fork();
  }
  if (strcmp(command, "check") == 0)
  {
    return Check(-1);
  }
  if (sscanf(command, "check %lu", &number) == 1)
  {
    return Check((int)number);
  }
  if (strcmp(command, "shut") == 0)
  {
    return H5Fclose(Opened);
  }
  if (strcmp(command, "detach") == 0)
  {
    return Detach();
  }
  if (strcmp(command, "exit") == 0)
  {
    return Exit(-1);
  }
  if (sscanf(command, "exit %lu", &number) == 1)
  {
    return Exit((int)number);
  }
  if (sscanf(command, "open %lu", &number) == 1)
  {
    Opened = OpenNumber((int)number, H5F_ACC_RDONLY);
    return Opened < 0 ? -1 : 0;
  }
  if (sscanf(command, "again %lu", &number) == 1)
  {
    return Again((int)number);
  }
  if (sscanf(command, "read %lu", &number) == 1)
  {
    return Read((int)number);
  }
  fprintf(stderr, "obedient: unknown command \"%s\"\n", command);
  return -1;
}

int main(int argc, char** argv)
{
  MPI_Init(&argc, &argv);
  Ours = ThisProgram();
  MPI_Comm_rank(Ours, &Rank);
  MPI_Comm_size(Ours, &Ranks);
  Serial = argc == 3 && strcmp(argv[1], "serial") == 0;
  Each = argc == 3 && strcmp(argv[1], "each") == 0;
  if (argc != 3 || (!Serial && !Each && strcmp(argv[1], "parallel") != 0) || (Serial && Ranks > 1))
  {
    fprintf(stderr, "usage: obedient parallel|serial|each NAME (serial: one rank)\n");
    MPI_Finalize();
    return 2;
  }
  Name = argv[2];
  PrintErrors();
  int anyFailed = 0;
  if (Rank == 0)
  {
    Say("listening");
  }
  for (;;)
  {
    char line[64] = "";
    if (Rank == 0 && !fgets(line, sizeof line, stdin))
    {
      line[0] = '\0';
    }
    MPI_Bcast(line, sizeof line, MPI_CHAR, 0, Ours);
    if (line[0] == '\0')
    {
      break;
    }
    line[strcspn(line, "\n")] = '\0';
    const double begin = MPI_Wtime();
    Wrong = 0;
    Locked = 0;
    const int failedHere = Obey(line) < 0;
    int ranks[] = { failedHere, failedHere && Locked };
    MPI_Allreduce(MPI_IN_PLACE, ranks, 2, MPI_INT, MPI_SUM, Ours);
    const int failed = ranks[0] > 0;
    anyFailed = anyFailed || failed;
    if (Rank == 0)
    {
      char answer[128];
      if (failed)
      {
        snprintf(answer, sizeof answer, "failed on %d of %d ranks, locked on %d", ranks[0], Ranks,
          ranks[1]);
        Say(answer);
      }
      snprintf(answer, sizeof answer, "did %s: %s, %.2f s", line,
        failed    ? "failed"
          : Wrong ? "wrong"
                  : "ok",
        MPI_Wtime() - begin);
      Say(answer);
    }
  }
  MPI_Finalize();
  return anyFailed ? 4 : 0;
}
