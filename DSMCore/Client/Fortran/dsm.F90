! SPDX-License-Identifier: BSD-3-Clause
!> Steering for simulations in Fortran: what ParaView may change while they run, and what they report.
!>
!>   use dsm
!>   type(dsm_session) :: session
!>   real(c_double), target :: feed = 0.04_c_double      ! target: dsm_step changes it
!>   call dsm_open(MPI_COMM_WORLD, session)              ! the contact file is in DSM_CONTACT
!>   call dsm_double(session, "feed", feed)
!>   do while (dsm_running(session))                     ! until somebody presses Stop
!>     call dsm_step(session, step, time)                ! the only place where feed changes
!>     ...
!>   end do
!>   call dsm_close(session)
!>
!> Communicators of `use mpi` and `use mpi_f08` both serve. Without a server, and with a session that
!> was never opened, parameters keep their values and nothing else happens.
!>
!> Call these on every rank of the communicator in the same order. `status` is optional everywhere: a
!> failure is then reported there (dsm_last_error() has it in words) and otherwise ends the program,
!> with the words. What each does, at more length: dsm.h, which this module only passes calls to.
module dsm
  use, intrinsic :: iso_c_binding
  use, intrinsic :: iso_fortran_env, only: error_unit, int32, int64
#ifdef DSM_HAVE_MPI_F08
  use mpi_f08, only: MPI_Comm
#endif
  implicit none
  private

  public :: dsm_session, dsm_action
  public :: dsm_ok, dsm_error_usage, dsm_error_no_server, dsm_error_refused, dsm_error_timed_out
  public :: dsm_error_peer_lost, dsm_error_unsupported, dsm_error_system
  public :: dsm_open, dsm_open_serial, dsm_close, dsm_last_error
  public :: dsm_bool, dsm_int64, dsm_double, dsm_vector, dsm_enum, dsm_string, dsm_array, dsm_changed
  public :: dsm_minimum, dsm_maximum, dsm_range, dsm_unit, dsm_text, dsm_group, dsm_meaning
  public :: dsm_command, dsm_commanded, dsm_observable, dsm_observe
  public :: dsm_step, dsm_running, dsm_connected, dsm_last_step
  public :: dsm_output_interval, dsm_output_due, dsm_output_action, dsm_enabled
  ! The kinds of variables that can be steered.
  public :: c_bool, c_int32_t, c_int64_t, c_float, c_double, c_int, c_size_t

  type :: dsm_session
    private
    type(c_ptr) :: handle = c_null_ptr
  end type dsm_session

  !> What `status` can say: dsm.h explains them.
  integer, parameter :: dsm_ok = 0, dsm_error_usage = 1, dsm_error_no_server = 2, dsm_error_refused = 3, &
    dsm_error_timed_out = 4, dsm_error_peer_lost = 5, dsm_error_unsupported = 6, dsm_error_system = 7

  abstract interface
    !> Called in dsm_step on every rank when its command came. What it works on it finds in modules.
    subroutine dsm_action() bind(c)
    end subroutine dsm_action
  end interface

  !> dsm_open(comm, session [, contact] [, status]): collective.
  interface dsm_open
    module procedure open_mpi
#ifdef DSM_HAVE_MPI_F08
    module procedure open_mpi_f08
#endif
  end interface dsm_open

  !> dsm_array(session, name, values [, sizes, starts] [, status]): an array of which each rank has a part, `values`, of
  !> real(c_float), real(c_double), integer(c_int32_t) or integer(c_int64_t) elements, one after another in memory.
  !> Without `sizes` the ranks' parts follow one another in the last direction. Else `sizes` are those of the whole
  !> array, and `starts` say how many elements lie before this rank's part in each direction.
  interface dsm_array
    module procedure array_int32
    module procedure array_int64
    module procedure array_float
    module procedure array_double
  end interface dsm_array

  !> dsm_step(session, step, time [, status]): collective.
  interface dsm_step
    module procedure step_int32
    module procedure step_int64
  end interface dsm_step

  !> dsm_last_step(session, step [, status])
  interface dsm_last_step
    module procedure last_step_int32
    module procedure last_step_int64
  end interface dsm_last_step

  !> dsm_output_interval(session, interval [, status])
  interface dsm_output_interval
    module procedure interval_int32
    module procedure interval_int64
  end interface dsm_output_interval

#include "c_functions.inc"

contains

#include "parameters.inc"
#include "arrays.inc"

  subroutine open_mpi(comm, session, contact, status)
    integer, intent(in) :: comm
    type(dsm_session), intent(out) :: session
    character(len=*), intent(in), optional :: contact
    integer, intent(out), optional :: status
    character(len=:), allocatable :: path

    path = ""
    if (present(contact)) path = contact
    call conclude(c_open(int(comm, c_int), c_text(path), session%handle), status)
  end subroutine open_mpi

#ifdef DSM_HAVE_MPI_F08
  subroutine open_mpi_f08(comm, session, contact, status)
    type(MPI_Comm), intent(in) :: comm
    type(dsm_session), intent(out) :: session
    character(len=*), intent(in), optional :: contact
    integer, intent(out), optional :: status

    call open_mpi(comm%MPI_VAL, session, contact, status)
  end subroutine open_mpi_f08
#endif

  !> For one process, with or without MPI.
  subroutine dsm_open_serial(session, contact, status)
    type(dsm_session), intent(out) :: session
    character(len=*), intent(in), optional :: contact
    integer, intent(out), optional :: status
    character(len=:), allocatable :: path

    path = ""
    if (present(contact)) path = contact
    call conclude(c_open_serial(c_text(path), session%handle), status)
  end subroutine dsm_open_serial

  !> Before MPI_Finalize.
  subroutine dsm_close(session, status)
    type(dsm_session), intent(inout) :: session
    integer, intent(out), optional :: status

    call conclude(c_close(session%handle), status)
  end subroutine dsm_close

  function dsm_last_error() result(text)
    character(len=:), allocatable :: text
    character(kind=c_char), pointer :: bytes(:)
    type(c_ptr) :: words
    integer :: i

    words = c_last_error()
    call c_f_pointer(words, bytes, [c_strlen(words)])
    allocate (character(len=size(bytes)) :: text)
    do i = 1, size(bytes)
      text(i:i) = bytes(i)
    end do
  end function dsm_last_error

  subroutine dsm_command(session, name, action, status)
    type(dsm_session), intent(in) :: session
    character(len=*), intent(in) :: name
    procedure(dsm_action), optional :: action
    integer, intent(out), optional :: status

    if (present(action)) then
      ! The C side passes its action a pointer: here to the procedure that is to be called.
      call conclude(c_command(session%handle, c_text(name), c_funloc(call_action), kept(c_funloc(action))), status)
    else
      call conclude(c_command(session%handle, c_text(name), c_null_funptr, c_null_ptr), status)
    end if
  end subroutine dsm_command

  !> An action where the C side's data pointer can find it, for as long as the program runs.
  function kept(action) result(place)
    type(c_funptr), intent(in) :: action
    type(c_ptr) :: place
    type(c_funptr), pointer :: copy

    allocate (copy)
    copy = action
    place = c_loc(copy)
  end function kept

  subroutine call_action(data) bind(c, name="")
    type(c_ptr), value :: data
    type(c_funptr), pointer :: kept_action
    procedure(dsm_action), pointer :: action

    call c_f_pointer(data, kept_action)
    call c_f_procpointer(kept_action, action)
    call action()
  end subroutine call_action

  !> How often a command came in the last dsm_step.
  function dsm_commanded(session, name) result(count)
    type(dsm_session), intent(in) :: session
    character(len=*), intent(in) :: name
    integer(c_int64_t) :: count

    count = c_commanded(session%handle, c_text(name))
  end function dsm_commanded

  subroutine dsm_observable(session, name, status)
    type(dsm_session), intent(in) :: session
    character(len=*), intent(in) :: name
    integer, intent(out), optional :: status

    call conclude(c_observable(session%handle, c_text(name)), status)
  end subroutine dsm_observable

  subroutine dsm_observe(session, name, value, status)
    type(dsm_session), intent(in) :: session
    character(len=*), intent(in) :: name
    real(c_double), intent(in) :: value
    integer, intent(out), optional :: status

    call conclude(c_observe(session%handle, c_text(name), value), status)
  end subroutine dsm_observe

  subroutine step_int32(session, step, time, status)
    type(dsm_session), intent(in) :: session
    integer(int32), intent(in) :: step
    real(c_double), intent(in) :: time
    integer, intent(out), optional :: status

    call conclude(c_step(session%handle, int(step, c_int64_t), time), status)
  end subroutine step_int32

  subroutine step_int64(session, step, time, status)
    type(dsm_session), intent(in) :: session
    integer(int64), intent(in) :: step
    real(c_double), intent(in) :: time
    integer, intent(out), optional :: status

    call conclude(c_step(session%handle, int(step, c_int64_t), time), status)
  end subroutine step_int64

  !> False once somebody commanded "stop".
  function dsm_running(session) result(running)
    type(dsm_session), intent(in) :: session
    logical :: running

    running = c_running(session%handle)
  end function dsm_running

  !> Whether a server is connected; known on rank 0 only.
  function dsm_connected(session) result(connected)
    type(dsm_session), intent(in) :: session
    logical :: connected

    connected = c_connected(session%handle)
  end function dsm_connected

  subroutine last_step_int32(session, step, status)
    type(dsm_session), intent(in) :: session
    integer(int32), intent(in) :: step
    integer, intent(out), optional :: status

    call conclude(c_last_step(session%handle, int(step, c_int64_t)), status)
  end subroutine last_step_int32

  subroutine last_step_int64(session, step, status)
    type(dsm_session), intent(in) :: session
    integer(int64), intent(in) :: step
    integer, intent(out), optional :: status

    call conclude(c_last_step(session%handle, int(step, c_int64_t)), status)
  end subroutine last_step_int64

  subroutine interval_int32(session, interval, status)
    type(dsm_session), intent(in) :: session
    integer(int32), intent(in) :: interval
    integer, intent(out), optional :: status

    call conclude(c_output_interval(session%handle, int(interval, c_int64_t)), status)
  end subroutine interval_int32

  subroutine interval_int64(session, interval, status)
    type(dsm_session), intent(in) :: session
    integer(int64), intent(in) :: interval
    integer, intent(out), optional :: status

    call conclude(c_output_interval(session%handle, int(interval, c_int64_t)), status)
  end subroutine interval_int64

  !> Whether the step of the last dsm_step is to be written.
  function dsm_output_due(session) result(due)
    type(dsm_session), intent(in) :: session
    logical :: due

    due = c_output_due(session%handle)
  end function dsm_output_due

  !> How this program writes a snapshot: called in dsm_step when somebody wants one while it is paused.
  subroutine dsm_output_action(session, write, status)
    type(dsm_session), intent(in) :: session
    procedure(dsm_action) :: write
    integer, intent(out), optional :: status

    call conclude(c_output_action(session%handle, c_funloc(call_action), kept(c_funloc(write))), status)
  end subroutine dsm_output_action

  !> Whether a dataset or group is to be written; from the first call on it can be switched off.
  function dsm_enabled(session, path) result(enabled)
    type(dsm_session), intent(in) :: session
    character(len=*), intent(in) :: path
    logical :: enabled

    enabled = c_enabled(session%handle, c_text(path))
  end function dsm_enabled

  !> A text as C wants it.
  pure function c_text(text) result(ended)
    character(len=*), intent(in) :: text
    character(kind=c_char, len=:), allocatable :: ended

    ended = trim(text)//c_null_char
  end function c_text

  subroutine conclude(found, status)
    integer(c_int), intent(in) :: found
    integer, intent(out), optional :: status

    if (present(status)) then
      status = int(found)
    else if (found /= dsm_ok) then
      write (error_unit, "(a)") dsm_last_error()
      flush (error_unit)
      error stop 1
    end if
  end subroutine conclude

end module dsm
