// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>

/// What MPI is to a program that has none: the names that the rest of DSMCore uses, of a library
/// that is never initialized. Nothing here is called at run time but MPI_Initialized and
/// MPI_Finalized (dsm::MpiIsAlive): a communicator is always Communicator::Single().
///
/// All functions are inline and have C++ names, and the types are ours: a process may have a real
/// MPI besides, by which a program runs whose HDF5 is a serial one.
namespace dsm::none
{

struct Object;
using Handle = Object*;

constexpr int Refused = 1;

inline int No(int* answer)
{
  *answer = 0;
  return 0;
}

inline int NoName(char* text, int* length)
{
  *text = '\0';
  *length = 0;
  return 0;
}

}

using MPI_Comm = dsm::none::Handle;
using MPI_Info = dsm::none::Handle;
using MPI_Datatype = dsm::none::Handle;
using MPI_Request = dsm::none::Handle;
using MPI_File = dsm::none::Handle;
using MPI_Op = dsm::none::Handle;
using MPI_Win = dsm::none::Handle;
using MPI_Errhandler = dsm::none::Handle;
using MPI_Aint = std::ptrdiff_t;

constexpr std::nullptr_t MPI_COMM_NULL = nullptr;
constexpr std::nullptr_t MPI_COMM_SELF = nullptr;
constexpr std::nullptr_t MPI_COMM_WORLD = nullptr;
constexpr std::nullptr_t MPI_COMM_NULL_COPY_FN = nullptr;
constexpr std::nullptr_t MPI_INFO_NULL = nullptr;
constexpr std::nullptr_t MPI_FILE_NULL = nullptr;
constexpr std::nullptr_t MPI_REQUEST_NULL = nullptr;
constexpr std::nullptr_t MPI_DATATYPE_NULL = nullptr;
constexpr std::nullptr_t MPI_BYTE = nullptr;
constexpr std::nullptr_t MPI_DOUBLE = nullptr;
constexpr std::nullptr_t MPI_UINT64_T = nullptr;
constexpr std::nullptr_t MPI_MAX = nullptr;
constexpr std::nullptr_t MPI_SUM = nullptr;
constexpr std::nullptr_t MPI_NO_OP = nullptr;
constexpr std::nullptr_t MPI_IN_PLACE = nullptr;
constexpr std::nullptr_t MPI_WIN_NULL = nullptr;
constexpr std::nullptr_t MPI_STATUS_IGNORE = nullptr;
constexpr std::nullptr_t MPI_STATUSES_IGNORE = nullptr;
constexpr std::nullptr_t MPI_ERRHANDLER_NULL = nullptr;
constexpr int MPI_SUCCESS = 0;
constexpr int MPI_ERRORS_RETURN = 0;
constexpr int MPI_KEYVAL_INVALID = -1;
constexpr int MPI_APPNUM = 0;
constexpr int MPI_IDENT = 0;
constexpr int MPI_CONGRUENT = 1;
constexpr int MPI_UNEQUAL = 3;
constexpr int MPI_COMM_TYPE_SHARED = 0;
constexpr int MPI_MODE_NOCHECK = 0;
constexpr int MPI_ANY_SOURCE = -1;
constexpr int MPI_WIN_MODEL = 0;
constexpr int MPI_WIN_UNIFIED = 1;
constexpr int MPI_MAX_PORT_NAME = 64;
constexpr int MPI_MAX_ERROR_STRING = 64;
constexpr int MPI_MAX_LIBRARY_VERSION_STRING = 64;

struct MPI_Status
{
  int MPI_SOURCE = 0;
};

enum
{
  MPI_THREAD_SINGLE,
  MPI_THREAD_FUNNELED,
  MPI_THREAD_SERIALIZED,
  MPI_THREAD_MULTIPLE
};

constexpr auto MPI_Initialized = &dsm::none::No;
constexpr auto MPI_Finalized = &dsm::none::No;
constexpr auto MPI_Get_library_version = &dsm::none::NoName;

// What refuses, whatever it is given.
#define DSM_NONE(function)                                                                         \
  template <typename... Arguments>                                                                 \
  int function(const Arguments&...)                                                                \
  {                                                                                                \
    return dsm::none::Refused;                                                                     \
  }
DSM_NONE(MPI_Allgather)
DSM_NONE(MPI_Allgatherv)
DSM_NONE(MPI_Allreduce)
DSM_NONE(MPI_Alltoall)
DSM_NONE(MPI_Alltoallv)
DSM_NONE(MPI_Barrier)
DSM_NONE(MPI_Bcast)
DSM_NONE(MPI_Cancel)
DSM_NONE(MPI_Close_port)
DSM_NONE(MPI_Comm_accept)
DSM_NONE(MPI_Comm_compare)
DSM_NONE(MPI_Comm_connect)
DSM_NONE(MPI_Comm_create_keyval)
DSM_NONE(MPI_Comm_disconnect)
DSM_NONE(MPI_Comm_dup)
DSM_NONE(MPI_Comm_free)
DSM_NONE(MPI_Comm_free_keyval)
DSM_NONE(MPI_Comm_get_attr)
DSM_NONE(MPI_Comm_get_errhandler)
DSM_NONE(MPI_Comm_get_parent)
DSM_NONE(MPI_Comm_rank)
DSM_NONE(MPI_Comm_remote_size)
DSM_NONE(MPI_Comm_set_attr)
DSM_NONE(MPI_Comm_set_errhandler)
DSM_NONE(MPI_Comm_size)
DSM_NONE(MPI_Comm_split)
DSM_NONE(MPI_Comm_split_type)
DSM_NONE(MPI_Errhandler_free)
DSM_NONE(MPI_Error_class)
DSM_NONE(MPI_Error_string)
DSM_NONE(MPI_Fetch_and_op)
DSM_NONE(MPI_Get)
DSM_NONE(MPI_Get_count)
DSM_NONE(MPI_Ibarrier)
DSM_NONE(MPI_Ibcast)
DSM_NONE(MPI_Info_create)
DSM_NONE(MPI_Info_dup)
DSM_NONE(MPI_Info_free)
DSM_NONE(MPI_Intercomm_create)
DSM_NONE(MPI_Intercomm_merge)
DSM_NONE(MPI_Iprobe)
DSM_NONE(MPI_Irecv)
DSM_NONE(MPI_Isend)
DSM_NONE(MPI_Op_create)
DSM_NONE(MPI_Open_port)
DSM_NONE(MPI_Put)
DSM_NONE(MPI_Query_thread)
DSM_NONE(MPI_Recv)
DSM_NONE(MPI_Rget)
DSM_NONE(MPI_Rput)
DSM_NONE(MPI_Test)
DSM_NONE(MPI_Type_commit)
DSM_NONE(MPI_Type_contiguous)
DSM_NONE(MPI_Type_free)
DSM_NONE(MPI_Type_size)
DSM_NONE(MPI_Waitall)
DSM_NONE(MPI_Win_allocate)
DSM_NONE(MPI_Win_allocate_shared)
DSM_NONE(MPI_Win_create)
DSM_NONE(MPI_Win_flush)
DSM_NONE(MPI_Win_free)
DSM_NONE(MPI_Win_get_attr)
DSM_NONE(MPI_Win_lock_all)
DSM_NONE(MPI_Win_set_errhandler)
DSM_NONE(MPI_Win_shared_query)
DSM_NONE(MPI_Win_sync)
DSM_NONE(MPI_Win_unlock_all)
#undef DSM_NONE
