// SPDX-License-Identifier: BSD-3-Clause
/**
 * Steering for simulations: what ParaView may change while they run, and what they report.
 *
 *   double feed = 0.04;
 *   dsm_session* dsm;
 *   dsm_open(MPI_COMM_WORLD, NULL, &dsm);         // the contact file is in DSM_CONTACT
 *   dsm_double(dsm, "feed", &feed);
 *   for (step = 0; dsm_running(dsm); ++step)      // until somebody presses Stop
 *   {
 *     dsm_step(dsm, step, time);                  // the only place where feed changes
 *     …
 *   }
 *   dsm_close(&dsm);
 *
 * Without a server (no DSM_CONTACT, or nobody there) parameters keep their values and commands
 * never come; a server that starts later is found. A NULL session is allowed everywhere and does
 * nothing.
 *
 * Every function returns DSM_OK or what went wrong; dsm_last_error() has it in words. Call them on
 * every rank of the communicator in the same order, dsm_step once for each step. One thread at a
 * time; a program may have several sessions, each with parameters of its own.
 */
#ifndef DSM_H
#define DSM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#ifndef DSM_WITHOUT_MPI
#  include <mpi.h>
#endif

#ifdef __cplusplus
extern "C"
{
#endif

  typedef struct dsm_session dsm_session; /* NOLINT(modernize-use-using): C */

  enum dsm_status
  {
    DSM_OK = 0,
    DSM_ERROR_USAGE = 1,       /* the call makes no sense */
    DSM_ERROR_NO_SERVER = 2,   /* nobody answers */
    DSM_ERROR_REFUSED = 3,     /* the server said no */
    DSM_ERROR_TIMED_OUT = 4,   /* a wait reached its limit */
    DSM_ERROR_PEER_LOST = 5,   /* the server went away */
    DSM_ERROR_UNSUPPORTED = 6, /* this build or machine cannot do it */
    DSM_ERROR_SYSTEM = 7       /* the operating system, MPI or memory failed */
  };

  /* What the last call of this thread that failed had to say. Never NULL. */
  const char* dsm_last_error(void);

  /* ---- Coupling a process that runs already, as dsm-run couples one that starts: each HDF5 that
   * it has loaded writes to and reads from the server's memory. `contact` as below; without
   * DSM_CONTACT it is run.dsm. To be called again when another HDF5 was loaded, or for another
   * server. Not collective. Not while another thread is in HDF5 or asks for environment variables,
   * since it sets DSM_CONTACT. Files that are opened with MPI-IO go to disk: only dsm-run reaches
   * those. */
  int dsm_attach(const char* contact);
  /* Undoes it. Files that are open stay where they are. */
  int dsm_detach(void);

  /* ---- A session: collective. ------------------------------------------------------------------
   * `contact` is the contact file; NULL or "" takes it from DSM_CONTACT. Comes back at once, or
   * after some seconds where the file names a server that does not answer. */
#ifndef DSM_WITHOUT_MPI
  static inline int dsm_open(MPI_Comm comm, const char* contact, dsm_session** session);
#endif
  int dsm_open_serial(const char* contact, dsm_session** session); /* one process, no MPI */
  int dsm_close(dsm_session** session); /* sets it to NULL; before MPI_Finalize */

  /* ---- Parameters: `value` is your variable. It keeps its value until dsm_step changes it; what
   * it holds now is the default. Names may have blanks. */
  int dsm_bool(dsm_session* session, const char* name, bool* value);
  int dsm_int64(dsm_session* session, const char* name, int64_t* value);
  int dsm_double(dsm_session* session, const char* name, double* value);
  int dsm_vector(dsm_session* session, const char* name, double value[3]);
  /* `value` counts from 0; choices like "periodic|mirror|fixed". */
  int dsm_enum(dsm_session* session, const char* name, int* value, const char* choices);
  /* `value` has room for `size` bytes, the ending zero included. */
  int dsm_string(dsm_session* session, const char* name, char* value, size_t size);
  /* The same as Fortran has it: no ending zero, filled up with blanks. */
  int dsm_string_padded(dsm_session* session, const char* name, char* value, size_t size);

  /* ---- Arrays: `values` is this rank's part of an array of `rank` directions, without gaps, the
   * last index fastest. dsm_step changes all of it, on all ranks at the same step. Fortran's order
   * of directions is the other one. */
  enum dsm_type
  {
    DSM_UINT8 = 0,
    DSM_INT32 = 1,
    DSM_INT64 = 2,
    DSM_FLOAT = 3,
    DSM_DOUBLE = 4
  };
  /* `sizes` are those of this rank's part. The ranks' parts follow one another in the first
   * direction, in the order of the ranks, and are equally large in the others. */
  int dsm_array(dsm_session* session, const char* name, enum dsm_type type, int rank,
    const size_t* sizes, void* values);
  /* `sizes` are those of the whole array; this rank has `counts` elements from the indices `starts`
   * on, as for an HDF5 hyperslab. Ranks may have parts in common, and some may have none. */
  int dsm_array_block(dsm_session* session, const char* name, enum dsm_type type, int rank,
    const size_t* sizes, const size_t* starts, const size_t* counts, void* values);
  /* True if the last dsm_step changed this parameter. */
  bool dsm_changed(const dsm_session* session, const char* name);

  /* ---- More about a parameter, command or observable, before the next dsm_step. ---- */
  int dsm_minimum(dsm_session* session, const char* name, double minimum);
  int dsm_maximum(dsm_session* session, const char* name, double maximum);
  int dsm_range(dsm_session* session, const char* name, double minimum, double maximum);
  int dsm_unit(dsm_session* session, const char* name, const char* unit);
  int dsm_text(dsm_session* session, const char* name, const char* text);
  int dsm_group(dsm_session* session, const char* name, const char* group);
  /* How a viewer lets people handle a vector in 3-D: "position", "direction", "plane origin",
   * "plane normal", "box minimum", "box maximum" (those of a plane or box share a group). */
  int dsm_meaning(dsm_session* session, const char* name, const char* meaning);

  /* ---- Commands. `action` (may be NULL) is called in dsm_step on every rank. ---- */
  typedef void (*dsm_action)(void* data); /* NOLINT(modernize-use-using): C */
  int dsm_command(dsm_session* session, const char* name, dsm_action action, void* data);
  /* How often the command came in the last dsm_step; 0 for an unknown one. */
  int64_t dsm_commanded(const dsm_session* session, const char* name);

  /* ---- Observables: numbers you report. Rank 0's count; sent at most 20 times a second. ---- */
  int dsm_observable(dsm_session* session, const char* name);
  int dsm_observe(dsm_session* session, const char* name, double value);

  /* ---- The time loop. ---------------------------------------------------------------------------
   * Collective. Changes what was applied since the last call, on all ranks, and calls actions.
   * Waits while paused; a SIGINT that rank 0 handles itself ends that with DSM_ERROR_SYSTEM on all
   * ranks. Costs one small broadcast when there is nothing to do. */
  int dsm_step(dsm_session* session, int64_t step, double time);
  /* False once somebody commanded "stop". */
  bool dsm_running(const dsm_session* session);
  /* True when a server is connected; known on rank 0 only. */
  bool dsm_connected(const dsm_session* session);

  /* Sets the step at which the run ends, if the program knows it; negative: unknown. Viewers then
   * show how far the run is, and how long it still takes at the pace of its last steps. It may
   * change during the run. Rank 0's value is shown. */
  int dsm_last_step(dsm_session* session, int64_t step);

  /* ---- What is written. ---- */
  /* Offers "output interval" and "write snapshot". */
  int dsm_output_interval(dsm_session* session, int64_t interval);
  /* True when this step (of the last dsm_step) is to be written: a multiple of the interval, or
   * somebody commanded "write snapshot" or "write to disk". */
  bool dsm_output_due(const dsm_session* session);
  /* How this program writes a snapshot (optional). Somebody who pauses it and commands "write
   * snapshot" wants it then: dsm_step calls `write` on every rank, and goes on waiting. It must not
   * call dsm_step. Without it, that snapshot is written when the run goes on, which viewers are
   * told. */
  int dsm_output_action(dsm_session* session, dsm_action write, void* data);
  /* Offers to leave out a dataset or group, from the first call on, and says whether it is to be
   * written: when nothing that holds it is switched off either. True for a NULL session. */
  bool dsm_enabled(dsm_session* session, const char* path);

  /* ---- The functions and handles of the program's MPI library. A session communicates through
   * them, so libdsm.so works with every MPI library. dsm_open fills in this table. Languages
   * without <mpi.h> may fill it in themselves. Handles that are integers are sign-extended.
   * dsm_open_mpi copies the table. */
  typedef struct dsm_mpi /* NOLINT(modernize-use-using): C */
  {
    size_t size;        /* sizeof(dsm_mpi) */
    size_t handle_size; /* sizeof(MPI_Comm) */
    intptr_t comm_null, errors_return, byte, uint64, maximum, sum;
    int (*initialized)(int* flag);
    int (*finalized)(int* flag);
    int (*library_version)(char* text, int* length);
    int (*error_string)(int error, char* text, int* length);
    int (*comm_rank)(intptr_t comm, int* rank);
    int (*comm_size)(intptr_t comm, int* size);
    int (*comm_dup)(intptr_t comm, void* made);
    int (*comm_free)(void* comm);
    int (*comm_set_errhandler)(intptr_t comm, intptr_t handler);
    int (*bcast)(void* data, int count, intptr_t type, int root, intptr_t comm);
    int (*ibcast)(void* data, int count, intptr_t type, int root, intptr_t comm, void* request);
    int (*test)(void* request, int* done, void* status);
    int (*allreduce)(const void* sent, void* received, int count, intptr_t type, intptr_t operation,
      intptr_t comm);
  } dsm_mpi;
  int dsm_open_mpi(const dsm_mpi* mpi, intptr_t comm, const char* contact, dsm_session** session);

#ifndef DSM_WITHOUT_MPI
  /* NOLINTBEGIN: handles are integers in some MPI libraries and pointers in others */
  static inline int dsm_open(MPI_Comm comm, const char* contact, dsm_session** session)
  {
    typedef void (*any)(void);
    dsm_mpi mpi;
    mpi.size = sizeof mpi;
    mpi.handle_size = sizeof comm;
    mpi.comm_null = (intptr_t)MPI_COMM_NULL;
    mpi.errors_return = (intptr_t)MPI_ERRORS_RETURN;
    mpi.byte = (intptr_t)MPI_BYTE;
    mpi.uint64 = (intptr_t)MPI_UINT64_T;
    mpi.maximum = (intptr_t)MPI_MAX;
    mpi.sum = (intptr_t)MPI_SUM;
    mpi.initialized = (int (*)(int*))(any)MPI_Initialized;
    mpi.finalized = (int (*)(int*))(any)MPI_Finalized;
    mpi.library_version = (int (*)(char*, int*))(any)MPI_Get_library_version;
    mpi.error_string = (int (*)(int, char*, int*))(any)MPI_Error_string;
    mpi.comm_rank = (int (*)(intptr_t, int*))(any)MPI_Comm_rank;
    mpi.comm_size = (int (*)(intptr_t, int*))(any)MPI_Comm_size;
    mpi.comm_dup = (int (*)(intptr_t, void*))(any)MPI_Comm_dup;
    mpi.comm_free = (int (*)(void*))(any)MPI_Comm_free;
    mpi.comm_set_errhandler = (int (*)(intptr_t, intptr_t))(any)MPI_Comm_set_errhandler;
    mpi.bcast = (int (*)(void*, int, intptr_t, int, intptr_t))(any)MPI_Bcast;
    mpi.ibcast = (int (*)(void*, int, intptr_t, int, intptr_t, void*))(any)MPI_Ibcast;
    mpi.test = (int (*)(void*, int*, void*))(any)MPI_Test;
    mpi.allreduce =
      (int (*)(const void*, void*, int, intptr_t, intptr_t, intptr_t))(any)MPI_Allreduce;
    return dsm_open_mpi(&mpi, (intptr_t)comm, contact, session);
  }
  /* NOLINTEND */
#endif

#ifdef __cplusplus
}
#endif

#endif
