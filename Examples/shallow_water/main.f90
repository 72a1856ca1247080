! SPDX-License-Identifier: BSD-3-Clause
!> Waves on shallow water. Writes a VTKHDF file per output step; can be steered.
program shallow_water
  use, intrinsic :: iso_fortran_env, only: error_unit, output_unit
  use hdf5, only: h5open_f, h5close_f
  use mpi_f08
  use output
  use rows
  use steering
  use water
  implicit none

  integer :: nx = 160, ny = 120, steps = 3000, every = 20, failed
  type(row_share) :: share

  call MPI_Init()
  call read_options()
  share = deal_rows(MPI_COMM_WORLD, nx, ny)
  if (share%ranks > ny) call refuse("more ranks than rows of cells: use fewer, or a larger --size")
  call h5open_f(failed)
  call basin%fill(share)
  call steer(every, steps)
  if (share%rank == 0) then
    call make_folder(folder)
    write (output_unit, "(3(a,i0),a)") "shallow_water: ", nx, " x ", ny, " cells on ", share%ranks, " ranks"
  end if
  call MPI_Barrier(MPI_COMM_WORLD)
  call write_with(write_now)

  do
    call look()
    if (due()) call write_now()
    if (basin%step >= steps .or. .not. go_on()) exit
    call basin%advance()
  end do

  call end_steering()
  call h5close_f(failed)
  call MPI_Finalize()

contains

  subroutine read_options()
    character(len=1024) :: option
    integer :: i

    i = 1
    do while (i <= command_argument_count())
      call get_command_argument(i, option)
      select case (option)
      case ("--size")
        nx = number(i + 1)
        ny = number(i + 2)
        i = i + 1
      case ("--steps")
        steps = number(i + 1)
      case ("--every")
        every = number(i + 1)
      case ("--output")
        call get_command_argument(i + 1, folder)
      case default
        call refuse("options are --size NX NY, --steps N, --every N, --output FOLDER; not "//trim(option))
      end select
      i = i + 2
    end do
    if (min(nx, ny, every) < 1 .or. steps < 0 .or. folder == "") then
      call refuse("--size and --every count from 1, --steps from 0, and --output needs a folder")
    end if
  end subroutine read_options

  integer function number(position)
    integer, intent(in) :: position
    character(len=32) :: text
    integer :: status

    call get_command_argument(position, text)
    read (text, *, iostat=status) number
    if (status /= 0) call refuse('"'//trim(text)//'" is no whole number')
  end function number

  !> All ranks come here together: they end in order, and one says why.
  subroutine refuse(words)
    character(len=*), intent(in) :: words
    integer :: rank

    call MPI_Comm_rank(MPI_COMM_WORLD, rank)
    if (rank == 0) write (error_unit, "(a)") "shallow_water: "//words
    call MPI_Finalize()
    stop 1, quiet=.true.
  end subroutine refuse

end program shallow_water
