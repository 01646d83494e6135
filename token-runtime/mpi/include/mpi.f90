! The module mpi of mpiete. Buffers of any type and rank are taken without checks; everything else
! is checked by the compiler.
module mpi
  implicit none
  include 'mpif.h'

  private :: sizeof_character, sizeof_logical, sizeof_integer1, sizeof_integer2, sizeof_integer4
  private :: sizeof_integer8, sizeof_real4, sizeof_real8, sizeof_complex4, sizeof_complex8

  interface
    subroutine mpi_init(ierror)
      integer, intent(inout) :: ierror
    end subroutine mpi_init
    subroutine pmpi_init(ierror)
      integer, intent(inout) :: ierror
    end subroutine pmpi_init
    subroutine mpi_init_thread(required, provided, ierror)
      integer, intent(in) :: required
      integer, intent(inout) :: provided, ierror
    end subroutine mpi_init_thread
    subroutine pmpi_init_thread(required, provided, ierror)
      integer, intent(in) :: required
      integer, intent(inout) :: provided, ierror
    end subroutine pmpi_init_thread
    subroutine mpi_pcontrol(level)
      integer, intent(in) :: level
    end subroutine mpi_pcontrol
@functions@
    subroutine mpi_f_sync_reg(buf)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      type(*), dimension(*) :: buf
    end subroutine mpi_f_sync_reg
  end interface

  interface MPI_Sizeof
    module procedure sizeof_character
    module procedure sizeof_logical
    module procedure sizeof_integer1
    module procedure sizeof_integer2
    module procedure sizeof_integer4
    module procedure sizeof_integer8
    module procedure sizeof_real4
    module procedure sizeof_real8
    module procedure sizeof_complex4
    module procedure sizeof_complex8
  end interface MPI_Sizeof

contains

  subroutine sizeof_character(x, size, ierror)
    character(len=*), dimension(..), intent(in) :: x
    integer, intent(out) :: size
    integer, intent(out) :: ierror
    ! Not storage_size(x): gfortran before version 11 breaks off at arrays of any rank.
    size = len(x)
    ierror = MPI_SUCCESS
  end subroutine sizeof_character
  subroutine sizeof_logical(x, size, ierror)
    logical, dimension(..), intent(in) :: x
    integer, intent(out) :: size
    integer, intent(out) :: ierror
    size = storage_size(.false.) / 8
    ierror = MPI_SUCCESS
  end subroutine sizeof_logical
  subroutine sizeof_integer1(x, size, ierror)
    integer(1), dimension(..), intent(in) :: x
    integer, intent(out) :: size
    integer, intent(out) :: ierror
    size = storage_size(0_1) / 8
    ierror = MPI_SUCCESS
  end subroutine sizeof_integer1
  subroutine sizeof_integer2(x, size, ierror)
    integer(2), dimension(..), intent(in) :: x
    integer, intent(out) :: size
    integer, intent(out) :: ierror
    size = storage_size(0_2) / 8
    ierror = MPI_SUCCESS
  end subroutine sizeof_integer2
  subroutine sizeof_integer4(x, size, ierror)
    integer(4), dimension(..), intent(in) :: x
    integer, intent(out) :: size
    integer, intent(out) :: ierror
    size = storage_size(0_4) / 8
    ierror = MPI_SUCCESS
  end subroutine sizeof_integer4
  subroutine sizeof_integer8(x, size, ierror)
    integer(8), dimension(..), intent(in) :: x
    integer, intent(out) :: size
    integer, intent(out) :: ierror
    size = storage_size(0_8) / 8
    ierror = MPI_SUCCESS
  end subroutine sizeof_integer8
  subroutine sizeof_real4(x, size, ierror)
    real(4), dimension(..), intent(in) :: x
    integer, intent(out) :: size
    integer, intent(out) :: ierror
    size = storage_size(0.0_4) / 8
    ierror = MPI_SUCCESS
  end subroutine sizeof_real4
  subroutine sizeof_real8(x, size, ierror)
    real(8), dimension(..), intent(in) :: x
    integer, intent(out) :: size
    integer, intent(out) :: ierror
    size = storage_size(0.0_8) / 8
    ierror = MPI_SUCCESS
  end subroutine sizeof_real8
  subroutine sizeof_complex4(x, size, ierror)
    complex(4), dimension(..), intent(in) :: x
    integer, intent(out) :: size
    integer, intent(out) :: ierror
    size = storage_size((0.0_4, 0.0_4)) / 8
    ierror = MPI_SUCCESS
  end subroutine sizeof_complex4
  subroutine sizeof_complex8(x, size, ierror)
    complex(8), dimension(..), intent(in) :: x
    integer, intent(out) :: size
    integer, intent(out) :: ierror
    size = storage_size((0.0_8, 0.0_8)) / 8
    ierror = MPI_SUCCESS
  end subroutine sizeof_complex8
end module mpi
