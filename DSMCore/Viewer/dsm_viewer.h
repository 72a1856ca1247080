/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef DSM_VIEWER_H
#define DSM_VIEWER_H

/* Shows viewers in other languages what a running server has: any ParaView's Python, a web page, a
   notebook. Needs neither MPI nor HDF5 nor ParaView. The bytes of a snapshot are read by HDF5,
   under the name that the list has, in a process that dsm-run started or that has attached.

   A function that fails returns NULL, and dsm_viewer_error says why. Texts are JSON in UTF-8; they
   are the viewer's, and valid until its next call.
   One thread uses a viewer at a time, and another one may wait meanwhile (dsm_viewer_wait); several
   viewers do not disturb each other. Nothing here is collective. */

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C"
{
#endif

  typedef struct dsm_viewer dsm_viewer;

  /* Connects to the server of a contact file, within so many seconds. */
  dsm_viewer* dsm_viewer_open(const char* contact, double seconds);

  /* How long each call may wait from now on, also to connect again. Before, it is 10 s
     (DSM_REQUEST_TIMEOUT). */
  void dsm_viewer_limit(dsm_viewer* viewer, double seconds);

  /* Takes leave. NULL is allowed. No thread may be in another call of this viewer. */
  void dsm_viewer_close(dsm_viewer* viewer);

  /* Why this thread's last call failed. Valid until its next one. */
  const char* dsm_viewer_error(void);

  /* The kind of that, a dsm_status of dsm.h. */
  int dsm_viewer_status_of_error(void);

  /* The snapshots in memory, oldest first, of the files or streams that fit a shell pattern ("" or
     NULL: all): {"snapshots": [{…}, …]}, each with its number; name, by which HDF5 opens it; file,
     as the simulation named it; stream, of those that follow each other; run, of the simulation,
     counted from 1; program; step; size, bytes; sealed, seconds since 1970; and parts, the numbers
     of all files of a snapshot in several files. Connects again if the connection was lost. */
  const char* dsm_viewer_snapshots(dsm_viewer* viewer, const char* pattern);

  /* Waits up to so many seconds until there is a snapshot with a number above `after`; sets
     `number` to that of the newest, or to 0 if none came. Waits also while no program is connected
     that could write one. Returns `number`. */
  uint64_t* dsm_viewer_wait(dsm_viewer* viewer, uint64_t after, double seconds, uint64_t* number);

  /* Returns the programs that are connected, without the server's hosts and this process:
     {"connected": [{…}, …]}, each with guest, whose invitation it uses (empty: the owner's key);
     role, "writer", "steering", "viewer" or "archive"; program; node; ranks; process, its number
     there; and since, seconds since 1970. The server refuses guests this. */
  const char* dsm_viewer_connected(dsm_viewer* viewer);

  /* Tells what can be steered in the programs that are connected, their values, and what became of
     changes, as `dsm-steer --status` prints it. */
  const char* dsm_viewer_status(dsm_viewer* viewer);

  /* Changes a running program: a request as scripts write it (DSMCore/Steering/README.md), such as
     {"do": "apply", "set": {"feed": 0.04}}. Returns the answer. */
  const char* dsm_viewer_steer(dsm_viewer* viewer, const char* request);

  /* Bytes of a file that begin at an address. */
  typedef struct dsm_viewer_piece
  {
    uint64_t address;
    const void* data;
    uint64_t size;
  } dsm_viewer_piece;

  /* Stores a file of `size` bytes in the hosts' memory, for a running program rather than for
     viewers: an array that the parameter `name` is set to. Its bytes are the `count` pieces, and
     zero elsewhere. It stays until the memory is needed for other files, as snapshots do. Returns
     {"snapshot": its number}. The server refuses this to guests that may not write. */
  const char* dsm_viewer_store(dsm_viewer* viewer, const char* name, const dsm_viewer_piece* pieces,
    size_t count, uint64_t size);

  /* Reads `size` bytes of a snapshot's file from an address on, by the snapshot's number. What is
     behind the file's end is zero. Returns `data`. */
  void* dsm_viewer_read(
    dsm_viewer* viewer, uint64_t snapshot, uint64_t address, void* data, uint64_t size);

#ifdef __cplusplus
}
#endif

#endif
