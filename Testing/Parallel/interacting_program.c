/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A program that knows HDF5 and MPI and nothing of us, and can be steered: it reads what it may be
 * told from an HDF5 file. Does what the lines of its input say:
 *
 *   look            reads the parameters and prints them
 *   copy NAME       stores the bytes of that file
 *   write NAME      writes a file by all ranks, which depends on what was seen last
 *   end
 */
#define FAILED MPI_Abort(MPI_COMM_WORLD, 3)
#include "../simulation.h"

#include <string.h>

static const char* Name = "dsm#Interactions";
static double feed = 0.01;

static void Get(hid_t file, const char* name, hid_t type, void* value)
{
  char path[256];
  snprintf(path, sizeof path, "/Interactions/%s", name);
  hid_t set = H5Dopen2(file, path, H5P_DEFAULT);
  CHECK(set >= 0);
  CHECK(H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, value) >= 0);
  H5Dclose(set);
}

static long long Attribute(hid_t file, const char* path, const char* name)
{
  long long value = -2;
  hid_t attribute = H5Aopen_by_name(file, path, name, H5P_DEFAULT, H5P_DEFAULT);
  CHECK(attribute >= 0);
  CHECK(H5Aread(attribute, H5T_NATIVE_LLONG, &value) >= 0);
  H5Aclose(attribute);
  return value;
}

static hid_t Open(void)
{
  hid_t fapl = H5Pcreate(H5P_FILE_ACCESS);
  CHECK(H5Pset_fapl_mpio(fapl, MPI_COMM_WORLD, MPI_INFO_NULL) >= 0);
  hid_t file = H5I_INVALID_HID;
  H5E_BEGIN_TRY
  {
    file = H5Fopen(Name, H5F_ACC_RDONLY, fapl);
  }
  H5E_END_TRY
  H5Pclose(fapl);
  return file;
}

static void Look(int rank)
{
  char now[512] = "nothing";
  hid_t file = Open();
  if (file >= 0 && H5Lexists(file, "/Interactions/feed", H5P_DEFAULT) > 0)
  {
    int flag = -1;
    int mode = -1;
    long long count = 0;
    long long again = 0;
    char label[32] = "";
    double where[3] = { 0, 0, 0 };
    hid_t text = H5Tcopy(H5T_C_S1);
    H5Tset_size(text, sizeof label);
    H5Tset_cset(text, H5T_CSET_UTF8);
    Get(file, "flag", H5T_NATIVE_INT, &flag);
    Get(file, "count", H5T_NATIVE_LLONG, &count);
    Get(file, "feed", H5T_NATIVE_DOUBLE, &feed);
    Get(file, "mode", H5T_NATIVE_INT, &mode);
    Get(file, "label", text, label);
    Get(file, "where", H5T_NATIVE_DOUBLE, where);
    Get(file, "seed again", H5T_NATIVE_LLONG, &again);
    H5Tclose(text);
    snprintf(now, sizeof now,
      "flag %d count %lld feed %.17g mode %d label %s where %g %g %g again %lld step %lld change "
      "%lld",
      flag, count, feed, mode, label, where[0], where[1], where[2], again,
      Attribute(file, "/Interactions/feed", "Step"),
      Attribute(file, "/Interactions/feed", "Change"));
  }
  if (file >= 0)
  {
    CHECK(H5Fclose(file) >= 0);
  }
  char first[sizeof now];
  memcpy(first, now, sizeof now);
  MPI_Bcast(first, sizeof first, MPI_CHAR, 0, MPI_COMM_WORLD);
  CHECK(strcmp(first, now) == 0);
  if (rank == 0)
  {
    printf("look %s\n", now);
    fflush(stdout);
  }
}

static void Copy(const char* path, int rank)
{
  hid_t file = Open();
  CHECK(file >= 0);
  ssize_t size = H5Fget_file_image(file, NULL, 0);
  CHECK(size > 0);
  char* bytes = malloc((size_t)size);
  CHECK(bytes && H5Fget_file_image(file, bytes, (size_t)size) == size);
  CHECK(H5Fclose(file) >= 0);
  if (rank == 0)
  {
    FILE* copy = fopen(path, "wb");
    CHECK(copy && fwrite(bytes, 1, (size_t)size, copy) == (size_t)size && fclose(copy) == 0);
    Say("copied");
  }
  free(bytes);
}

static void Write(const char* path, int rank, int ranks)
{
  enum
  {
    Each = 5000
  };
  double values[Each];
  for (int i = 0; i < Each; ++i)
  {
    values[i] = feed * i + rank;
  }
  hid_t fapl = H5Pcreate(H5P_FILE_ACCESS);
  CHECK(H5Pset_fapl_mpio(fapl, MPI_COMM_WORLD, MPI_INFO_NULL) >= 0);
  hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, fapl);
  CHECK(file >= 0);
  Values made = CreateValues(file, H5T_IEEE_F64LE, Each, (hsize_t)rank, (hsize_t)ranks);
  CHECK(H5Dwrite(made.Set, H5T_NATIVE_DOUBLE, made.Memory, made.Space, H5P_DEFAULT, values) >= 0);
  CloseValues(made);
  CHECK(H5Fclose(file) >= 0);
  H5Pclose(fapl);
  if (rank == 0)
  {
    Say("written");
  }
}

int main(int argc, char** argv)
{
  MPI_Init(&argc, &argv);
  int rank = 0;
  int ranks = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (argc > 1)
  {
    Name = argv[1];
  }
  if (rank == 0)
  {
    Say("ready");
  }
  for (;;)
  {
    char line[1024] = "end";
    if (rank == 0 && fgets(line, sizeof line, stdin))
    {
      line[strcspn(line, "\n")] = '\0';
    }
    MPI_Bcast(line, sizeof line, MPI_CHAR, 0, MPI_COMM_WORLD);
    if (strcmp(line, "look") == 0)
    {
      Look(rank);
    }
    else if (strncmp(line, "copy ", 5) == 0)
    {
      Copy(line + 5, rank);
    }
    else if (strncmp(line, "write ", 6) == 0)
    {
      Write(line + 6, rank, ranks);
    }
    else
    {
      break;
    }
  }
  MPI_Finalize();
  return 0;
}
