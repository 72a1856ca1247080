/* SPDX-License-Identifier: BSD-3-Clause */
/* A serial program that does with HDF5 files what it is told, a line each, and says what came of
 * it, with a number before: "3: did", "3: wrong", or "3: failed (what HDF5's error stack says)".
 *
 *     write FILE COUNT SEED     a new file with COUNT values, which stays open
 *     more FILE COUNT SEED      another dataset in it
 *     close FILE
 *     open NAME                 for reading
 *     check NAME SEED           its values are those of that seed */
#include <hdf5.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum
{
  MaximumFiles = 1000,
  MaximumText = 4096
};

typedef struct
{
  char Name[1024];
  hid_t File;
  int Sets;
} Opened;

static Opened Files[MaximumFiles];

static Opened* Find(const char* name)
{
  for (int i = 0; i < MaximumFiles; ++i)
  {
    if (strcmp(Files[i].Name, name) == 0)
    {
      return &Files[i];
    }
  }
  fprintf(stderr, "actor: there is no file %s\n", name);
  exit(2);
}

static long long Value(hsize_t i, long seed)
{
  return (long long)i * 7 + seed;
}

static int Open(const char* name, hid_t file)
{
  if (file < 0)
  {
    return 0;
  }
  Opened* opened = Find("");
  snprintf(opened->Name, sizeof opened->Name, "%s", name);
  opened->File = file;
  opened->Sets = 0;
  return 1;
}

static int Write(const char* name, hsize_t count, long seed)
{
  Opened* opened = Find(name);
  char set[32] = "values";
  if (opened->Sets > 0)
  {
    snprintf(set, sizeof set, "more%d", opened->Sets);
  }
  ++opened->Sets;
  long long* values = malloc(count * sizeof *values);
  for (hsize_t i = 0; i < count; ++i)
  {
    values[i] = Value(i, seed);
  }
  const hid_t space = H5Screate_simple(1, &count, NULL);
  const hid_t made =
    H5Dcreate2(opened->File, set, H5T_NATIVE_LLONG, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  const int good =
    made >= 0 && H5Dwrite(made, H5T_NATIVE_LLONG, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0;
  const int closed = made >= 0 && H5Dclose(made) >= 0;
  H5Sclose(space);
  free(values);
  return good && closed;
}

static int Close(const char* name)
{
  Opened* opened = Find(name);
  opened->Name[0] = '\0';
  return H5Fclose(opened->File) >= 0;
}

/* 1: they are right, 2: they are not, 0: HDF5 says why not. */
static int Check(const char* name, long seed)
{
  const hid_t set = H5Dopen2(Find(name)->File, "values", H5P_DEFAULT);
  if (set < 0)
  {
    return 0;
  }
  const hid_t space = H5Dget_space(set);
  const hssize_t count = H5Sget_simple_extent_npoints(space);
  long long* values = malloc((size_t)count * sizeof *values);
  int outcome = H5Dread(set, H5T_NATIVE_LLONG, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) < 0 ? 0 : 1;
  for (hssize_t i = 0; i < count && outcome == 1; ++i)
  {
    outcome = values[i] == Value((hsize_t)i, seed) ? 1 : 2;
  }
  free(values);
  H5Sclose(space);
  H5Dclose(set);
  return outcome;
}

static int Act(char* line)
{
  char act[16] = "";
  char name[1024] = "";
  long first = 0;
  long second = 0;
  sscanf(line, "%15s %1023s %ld %ld", act, name, &first, &second);
  if (strcmp(act, "write") == 0)
  {
    return Open(name, H5Fcreate(name, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT)) &&
      Write(name, (hsize_t)first, second);
  }
  if (strcmp(act, "more") == 0)
  {
    return Write(name, (hsize_t)first, second);
  }
  if (strcmp(act, "close") == 0)
  {
    return Close(name);
  }
  if (strcmp(act, "open") == 0)
  {
    return Open(name, H5Fopen(name, H5F_ACC_RDONLY, H5P_DEFAULT));
  }
  if (strcmp(act, "check") == 0)
  {
    return Check(name, first);
  }
  fprintf(stderr, "actor: cannot %s", line);
  exit(2);
}

/* Keeps the innermost description, and what stands there before HDF5 has the next. */
static herr_t Collect(unsigned number, const H5E_error2_t* error, void* text)
{
  (void)number;
  const size_t length = strlen(text);
  snprintf((char*)text + length, MaximumText - length, "%s%s", length > 0 ? "; " : "",
    error->desc ? error->desc : "");
  return 0;
}

static char Reason[MaximumText];

/* HDF5 clears its error stack with the next call: so at once, where an error comes up. */
static herr_t Note(hid_t stack, void* unused)
{
  (void)unused;
  if (Reason[0] == '\0')
  {
    H5Ewalk2(stack, H5E_WALK_UPWARD, Collect, Reason);
  }
  return 0;
}

int main(void)
{
  H5Eset_auto2(H5E_DEFAULT, Note, NULL);
  puts("ready");
  fflush(stdout);
  char line[MaximumText];
  for (int number = 1; fgets(line, sizeof line, stdin); ++number)
  {
    Reason[0] = '\0';
    const int outcome = Act(line);
    if (outcome == 0)
    {
      printf("%d: failed (%s)\n", number, Reason);
    }
    else
    {
      printf("%d: %s\n", number, outcome == 1 ? "did" : "wrong");
    }
    fflush(stdout);
  }
  return 0;
}
