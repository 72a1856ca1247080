! SPDX-License-Identifier: BSD-3-Clause
!> Shallow water: the height of the surface and the momentum below it, by the two-step Lax-Wendroff
!> scheme. Each cell's arithmetic is the same whichever rank owns it, so the waves do not depend on the
!> number of ranks.
module water
  use, intrinsic :: iso_c_binding, only: c_bool, c_double, c_int
  use, intrinsic :: iso_fortran_env, only: int64, real64
  use mpi_f08
  use rows
  implicit none
  private
  public :: pool, walls, ring, open_sea

  integer, parameter :: walls = 0, ring = 1, open_sea = 2
  real(real64), parameter :: time_step = 0.2_real64  ! cells are 1 wide
  real(real64), parameter :: lowest = 0.1_real64     ! where somebody lowers the surface
  real(real64), parameter :: smoothing = 0.01_real64 ! keeps crests from ringing

  type :: pool
    type(row_share) :: share
    real(real64), allocatable :: height(:, :), u(:, :), v(:, :) !< u, v: momentum along x and y
    integer :: step = 0
    integer(int64) :: drops = 0
    ! What may be changed between two steps, on all ranks alike.
    real(c_double) :: gravity = 1, friction = 0, drop_height = 0.4_c_double
    real(c_double) :: drop_position(3) = 0
    integer(c_int) :: boundary = walls
    logical(c_bool) :: rain = .true.
    real(c_double), allocatable :: rise(:, :) !< of this rank's rows, without those beside them
  contains
    procedure :: fill
    procedure :: drop
    procedure :: lift
    procedure :: advance
    procedure :: now
    procedure :: energy
    procedure, private :: fall
    procedure, private :: surround
  end type pool

contains

  !> Still water, and one drop that has just fallen.
  subroutine fill(self, share)
    class(pool), intent(inout) :: self
    type(row_share), intent(in) :: share

    self%share = share
    call new_field(share, 1.0_real64, self%height)
    call new_field(share, 0.0_real64, self%u)
    call new_field(share, 0.0_real64, self%v)
    allocate (self%rise(share%nx, share%count), source=0.0_c_double)
    self%drop_position = [0.3_c_double*share%nx, 0.4_c_double*share%ny, 0.0_c_double]
    call self%drop()
  end subroutine fill

  !> A drop falls at the drop position.
  subroutine drop(self)
    class(pool), intent(inout) :: self

    call self%fall(self%drop_position(1), self%drop_position(2))
  end subroutine drop

  !> The surface rises by what somebody has drawn, and falls where that is negative.
  subroutine lift(self)
    class(pool), intent(inout) :: self
    integer :: nx, count

    nx = self%share%nx
    count = self%share%count
    self%height(1:nx, 1:count) = max(self%height(1:nx, 1:count) + self%rise, lowest)
  end subroutine lift

  subroutine fall(self, x, y)
    class(pool), intent(inout) :: self
    real(real64), intent(in) :: x, y
    real(real64) :: width, distance
    integer :: i, j

    width = 0.03_real64*max(self%share%nx, self%share%ny)
    do j = 1, self%share%count
      do i = 1, self%share%nx
        distance = hypot(i - 1 - x, self%share%first + j - 1 - y)/width
        self%height(i, j) = self%height(i, j) + self%drop_height*exp(-distance*distance)
      end do
    end do
  end subroutine fall

  real(real64) function now(self)
    class(pool), intent(in) :: self

    now = self%step*time_step
  end function now

  !> Collective: one step in time.
  subroutine advance(self)
    class(pool), intent(inout) :: self
    real(real64), dimension(:, :), allocatable :: h, u, v
    real(real64) :: west(3), east(3), south(3), north(3), keep, flow
    integer :: i, j

    if (self%rain .and. modulo(self%step, 60) == 59) then
      call self%fall(chance(self%drops, 0)*self%share%nx, chance(self%drops, 1)*self%share%ny)
      self%drops = self%drops + 1
    end if
    call self%surround()
    h = self%height
    u = self%u
    v = self%v
    keep = 1 - time_step*self%friction
    do j = 1, self%share%count
      do i = 1, self%share%nx
        ! Half a step on the cell's four sides, as flows into it: height, and the two momenta.
        east = along(h, u, v, i, j)
        west = along(h, u, v, i - 1, j)
        north = across(h, u, v, i, j)
        south = across(h, u, v, i, j - 1)
        self%height(i, j) = h(i, j) - time_step*((east(1) - west(1)) + (north(1) - south(1))) + smooth(h, i, j)
        flow = u(i, j) - time_step*((east(2) - west(2)) + (north(2) - south(2)))
        self%u(i, j) = keep*flow + smooth(u, i, j)
        flow = v(i, j) - time_step*((east(3) - west(3)) + (north(3) - south(3)))
        self%v(i, j) = keep*flow + smooth(v, i, j)
      end do
    end do
    self%step = self%step + 1

  contains

    !> The flux through the side between cells (i, j) and (i+1, j).
    pure function along(h, u, v, i, j) result(flux)
      real(real64), intent(in), dimension(0:, 0:) :: h, u, v
      integer, intent(in) :: i, j
      real(real64) :: flux(3), hm, um, vm

      hm = 0.5_real64*((h(i, j) + h(i + 1, j)) - time_step*(u(i + 1, j) - u(i, j)))
      um = 0.5_real64*((u(i, j) + u(i + 1, j)) - time_step*(push(u, h, i + 1, j) - push(u, h, i, j)))
      vm = 0.5_real64*((v(i, j) + v(i + 1, j)) - time_step*(u(i + 1, j)*v(i + 1, j)/h(i + 1, j) - u(i, j)*v(i, j)/h(i, j)))
      flux = [um, um*um/hm + 0.5_real64*self%gravity*hm*hm, um*vm/hm]
    end function along

    !> The flux through the side between cells (i, j) and (i, j+1).
    pure function across(h, u, v, i, j) result(flux)
      real(real64), intent(in), dimension(0:, 0:) :: h, u, v
      integer, intent(in) :: i, j
      real(real64) :: flux(3), hm, um, vm

      hm = 0.5_real64*((h(i, j) + h(i, j + 1)) - time_step*(v(i, j + 1) - v(i, j)))
      um = 0.5_real64*((u(i, j) + u(i, j + 1)) - time_step*(u(i, j + 1)*v(i, j + 1)/h(i, j + 1) - u(i, j)*v(i, j)/h(i, j)))
      vm = 0.5_real64*((v(i, j) + v(i, j + 1)) - time_step*(push(v, h, i, j + 1) - push(v, h, i, j)))
      flux = [vm, um*vm/hm, vm*vm/hm + 0.5_real64*self%gravity*hm*hm]
    end function across

    pure real(real64) function push(momentum, h, i, j)
      real(real64), intent(in), dimension(0:, 0:) :: momentum, h
      integer, intent(in) :: i, j

      push = momentum(i, j)*momentum(i, j)/h(i, j) + 0.5_real64*self%gravity*h(i, j)*h(i, j)
    end function push

    pure real(real64) function smooth(field, i, j)
      real(real64), intent(in) :: field(0:, 0:)
      integer, intent(in) :: i, j

      smooth = smoothing*(((field(i - 1, j) + field(i + 1, j)) + (field(i, j - 1) + field(i, j + 1))) - 4*field(i, j))
    end function smooth

  end subroutine advance

  !> The cells around this rank's: its neighbours', or what lies beyond the edge.
  subroutine surround(self)
    class(pool), intent(inout) :: self

    call around(self%height, .false., .false.)
    call around(self%u, .true., .false.)
    call around(self%v, .false., .true.)

  contains

    !> Momentum through a wall turns its sign.
    subroutine around(field, turns_x, turns_y)
      real(real64), intent(inout) :: field(0:, 0:)
      logical, intent(in) :: turns_x, turns_y
      integer :: nx, last

      nx = self%share%nx
      last = self%share%count
      call exchange(self%share, field)
      if (self%boundary == ring) then
        field(0, :) = field(nx, :)
        field(nx + 1, :) = field(1, :)
        return
      end if
      if (self%share%rank == 0) field(:, 0) = mirrored(field(:, 1), turns_y)
      if (self%share%rank == self%share%ranks - 1) field(:, last + 1) = mirrored(field(:, last), turns_y)
      field(0, :) = mirrored(field(1, :), turns_x)
      field(nx + 1, :) = mirrored(field(nx, :), turns_x)
    end subroutine around

    pure function mirrored(line, turns) result(image)
      real(real64), intent(in) :: line(:)
      logical, intent(in) :: turns
      real(real64) :: image(size(line))

      image = merge(-1, 1, turns .and. self%boundary == walls)*line
    end function mirrored

  end subroutine surround

  !> Collective. What the water holds above that of still water.
  real(real64) function energy(self)
    class(pool), intent(in) :: self
    real(real64) :: own
    integer :: nx, last

    nx = self%share%nx
    last = self%share%count
    associate (h => self%height(1:nx, 1:last), u => self%u(1:nx, 1:last), v => self%v(1:nx, 1:last))
      own = 0.5_real64*sum((u*u + v*v)/h + self%gravity*(h - 1)**2)
    end associate
    call MPI_Allreduce(own, energy, 1, MPI_DOUBLE_PRECISION, MPI_SUM, self%share%comm)
  end function energy

  !> A number in [0, 1) that depends on its arguments alone: the same on every rank.
  pure real(real64) function chance(number, which)
    integer(int64), intent(in) :: number
    integer, intent(in) :: which
    integer(int64) :: mixed

    mixed = modulo((2*number + which + 1)*40014_int64, 2147483563_int64)
    mixed = modulo(mixed*mixed + 40692_int64, 2147483399_int64)
    mixed = modulo(mixed*40014_int64, 2147483563_int64)
    chance = real(mixed, real64)/2147483563.0_real64
  end function chance

end module water
