/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef DSM_DESCRIBED_H
#define DSM_DESCRIBED_H

/* Describes an HDF5 file, whatever program has written it, and reads its numbers: for viewers in
   other languages, without VTK. The library needs the HDF5 of its caller: the loader of this
   project puts it on top of that one (DsmLoad in libdsm-loader.so).

   A function that fails returns NULL, and dsm_described_error says why. Texts are JSON in UTF-8.
   One thread at a time, since HDF5 is called. Nothing here is collective. */

#ifdef __cplusplus
extern "C"
{
#endif

  typedef struct dsm_described dsm_described;
  typedef struct dsm_filled dsm_filled;

  /* Opens a file by the name that HDF5 has for it, and describes a step of it (-1: the last).
     `written_as`: the name that the program gave it, by which recipes are found; NULL: the same. */
  dsm_described* dsm_described_open(const char* name, const char* written_as, long step);

  /* NULL is allowed. What was filled stays. */
  void dsm_described_close(dsm_described* described);

  /* Why this thread's last call failed. */
  const char* dsm_described_error(void);

  /* The description: format; rule, that decided; empty, while nothing is in the file; time, if the
     file says one, time_units; times of all steps in the file; guessed, in sentences; left, objects
     with path and why; and parts, each with its name, kind (FilledPart.h), and units into which it
     can be cut. Valid until dsm_described_close. */
  const char* dsm_described_text(const dsm_described* described);

  /* Reads a share of a part: the units (layers, rows, points, cells or blocks) of one of so many
     pieces. All pieces together have each unit once. */
  dsm_filled* dsm_described_fill(
    dsm_described* described, unsigned long part, unsigned long piece, unsigned long pieces);

  void dsm_filled_free(dsm_filled* filled);

  /* Tells what was read: a list of data sets, each with its kind and what that has (FilledPart.h),
     and the buffers of numbers by their places in the list `buffers`: type (NumPy's: "f8"),
     components, tuples. Valid until dsm_filled_free. */
  const char* dsm_filled_text(const dsm_filled* filled);

  /* The numbers of a buffer. Valid until dsm_filled_free. */
  const void* dsm_filled_buffer(const dsm_filled* filled, unsigned long buffer);

#ifdef __cplusplus
}
#endif

#endif
