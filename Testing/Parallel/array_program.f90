! SPDX-License-Identifier: BSD-3-Clause
! The Fortran twin of array_program.c. Its first direction is C's last one.
program array_program
  use, intrinsic :: iso_fortran_env, only: output_unit
  use mpi_f08
  use dsm
  implicit none
  interface
    integer(c_int) function usleep(microseconds) bind(c)
      import :: c_int
      integer(c_int), value :: microseconds
    end function usleep
  end interface

  type(dsm_session) :: session
  real(c_double), target :: gain = 1
  real(c_double), allocatable, target :: field(:, :)
  integer(c_size_t) :: sizes(2), starts(2), ends(2)
  integer :: rank, ranks, step, status, file, shared
  character(len=4096) :: folder, text

  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks)
  call get_command_argument(1, text)
  read (text, *) sizes(2)
  call get_command_argument(2, text)
  read (text, *) sizes(1)
  call get_command_argument(3, folder)
  call get_command_argument(4, text)
  shared = merge(1, 2, text == "block")
  starts = 0
  ends = sizes
  starts(shared) = sizes(shared)*rank/ranks
  ends(shared) = sizes(shared)*(rank + 1)/ranks
  allocate (field(ends(1) - starts(1), ends(2) - starts(2)))
  field = 0

  call dsm_open(MPI_COMM_WORLD, session)
  call dsm_double(session, "gain", gain)
  if (text == "block") then
    call dsm_array(session, "field", field, sizes, starts)
  else
    call dsm_array(session, "field", field)
  end if
  call dsm_unit(session, "field", "m")

  ! Every second column is not one after another in memory: refused, in words.
  call dsm_array(session, "gaps", field(::2, :), status=status)
  if (status == dsm_ok) error stop "an array with gaps was not refused"

  step = 0
  do while (step < 2000 .and. dsm_running(session))
    call dsm_step(session, step, real(step, c_double))
    if (dsm_changed(session, "field")) then
      write (text, "(a,'/',i0,'.',i0)") trim(folder), rank, step
      open (newunit=file, file=trim(text), access="stream", form="unformatted", status="replace")
      write (file) field
      close (file)
      if (rank == 0) then
        write (output_unit, "(a,i0,a,i0)") "changed at step ", step, ", gain ", nint(gain)
        flush (output_unit)
      end if
    end if
    status = usleep(10000_c_int)
    step = step + 1
  end do
  call dsm_close(session)
  call MPI_Finalize()
end program array_program
