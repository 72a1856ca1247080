! SPDX-License-Identifier: BSD-3-Clause
!> Which rows of the grid this rank owns, and the exchange of the rows beside them.
!>
!> The grid has nx by ny cells; ranks own whole rows, dealt out as evenly as they go. A field is stored
!> with a layer of cells around it, (0:nx+1, 0:rows+1), whose first and last rows are the neighbours'.
module rows
  use mpi_f08
  use, intrinsic :: iso_fortran_env, only: real64
  implicit none
  private
  public :: row_share, deal_rows, new_field, exchange

  type :: row_share
    type(MPI_Comm) :: comm
    integer :: rank, ranks
    integer :: nx, ny   !< cells of the whole grid
    integer :: first    !< the first row this rank owns, from 0
    integer :: count    !< how many it owns
    integer :: below, above
  end type row_share

contains

  function deal_rows(comm, nx, ny) result(share)
    type(MPI_Comm), intent(in) :: comm
    integer, intent(in) :: nx, ny
    type(row_share) :: share

    share%comm = comm
    call MPI_Comm_rank(comm, share%rank)
    call MPI_Comm_size(comm, share%ranks)
    share%nx = nx
    share%ny = ny
    share%first = share%rank*(ny/share%ranks) + min(share%rank, mod(ny, share%ranks))
    share%count = ny/share%ranks + merge(1, 0, share%rank < mod(ny, share%ranks))
    share%below = modulo(share%rank - 1, share%ranks)
    share%above = modulo(share%rank + 1, share%ranks)
  end function deal_rows

  !> A subroutine, since the bounds of a function's result would begin with 1.
  subroutine new_field(share, value, field)
    type(row_share), intent(in) :: share
    real(real64), intent(in) :: value
    real(real64), allocatable, intent(out) :: field(:, :)

    allocate (field(0:share%nx + 1, 0:share%count + 1), source=value)
  end subroutine new_field

  !> Collective: fills the first and last stored row with the neighbours' rows. The grid is a ring
  !> here: what lies beyond its edges is up to the caller.
  subroutine exchange(share, field)
    type(row_share), intent(in) :: share
    real(real64), intent(inout) :: field(0:, 0:)
    integer :: width

    width = size(field, 1)
    call MPI_Sendrecv(field(:, share%count), width, MPI_DOUBLE_PRECISION, share%above, 1, &
                      field(:, 0), width, MPI_DOUBLE_PRECISION, share%below, 1, share%comm, MPI_STATUS_IGNORE)
    call MPI_Sendrecv(field(:, 1), width, MPI_DOUBLE_PRECISION, share%below, 2, &
                      field(:, share%count + 1), width, MPI_DOUBLE_PRECISION, share%above, 2, share%comm, &
                      MPI_STATUS_IGNORE)
  end subroutine exchange

end module rows
