/* SPDX-License-Identifier: BSD-3-Clause */
/* Opens a session for the Fortran module, which passes a communicator as Fortran's number. */
#include "dsm.h"

int dsm_open_fortran(int comm, const char* contact, dsm_session** session)
{
  /* MPICH's ABI uses Fortran's numbers as handles, and Intel's library has no MPI_Comm_f2c. */
#ifdef MPICH_VERSION
  return dsm_open(comm, contact, session);
#else
  return dsm_open(MPI_Comm_f2c(comm), contact, session);
#endif
}
