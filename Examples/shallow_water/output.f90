! SPDX-License-Identifier: BSD-3-Clause
!> Writes a time step into a VTKHDF file of its own, by parallel HDF5: ParaView opens it as an image.
module output
  use, intrinsic :: iso_c_binding, only: c_char, c_int, c_null_char
  use, intrinsic :: iso_fortran_env, only: error_unit, output_unit, real64
  use hdf5
  use mpi_f08
  use rows
  use steering, only: basin, wanted
  use water
  implicit none
  private
  public :: make_folder, write_now

  character(len=1024), save, public :: folder = "output"

contains

  !> Collective. Writes the basin as it is.
  subroutine write_now() bind(c)
    call write_step(basin, folder)
    if (basin%share%rank == 0) write (output_unit, "(a,i0,a,f0.1)") "wrote step ", basin%step, "  time ", basin%now()
    flush (output_unit)
  end subroutine write_now

  !> Rank 0 makes the folder; one that is there already is as good. Its parent must be there.
  subroutine make_folder(folder)
    character(len=*), intent(in) :: folder
    interface
      integer(c_int) function mkdir(path, mode) bind(c)
        import :: c_char, c_int
        character(kind=c_char), intent(in) :: path(*)
        integer(c_int), value :: mode
      end function mkdir
    end interface

    if (mkdir(trim(folder)//c_null_char, int(o'777', c_int)) /= 0) continue
  end subroutine make_folder

  !> Collective.
  subroutine write_step(basin, folder)
    type(pool), intent(in) :: basin
    character(len=*), intent(in) :: folder
    character(len=16) :: number
    integer(hid_t) :: access, file, root, points, fields
    integer :: failed

    write (number, "(i5.5)") basin%step
    call h5pcreate_f(H5P_FILE_ACCESS_F, access, failed)
    call h5pset_fapl_mpio_f(access, basin%share%comm%MPI_VAL, MPI_INFO_NULL%MPI_VAL, failed)
    call h5fcreate_f(trim(folder)//"/shallow_water."//trim(number)//".vtkhdf", H5F_ACC_TRUNC_F, file, failed, &
                     access_prp=access)
    call check(failed, "create a file in "//trim(folder))
    call h5pclose_f(access, failed)

    call h5gcreate_f(file, "VTKHDF", root, failed)
    call write_header(root, basin)
    call h5gcreate_f(root, "PointData", points, failed)
    call write_field(points, "height", basin%share, basin%height)
    if (wanted("/VTKHDF/PointData/u")) call write_field(points, "u", basin%share, basin%u)
    if (wanted("/VTKHDF/PointData/v")) call write_field(points, "v", basin%share, basin%v)
    call h5gclose_f(points, failed)
    call h5gcreate_f(root, "FieldData", fields, failed)
    call write_time(fields, basin)
    call h5gclose_f(fields, failed)
    call h5gclose_f(root, failed)
    call h5fclose_f(file, failed)
    call check(failed, "close the file of step "//trim(number))
  end subroutine write_step

  !> What tells VTK how the points lie in space.
  subroutine write_header(root, basin)
    integer(hid_t), intent(in) :: root
    type(pool), intent(in) :: basin
    integer(hid_t) :: text, space, attribute
    integer :: failed

    call integers("Version", [2, 0])
    call integers("WholeExtent", [0, basin%share%nx - 1, 0, basin%share%ny - 1, 0, 0])
    call reals("Origin", [0.0_real64, 0.0_real64, 0.0_real64])
    call reals("Spacing", [1.0_real64, 1.0_real64, 1.0_real64])
    call reals("Direction", real([1, 0, 0, 0, 1, 0, 0, 0, 1], real64))
    call h5tcopy_f(H5T_FORTRAN_S1, text, failed)
    call h5tset_size_f(text, 9_size_t, failed)
    call h5screate_f(H5S_SCALAR_F, space, failed)
    call h5acreate_f(root, "Type", text, space, attribute, failed)
    call h5awrite_f(attribute, text, "ImageData", [1_hsize_t], failed)
    call check(failed, "write the attribute Type")
    call h5aclose_f(attribute, failed)
    ! For ParaView DSM's list of snapshots.
    call h5acreate_f(root, "time", H5T_NATIVE_DOUBLE, space, attribute, failed)
    call h5awrite_f(attribute, H5T_NATIVE_DOUBLE, basin%now(), [1_hsize_t], failed)
    call check(failed, "write the attribute time")
    call h5aclose_f(attribute, failed)
    call h5sclose_f(space, failed)
    call h5tclose_f(text, failed)

  contains

    subroutine integers(name, values)
      character(len=*), intent(in) :: name
      integer, intent(in) :: values(:)

      call create(name, H5T_NATIVE_INTEGER, size(values))
      call h5awrite_f(attribute, H5T_NATIVE_INTEGER, values, shape(values, hsize_t), failed)
      call check(failed, "write the attribute "//name)
      call h5aclose_f(attribute, failed)
    end subroutine integers

    subroutine reals(name, values)
      character(len=*), intent(in) :: name
      real(real64), intent(in) :: values(:)

      call create(name, H5T_NATIVE_DOUBLE, size(values))
      call h5awrite_f(attribute, H5T_NATIVE_DOUBLE, values, shape(values, hsize_t), failed)
      call check(failed, "write the attribute "//name)
      call h5aclose_f(attribute, failed)
    end subroutine reals

    subroutine create(name, type, count)
      character(len=*), intent(in) :: name
      integer(hid_t), intent(in) :: type
      integer, intent(in) :: count

      call h5screate_simple_f(1, [int(count, hsize_t)], space, failed)
      call h5acreate_f(root, name, type, space, attribute, failed)
      call h5sclose_f(space, failed)
    end subroutine create

  end subroutine write_header

  !> Each rank writes its rows; what surrounds them stays behind.
  subroutine write_field(group, name, share, field)
    integer(hid_t), intent(in) :: group
    character(len=*), intent(in) :: name
    type(row_share), intent(in) :: share
    real(real64), intent(in) :: field(0:, 0:)
    integer(hid_t) :: file_space, memory_space, dataset, transfer
    integer(hsize_t) :: start(2), count(2)
    integer :: failed

    start = int([0, share%first], hsize_t)
    count = int([share%nx, share%count], hsize_t)
    ! An image of one layer has two dimensions for VTK.
    call h5screate_simple_f(2, int([share%nx, share%ny], hsize_t), file_space, failed)
    call h5dcreate_f(group, name, H5T_NATIVE_DOUBLE, file_space, dataset, failed)
    call h5sselect_hyperslab_f(file_space, H5S_SELECT_SET_F, start, count, failed)
    call h5screate_simple_f(2, int([share%nx + 2, share%count + 2], hsize_t), memory_space, failed)
    call h5sselect_hyperslab_f(memory_space, H5S_SELECT_SET_F, int([1, 1], hsize_t), count, failed)
    call h5pcreate_f(H5P_DATASET_XFER_F, transfer, failed)
    call h5pset_dxpl_mpio_f(transfer, H5FD_MPIO_COLLECTIVE_F, failed)
    call h5dwrite_f(dataset, H5T_NATIVE_DOUBLE, field, int(shape(field), hsize_t), failed, memory_space, file_space, &
                    transfer)
    call check(failed, "write "//name)
    call h5pclose_f(transfer, failed)
    call h5sclose_f(memory_space, failed)
    call h5dclose_f(dataset, failed)
    call h5sclose_f(file_space, failed)
  end subroutine write_field

  !> All ranks have it: one writes it.
  subroutine write_time(fields, basin)
    integer(hid_t), intent(in) :: fields
    type(pool), intent(in) :: basin
    integer(hid_t) :: space, dataset
    integer :: failed

    call h5screate_simple_f(1, [1_hsize_t], space, failed)
    call h5dcreate_f(fields, "TimeValue", H5T_NATIVE_DOUBLE, space, dataset, failed)
    if (basin%share%rank == 0) then
      call h5dwrite_f(dataset, H5T_NATIVE_DOUBLE, [basin%now()], [1_hsize_t], failed)
      call check(failed, "write the time")
    end if
    call h5dclose_f(dataset, failed)
    call h5sclose_f(space, failed)
  end subroutine write_time

  subroutine check(failed, what)
    integer, intent(in) :: failed
    character(len=*), intent(in) :: what

    if (failed >= 0) return
    write (error_unit, "(a)") "shallow_water: could not "//what//" (HDF5 says why above)"
    call MPI_Abort(MPI_COMM_WORLD, 1)
  end subroutine check

end module output
