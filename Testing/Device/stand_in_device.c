/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A stand-in for CUDA's driver (libcuda.so.1) and HIP's runtime (libamdhip64.so.6), for machines
 * without a GPU. A device's memory is a file in memory with two mappings: programs get addresses
 * that nobody can read or write, and the copies here go by the other mapping. A dereference
 * anywhere else is a SIGSEGV, as with a device.
 *
 * It is as strict as the real libraries: a copy needs the allocation's context (CUDA) and stays in
 * one allocation, what is copied to a device from memory that is not registered arrives when a
 * stream is synchronized, and HIP remembers the last error. Kernels wait in the default stream, and
 * a copy waits for them.
 */
#define _GNU_SOURCE
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

typedef const void* Pointer; /* CUdeviceptr, which is a number as large */

enum
{
  INVALID_VALUE = 1,
  INVALID_CONTEXT = 201,
  REFUSED = 304,
  MOST = 256
};

typedef enum Kind
{
  OF_DEVICE,
  OF_POOL, /* belongs to no context */
  MANAGED,
  PINNED
} Kind;

typedef struct Allocation
{
  char* Begin;
  size_t Size;
  Kind Kind;
} Allocation;

/* What waits in the default stream: a kernel that adds to doubles, or bytes on their way. */
typedef struct Queued
{
  char* Target;
  void* Bytes;
  size_t Size;
  double Add;
} Queued;

static const size_t RoomSize = (size_t)1 << 30;
static char* Room = NULL;     /* what programs get */
static char* Contents = NULL; /* the same memory */
static size_t Used = 0;
static Allocation All[MOST];
static int Count = 0;
static Queued Stream[MOST];
static int Waiting = 0;
static char* Registered[MOST][2];
static int RegisteredCount = 0;

static int Own; /* its address is the context of allocations */

/* For tests to ask: copies from and to a device, those of them that met registered memory, and
 * ranges that are registered. */
int StandInCopies = 0;
int StandInFastCopies = 0;
int StandInRegistered = 0;
int StandInQueries = 0;

static void MakeRoom(void)
{
  if (!Room)
  {
    const int file = memfd_create("device", MFD_CLOEXEC);
    if (file < 0 || ftruncate(file, (off_t)RoomSize) != 0)
    {
      abort();
    }
    Room = mmap(NULL, RoomSize, PROT_NONE, MAP_SHARED, file, 0);
    Contents = mmap(NULL, RoomSize, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (Room == MAP_FAILED || Contents == MAP_FAILED)
    {
      abort();
    }
    close(file);
  }
}

static void* Allocate(size_t size, Kind kind)
{
  if (Count == MOST)
  {
    return NULL;
  }
  char* begin = NULL;
  if (kind == OF_DEVICE || kind == OF_POOL)
  {
    MakeRoom();
    const size_t guard = 1 << 16;
    if (Used + size + guard > RoomSize)
    {
      return NULL;
    }
    begin = Room + Used;
    Used = (Used + size + guard) / 512 * 512;
  }
  else
  {
    begin = malloc(size);
  }
  All[Count].Begin = begin;
  All[Count].Size = size;
  All[Count++].Kind = kind;
  return begin;
}

static const Allocation* Find(const void* address)
{
  for (int i = 0; i < Count; ++i)
  {
    const size_t offset = (uintptr_t)address - (uintptr_t)All[i].Begin;
    if (offset < All[i].Size)
    {
      return &All[i];
    }
  }
  return NULL;
}

/* Where the bytes are; NULL if they are not all in one allocation of the device. */
static char* Inside(const void* address, size_t size)
{
  const Allocation* found = Find(address);
  if (!found || (found->Kind != OF_DEVICE && found->Kind != OF_POOL) ||
    (size_t)((const char*)address - found->Begin) + size > found->Size)
  {
    return NULL;
  }
  return Contents + ((const char*)address - Room);
}

static int IsRegistered(const char* begin, size_t size)
{
  for (int i = 0; i < RegisteredCount; ++i)
  {
    if (begin >= Registered[i][0] && begin + size <= Registered[i][1])
    {
      return 1;
    }
  }
  return 0;
}

static void RunStream(void)
{
  for (int i = 0; i < Waiting; ++i)
  {
    const Queued* one = &Stream[i];
    if (one->Bytes)
    {
      memcpy(one->Target, one->Bytes, one->Size);
      free(one->Bytes);
    }
    else
    {
      for (size_t at = 0; at < one->Size; at += sizeof(double))
      {
        double value;
        memcpy(&value, one->Target + at, sizeof value);
        value += one->Add;
        memcpy(one->Target + at, &value, sizeof value);
      }
    }
  }
  Waiting = 0;
}

static int CopyOut(void* host, const void* device, size_t size)
{
  const char* from = Inside(device, size);
  if (!from || Inside(host, 1))
  {
    return INVALID_VALUE;
  }
  RunStream();
  memcpy(host, from, size);
  ++StandInCopies;
  StandInFastCopies += IsRegistered(host, size);
  return 0;
}

static int CopyIn(void* device, const void* host, size_t size)
{
  char* to = Inside(device, size);
  if (!to || Inside(host, 1) || Waiting == MOST)
  {
    return INVALID_VALUE;
  }
  RunStream();
  Queued* one = &Stream[Waiting++];
  one->Target = to;
  one->Size = size;
  one->Bytes = malloc(size);
  memcpy(one->Bytes, host, size);
  ++StandInCopies;
  StandInFastCopies += IsRegistered(host, size);
  return 0;
}

static int Register(void* memory, size_t size)
{
  if (RegisteredCount == MOST || getenv("STAND_IN_REFUSES"))
  {
    return REFUSED;
  }
  Registered[RegisteredCount][0] = memory;
  Registered[RegisteredCount++][1] = (char*)memory + size;
  StandInRegistered = RegisteredCount;
  return 0;
}

static int Unregister(const void* memory)
{
  for (int i = 0; i < RegisteredCount; ++i)
  {
    if (Registered[i][0] == memory)
    {
      --RegisteredCount;
      Registered[i][0] = Registered[RegisteredCount][0];
      Registered[i][1] = Registered[RegisteredCount][1];
      StandInRegistered = RegisteredCount;
      return 0;
    }
  }
  return INVALID_VALUE;
}

/* A kernel that adds a number to each double, in the default stream. */
int StandInLaunchAdd(void* device, size_t size, double add);
int StandInLaunchAdd(void* device, size_t size, double add)
{
  char* to = Inside(device, size);
  if (!to || Waiting == MOST)
  {
    return INVALID_VALUE;
  }
  Queued* one = &Stream[Waiting++];
  one->Target = to;
  one->Size = size;
  one->Bytes = NULL;
  one->Add = add;
  return 0;
}

void* StandInAllocate(size_t size, int kind);
void* StandInAllocate(size_t size, int kind)
{
  return Allocate(size, (Kind)kind);
}

/* As a program does it: complete when it returns. */
void StandInUpload(void* device, const void* host, size_t size);
void StandInUpload(void* device, const void* host, size_t size)
{
  RunStream();
  memcpy(Inside(device, size), host, size);
}

/* What a kernel sees that is not in the default stream. */
void StandInLook(void* host, const void* device, size_t size);
void StandInLook(void* host, const void* device, size_t size)
{
  memcpy(host, Inside(device, size), size);
}

enum Attribute
{
  CONTEXT = 1,
  MEMORY_TYPE = 2,
  IS_MANAGED = 8,
  DEVICE_ORDINAL = 9,
  RANGE_BEGIN = 11,
  RANGE_SIZE = 12
};

static int Attribute(
  void* value, int attribute, const Allocation* found, unsigned ofDevice, unsigned ofHost)
{
  switch (attribute)
  {
    case CONTEXT:
      *(void**)value = found->Kind == OF_DEVICE ? (void*)&Own : NULL;
      return 0;
    case MEMORY_TYPE:
      *(unsigned*)value = found->Kind == PINNED ? ofHost : ofDevice;
      return 0;
    case IS_MANAGED:
      *(unsigned*)value = found->Kind == MANAGED;
      return 0;
    case DEVICE_ORDINAL:
      *(int*)value = 3;
      return 0;
    case RANGE_BEGIN:
      *(void**)value = found->Begin;
      return 0;
    case RANGE_SIZE:
      *(size_t*)value = found->Size;
      return 0;
    default:
      return INVALID_VALUE;
  }
}

#ifdef STAND_IN_CUDA

int cuPointerGetAttribute(void* value, int attribute, Pointer pointer);
int cuPointerGetAttributes(unsigned count, int* attributes, void** values, Pointer pointer);
int cuMemGetAddressRange_v2(Pointer* begin, size_t* size, Pointer pointer);
int cuCtxPushCurrent_v2(void* context);
int cuCtxPopCurrent_v2(void** context);
int cuDevicePrimaryCtxRetain(void** context, int device);
int cuDevicePrimaryCtxRelease_v2(int device);
int cuMemcpyDtoH_v2(void* host, Pointer device, size_t size);
int cuMemcpyHtoD_v2(Pointer device, const void* host, size_t size);
int cuStreamSynchronize(void* stream);
int cuMemHostRegister_v2(void* memory, size_t size, unsigned flags);
int cuMemHostUnregister(void* memory);
int cuGetErrorString(int result, const char** text);
int cuInit(unsigned flags);

static int Primary;
static void* Contexts[16] = { NULL };
static int Depth = 0;

int cuInit(unsigned flags)
{
  (void)flags;
  return 0;
}

int cuPointerGetAttribute(void* value, int attribute, Pointer pointer)
{
  const Allocation* found = Find(pointer);
  if (getenv("STAND_IN_OLD") && attribute >= RANGE_BEGIN)
  {
    return INVALID_VALUE;
  }
  return found ? Attribute(value, attribute, found, 2, 1) : INVALID_VALUE;
}

int cuPointerGetAttributes(unsigned count, int* attributes, void** values, Pointer pointer)
{
  const Allocation* found = Find(pointer);
  ++StandInQueries;
  for (unsigned i = 0; i < count; ++i)
  {
    if (found)
    {
      Attribute(values[i], attributes[i], found, 2, 1);
    }
    else if (attributes[i] == CONTEXT)
    {
      *(void**)values[i] = NULL;
    }
    else
    {
      *(unsigned*)values[i] = attributes[i] == DEVICE_ORDINAL ? (unsigned)-2 : 0;
    }
  }
  return 0;
}

int cuMemGetAddressRange_v2(Pointer* begin, size_t* size, Pointer pointer)
{
  const Allocation* found = Find(pointer);
  if (!found)
  {
    return INVALID_VALUE;
  }
  *begin = found->Begin;
  *size = found->Size;
  return 0;
}

int cuCtxPushCurrent_v2(void* context)
{
  if (!context || Depth == 16)
  {
    return INVALID_CONTEXT;
  }
  Contexts[Depth++] = context;
  return 0;
}

int cuCtxPopCurrent_v2(void** context)
{
  if (Depth == 0)
  {
    return INVALID_CONTEXT;
  }
  *context = Contexts[--Depth];
  return 0;
}

int cuDevicePrimaryCtxRetain(void** context, int device)
{
  if (device != 3)
  {
    return INVALID_VALUE;
  }
  *context = &Primary;
  return 0;
}

int cuDevicePrimaryCtxRelease_v2(int device)
{
  return device == 3 ? 0 : INVALID_VALUE;
}

static int IsCurrent(Pointer pointer)
{
  const Allocation* found = Find(pointer);
  const void* wanted = found && found->Kind == OF_DEVICE ? (void*)&Own : (void*)&Primary;
  return found && Depth > 0 && Contexts[Depth - 1] == wanted;
}

int cuMemcpyDtoH_v2(void* host, Pointer device, size_t size)
{
  return IsCurrent(device) ? CopyOut(host, device, size) : INVALID_CONTEXT;
}

int cuMemcpyHtoD_v2(Pointer device, const void* host, size_t size)
{
  return IsCurrent(device) ? CopyIn((void*)device, host, size) : INVALID_CONTEXT;
}

int cuStreamSynchronize(void* stream)
{
  (void)stream;
  RunStream();
  return Depth > 0 ? 0 : INVALID_CONTEXT;
}

int cuMemHostRegister_v2(void* memory, size_t size, unsigned flags)
{
  (void)flags;
  return Depth > 0 ? Register(memory, size) : INVALID_CONTEXT;
}

int cuMemHostUnregister(void* memory)
{
  return Unregister(memory);
}

int cuGetErrorString(int result, const char** text)
{
  *text = result == INVALID_VALUE ? "invalid argument" : "refused by the stand-in";
  return 0;
}

#else

int hipRuntimeGetVersion(int* version);
int hipPointerGetAttribute(void* value, int attribute, const void* pointer);
int hipMemcpy(void* to, const void* from, size_t size, int kind);
int hipStreamSynchronize(void* stream);
int hipHostRegister(void* memory, size_t size, unsigned flags);
int hipHostUnregister(void* memory);
int hipPeekAtLastError(void);
int hipGetLastError(void);
const char* hipGetErrorString(int result);

static int LastError = 0;

static int Noted(int result)
{
  LastError = result ? result : LastError;
  return result;
}

static int IsOld(void)
{
  return getenv("STAND_IN_OLD") != NULL;
}

int hipRuntimeGetVersion(int* version)
{
  *version = IsOld() ? 50422804 : 60342131;
  return 0;
}

int hipPointerGetAttribute(void* value, int attribute, const void* pointer)
{
  const Allocation* found = Find(pointer);
  ++StandInQueries;
  return Noted(
    found ? Attribute(value, attribute, found, IsOld() ? 1 : 2, IsOld() ? 0 : 1) : INVALID_VALUE);
}

int hipMemcpy(void* to, const void* from, size_t size, int kind)
{
  return Noted(kind == 1 ? CopyIn(to, from, size)
      : kind == 2        ? CopyOut(to, from, size)
                         : INVALID_VALUE);
}

int hipStreamSynchronize(void* stream)
{
  (void)stream;
  RunStream();
  return 0;
}

int hipHostRegister(void* memory, size_t size, unsigned flags)
{
  (void)flags;
  return Noted(Register(memory, size));
}

int hipHostUnregister(void* memory)
{
  return Noted(Unregister(memory));
}

int hipPeekAtLastError(void)
{
  return LastError;
}

int hipGetLastError(void)
{
  const int last = LastError;
  LastError = 0;
  return last;
}

const char* hipGetErrorString(int result)
{
  return result == INVALID_VALUE ? "invalid argument" : "refused by the stand-in";
}

#endif
