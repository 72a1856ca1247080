/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef H5FDdsm_h
#define H5FDdsm_h

#include <hdf5.h>

/*
 * The HDF5 file driver that keeps files in the memory ParaView lends.
 *
 * Which files: those created under a name that DSM_MATCH fits (default "*") while a contact is set,
 * by H5Pset_fapl_dsm or DSM_CONTACT; those opened by the name of a snapshot, be it the name the
 * simulation used or "run.dsm#12". All others go where they always went: through HDF5's own MPI-IO
 * driver when the access list has a communicator, else through its sec2 driver.
 */

#ifdef __cplusplus
extern "C"
{
#endif

#define H5FD_DSM_NAME "dsm"

/* From the range HDF5 leaves for testing. */
#define H5FD_DSM_VALUE ((H5FD_class_value_t)417)

#define H5FD_DSM (H5FD_dsm_init())

  /* Registers the driver at the first call; its identifier, or H5I_INVALID_HID. */
  hid_t H5FD_dsm_init(void);

  /*
   * The driver under a second identifier, which programs get where they say H5FD_MPIO (in HDF5 2 it
   * is that from then on): a file of another list is none of MPI-IO's. For the loader.
   */
  hid_t H5FD_dsm_stand_in(void);

  /* The driver's class, for HDF5's plugin loader. */
  const H5FD_class_t* H5FD_dsm_class(void);

  /*
   * Tells the servers that this process ends in order, unless it has a file open in memory. For a
   * process that ends without HDF5's end; the loader calls it. May be called in a signal handler.
   */
  void H5FD_dsm_leave(void);

  /*
   * The program is about to create an object: of some kind, by a name, below an object or file. The
   * loader tells of it, so that ranks that create different objects in one file are noticed.
   */
  void H5FD_dsm_note(hid_t place, const char* kind, const char* name);

  /* The path of the HDF5 library that this one works with; valid as long as this one is loaded. */
  const char* H5FD_dsm_library(void);

#ifdef H5_HAVE_PARALLEL
  /*
   * Makes an access list use the driver. Communicator and info are duplicated by HDF5; with
   * MPI_COMM_NULL the file is one process's own. A null contact means the file named by DSM_CONTACT
   * when the HDF5 file is opened.
   */
  herr_t H5Pset_fapl_dsm(hid_t fapl, MPI_Comm comm, MPI_Info info, const char* contact);

  /*
   * The inverse. Any output may be null. Communicator and info are duplicates for the caller to
   * free. At most `contactSize` bytes of the contact file's name are written, with the closing
   * zero; the name is empty when none was set.
   */
  herr_t H5Pget_fapl_dsm(
    hid_t fapl, MPI_Comm* comm, MPI_Info* info, char* contact, size_t contactSize);
#endif

#ifdef H5_HAVE_PARALLEL
  /*
   * MPI-IO's atomic mode for a file in memory that ranks have opened together; the file's
   * identifier, on all of its ranks. HDF5's own H5Fset_mpi_atomicity and H5Fget_mpi_atomicity know
   * the files of HDF5's MPI-IO driver only, and fail here, but behind dsm-run, where they do the
   * same as these. In atomic mode what a rank writes by one H5Dwrite that HDF5 hands over as one
   * transfer is read by others as a whole or not at all. For other files these fail.
   */
  herr_t H5Fset_dsm_atomicity(hid_t file, hbool_t on);
  herr_t H5Fget_dsm_atomicity(hid_t file, hbool_t* on);
#endif

  /* Whether a file is in memory, and so one of this driver's: 1 or 0. For the loader. */
  int H5FD_dsm_has(hid_t file);

  /* A file has that name now, which may be one in memory: its server is told. For the loader. */
  void H5FD_dsm_renamed(const char* name);

  /*
   * Single-process I/O (H5FD_MPIO_SINGLE_PROC_IO of the HDF Group's proposal of 2018), for what all
   * ranks read or write alike: what describes a file, parameters, small tables.
   */
  typedef enum H5FD_dsm_single_process_t
  {
    H5FD_DSM_SINGLE_PROCESS_OFF = 0,
    H5FD_DSM_SINGLE_PROCESS = 1,          /* with a check that the ranks ask for the same bytes */
    H5FD_DSM_SINGLE_PROCESS_UNCHECKED = 2 /* without, which saves an exchange among them */
  } H5FD_dsm_single_process_t;

#ifdef H5_HAVE_PARALLEL
  /*
   * Has the transfers of raw data with this list (H5P_DATASET_XFER) carried out by one process: the
   * lowest rank of the file reads and sends the bytes to the others, or writes them for all; what
   * the others have in their buffers is not looked at then. It makes the list collective
   * (H5Pset_dxpl_mpio), but for _OFF, so all ranks of the file have to call H5Dread or H5Dwrite
   * together, with lists that say the same.
   *
   * Checked, a transfer whose offsets or sizes in the file are not the same on all ranks fails on
   * all of them, and moves nothing. Unchecked, such a read may succeed with rank 0's bytes.
   *
   * Filtered datasets, transfers that HDF5 cannot do collectively, and files on disk go as without.
   * DSM_SINGLE_PROCESS=off has all do so.
   */
  herr_t H5Pset_dxpl_dsm_single_process(hid_t dxpl, H5FD_dsm_single_process_t how);

  /* The inverse: _OFF for a list where it was not set. */
  herr_t H5Pget_dxpl_dsm_single_process(hid_t dxpl, H5FD_dsm_single_process_t* how);
#endif

  /*
   * How the pieces of a transfer get to ParaView's hosts that do not follow one another in the
   * file. Where all ranks are on the hosts' nodes and map their memory, all but the last are the
   * same there: each piece is copied.
   */
  typedef enum H5FD_dsm_transfer_t
  {
    H5FD_DSM_TRANSFER_AUTO = 0,    /* chosen by the number, size and order of pieces */
    H5FD_DSM_TRANSFER_INDEPENDENT, /* each is an operation of its own */
    H5FD_DSM_TRANSFER_DATATYPE,    /* a rank's pieces for one host are one operation, or few */
    H5FD_DSM_TRANSFER_COLLECTIVE   /* ranks exchange pieces first, and few large ones go out; in
                                      transfers that are not collective it is the one before */
  } H5FD_dsm_transfer_t;

  /*
   * Sets that in a list made with H5Pcreate(H5P_DATASET_XFER). Not collective; the ranks of a
   * collective transfer must give the same. Where no list says it, DSM_TRANSFER (auto, independent,
   * datatype or collective) does, as rank 0 has it when the file is opened. Files that are on disk
   * take no notice.
   */
  herr_t H5Pset_dxpl_dsm_transfer(hid_t dxpl, H5FD_dsm_transfer_t transfer);

  /* The inverse; H5FD_DSM_TRANSFER_AUTO where none was set. */
  herr_t H5Pget_dxpl_dsm_transfer(hid_t dxpl, H5FD_dsm_transfer_t* transfer);

  /*
   * Makes the driver the default of this process's HDF5, or undoes that: all files that are opened
   * with H5P_DEFAULT, or with a list that is made from now on and names no driver, go through it.
   * (An HDF5 that hides H5P__facc_set_def_driver has it for H5P_DEFAULT only.) Not while another
   * thread is in HDF5 or asks for variables of the environment.
   */
  herr_t H5FD_dsm_set_default(void);
  herr_t H5FD_dsm_unset_default(void);

#ifdef __cplusplus
}
#endif

#endif
