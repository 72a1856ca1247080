! SPDX-License-Identifier: BSD-3-Clause
!> What may be changed while the simulation runs. All that knows of ParaView DSM.
module steering
  use dsm
  use mpi_f08
  use water
  implicit none
  private
  public :: steer, write_with, look, go_on, due, wanted, end_steering, basin

  type(pool), target, save :: basin !< what is simulated: commands act on it
  type(dsm_session), save :: session

contains

  !> Collective.
  subroutine steer(every, steps)
    integer, intent(in) :: every, steps
    real(c_double) :: edge

    call dsm_open(basin%share%comm, session)
    call dsm_double(session, "gravity", basin%gravity)
    call dsm_range(session, "gravity", 0.1_c_double, 4.0_c_double)
    call dsm_double(session, "friction", basin%friction)
    call dsm_range(session, "friction", 0.0_c_double, 0.5_c_double)
    call dsm_unit(session, "friction", "1/time")
    call dsm_enum(session, "boundary", basin%boundary, "walls|ring|open sea")
    call dsm_text(session, "boundary", "what lies beyond the edge: a wall, the other side, or water that takes the waves")

    call dsm_bool(session, "rain", basin%rain)
    call dsm_text(session, "rain", "a drop somewhere every 60 steps")
    call dsm_group(session, "rain", "Drops")
    call dsm_vector(session, "drop position", basin%drop_position)
    edge = max(basin%share%nx, basin%share%ny)
    call dsm_range(session, "drop position", 0.0_c_double, edge)
    call dsm_meaning(session, "drop position", "position")
    call dsm_group(session, "drop position", "Drops")
    call dsm_double(session, "drop height", basin%drop_height)
    call dsm_range(session, "drop height", 0.0_c_double, 0.8_c_double)
    call dsm_group(session, "drop height", "Drops")
    call dsm_command(session, "drop", let_fall)
    call dsm_text(session, "drop", "a drop falls at the drop position")
    call dsm_group(session, "drop", "Drops")

    call dsm_array(session, "rise", basin%rise)
    call dsm_text(session, "rise", "how much the surface rises in each cell when this is sent")
    call dsm_group(session, "rise", "Drops")

    call dsm_observable(session, "energy")
    call dsm_last_step(session, steps)
    call dsm_output_interval(session, every)
  end subroutine steer

  !> How to write this step: for somebody who wants it while the simulation is paused.
  subroutine write_with(output)
    procedure(dsm_action) :: output

    call dsm_output_action(session, output)
  end subroutine write_with

  subroutine let_fall() bind(c)
    call basin%drop()
  end subroutine let_fall

  !> Collective, once per time step: takes what was changed, waits while paused.
  subroutine look()
    call dsm_observe(session, "energy", basin%energy())
    call dsm_step(session, basin%step, basin%now())
    if (dsm_changed(session, "rise")) call basin%lift()
  end subroutine look

  !> False once somebody wants the program to end.
  logical function go_on()
    go_on = dsm_running(session)
  end function go_on

  !> Whether this step is to be written.
  logical function due()
    due = dsm_output_due(session)
  end function due

  !> Whether a dataset is to be written.
  logical function wanted(path)
    character(len=*), intent(in) :: path

    wanted = dsm_enabled(session, path)
  end function wanted

  subroutine end_steering()
    call dsm_close(session)
  end subroutine end_steering

end module steering
