! SPDX-License-Identifier: BSD-3-Clause
! The Fortran twin of steered_program.c: prints the same lines.
module twin
  use, intrinsic :: iso_fortran_env, only: output_unit
  implicit none
  integer :: called = 0, rank = 0, step = 0
contains
  subroutine written() bind(c)
    if (rank == 0) then
      write (output_unit, "(a,i0)") "written at step ", step
      flush (output_unit)
    end if
  end subroutine written

  subroutine again() bind(c)
    called = called + 1
  end subroutine again
end module twin

program steered_program
  use, intrinsic :: iso_fortran_env, only: output_unit
  use, intrinsic :: iso_c_binding, only: c_char, c_size_t, c_null_char
  use mpi_f08
  use dsm
  use twin
  implicit none
  interface
    integer(c_int) function usleep(microseconds) bind(c)
      import :: c_int
      integer(c_int), value :: microseconds
    end function usleep
  end interface

  type(dsm_session) :: session
  logical(c_bool), target :: flag = .false.
  integer(c_int64_t), target :: count = 3
  real(c_double), target :: feed = 0.03_c_double, where(3) = 0
  integer(c_int), target :: mode = 0
  character(len=15), target :: label = "first"
  character(len=255) :: now, last, first
  real(c_double) :: energy = 1
  integer :: steps, nap, status
  logical :: same

  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  steps = argument(1, 1000000)
  nap = argument(2, 1000)

  ! A session that was never opened takes everything and does nothing.
  call dsm_step(session, 0, 0.0_c_double)
  if (.not. dsm_running(session)) error stop "a session that was never opened says stop"

  call dsm_open(MPI_COMM_WORLD, session)
  call dsm_bool(session, "flag", flag)
  call dsm_int64(session, "count", count)
  call dsm_range(session, "count", 1.0_c_double, 100.0_c_double)
  call dsm_double(session, "feed", feed)
  call dsm_range(session, "feed", 0.0_c_double, 0.1_c_double)
  call dsm_unit(session, "feed", "1/s")
  call dsm_text(session, "feed", "how fast u is fed")
  call dsm_group(session, "feed", "Reaction")
  call dsm_enum(session, "mode", mode, "periodic|mirror|fixed")
  call dsm_string(session, "label", label)
  call dsm_vector(session, "where", where)
  call dsm_meaning(session, "where", "position")
  call dsm_command(session, "seed again", again)
  call dsm_observable(session, "energy")
  call dsm_last_step(session, steps - 1)
  call dsm_output_interval(session, 0)
  ! Whoever asks for a group offers to switch off all that is in it.
  same = dsm_enabled(session, "/fields")
  if (argument(3, 0) /= 0) call dsm_output_action(session, written)

  ! What is declared twice is refused, in words.
  call dsm_double(session, "feed", feed, status)
  if (status == dsm_ok .or. index(dsm_last_error(), '"feed" is declared already') == 0) then
    error stop "a name declared twice was not refused"
  end if

  last = ""
  step = 0
  do while (step < steps .and. dsm_running(session))
    call dsm_observe(session, "energy", energy)
    call dsm_step(session, step, 0.5_c_double*step)
    energy = energy + feed
    write (now, "(12(a))") "flag ", trim(number(merge(1, 0, logical(flag)))), " count ", trim(number(int(count))), &
      " feed ", trim(c_form("%.17g", feed)), " mode ", trim(number(int(mode))), " label ", trim(label), &
      " where "//trim(c_form("%g", where(1)))//" "//trim(c_form("%g", where(2)))//" "//trim(c_form("%g", where(3))), &
      " again "//trim(number(called))//" pressure "//trim(number(merge(1, 0, dsm_enabled(session, "/fields/pressure"))))
    if (dsm_output_due(session) .and. rank == 0) write (output_unit, "(a,i0)") "write at step ", step
    first = now
    call MPI_Bcast(first, len(first), MPI_CHARACTER, 0, MPI_COMM_WORLD)
    same = first == now
    call MPI_Allreduce(MPI_IN_PLACE, same, 1, MPI_LOGICAL, MPI_LAND, MPI_COMM_WORLD)
    if (rank == 0 .and. (now /= last .or. .not. same)) then
      write (output_unit, "(a,i0,a,i0)") "step ", step, " "//trim(now)//" same ", merge(1, 0, same)
      flush (output_unit)
      last = now
    end if
    if (nap > 0) status = usleep(int(nap, c_int))
    step = step + 1
  end do
  if (rank == 0) then
    write (output_unit, "(a)") "energy "//trim(c_form("%.17g", energy))
    write (output_unit, "(a,i0)") "ended at step ", step
  end if
  call dsm_close(session)
  call MPI_Finalize()

contains

  integer function argument(position, otherwise)
    integer, intent(in) :: position, otherwise
    character(len=32) :: text

    argument = otherwise
    call get_command_argument(position, text)
    if (text /= "") read (text, *) argument
  end function argument

  character(len=32) function number(value)
    integer, intent(in) :: value

    write (number, "(i0)") value
  end function number

  !> As printf writes it.
  character(len=32) function c_form(form, value)
    character(len=*), intent(in) :: form
    real(c_double), intent(in) :: value
    interface
      integer(c_int) function strfromd(text, size, form, value) bind(c)
        import :: c_char, c_int, c_size_t, c_double
        character(kind=c_char), intent(out) :: text(*)
        integer(c_size_t), value :: size
        character(kind=c_char), intent(in) :: form(*)
        real(c_double), value :: value
      end function strfromd
    end interface
    character(kind=c_char) :: text(32)
    integer :: length, i

    length = strfromd(text, 32_c_size_t, form//c_null_char, value)
    c_form = ""
    do i = 1, length
      c_form(i:i) = text(i)
    end do
  end function c_form

end program steered_program
