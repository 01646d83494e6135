! The module mpi_f08 of mpiete: handles are of derived types, buffers may be sections of arrays, error
! codes may be left out.
module mpi_f08
  use, intrinsic :: iso_c_binding, only: c_ptr, c_int
  implicit none
  private :: c_ptr, c_int
  private :: sizeof_character, sizeof_logical, sizeof_integer1, sizeof_integer2, sizeof_integer4
  private :: sizeof_integer8, sizeof_real4, sizeof_real8, sizeof_complex4, sizeof_complex8

@types@
  type, bind(C) :: MPI_Status
    integer :: count_lo
    integer :: count_hi_and_cancelled
    integer :: MPI_SOURCE
    integer :: MPI_TAG
    integer :: MPI_ERROR
  end type MPI_Status

@constants@

  ! Statuses as mpif.h has them
  integer, parameter :: MPI_STATUS_SIZE = 5
  integer, parameter :: MPI_SOURCE = 3
  integer, parameter :: MPI_TAG = 4
  integer, parameter :: MPI_ERROR = 5

  ! Kinds of integers
  integer, parameter :: MPI_ADDRESS_KIND = 8
  integer, parameter :: MPI_OFFSET_KIND = 8
  integer, parameter :: MPI_COUNT_KIND = 8
  integer, parameter :: MPI_INTEGER_KIND = 4

  ! What this module does
  logical, parameter :: MPI_SUBARRAYS_SUPPORTED = .true.
  logical, parameter :: MPI_ASYNC_PROTECTS_NONBLOCKING = .false.

  ! Addresses with a meaning: the library knows the variables by these names
  integer(c_int), bind(C, name="MPIR_F08_MPI_BOTTOM"), target :: MPI_BOTTOM
  integer(c_int), bind(C, name="MPIR_F08_MPI_IN_PLACE"), target :: MPI_IN_PLACE
  type(MPI_Status), bind(C, name="MPIR_F08_MPI_STATUS_IGNORE_OBJ"), target :: MPI_STATUS_IGNORE
  type(MPI_Status), bind(C, name="MPIR_F08_MPI_STATUSES_IGNORE_OBJ"), target :: MPI_STATUSES_IGNORE(1)
  integer(c_int), bind(C, name="__mpi_f08_link_constants_MOD_mpi_unweighted"), target :: MPI_UNWEIGHTED(1)
  integer(c_int), bind(C, name="__mpi_f08_link_constants_MOD_mpi_weights_empty"), target :: &
    MPI_WEIGHTS_EMPTY(1)
  integer(c_int), bind(C, name="__mpi_f08_link_constants_MOD_mpi_errcodes_ignore"), target :: &
    MPI_ERRCODES_IGNORE(1)
  character(len=1), bind(C, name="__mpi_f08_link_constants_MOD_mpi_argv_null"), target :: MPI_ARGV_NULL(1)
  character(len=1), bind(C, name="__mpi_f08_link_constants_MOD_mpi_argvs_null"), target :: &
    MPI_ARGVS_NULL(1, 1)

  abstract interface
    subroutine MPI_User_function(invec, inoutvec, len, datatype)
      import
      type(c_ptr), value :: invec, inoutvec
      integer :: len
      type(MPI_Datatype) :: datatype
    end subroutine MPI_User_function
    subroutine MPI_User_function_c(invec, inoutvec, len, datatype)
      import
      type(c_ptr), value :: invec, inoutvec
      integer(kind=MPI_COUNT_KIND) :: len
      type(MPI_Datatype) :: datatype
    end subroutine MPI_User_function_c
    subroutine MPI_Comm_copy_attr_function(oldcomm, comm_keyval, extra_state, attribute_val_in, &
        attribute_val_out, flag, ierror)
      import
      type(MPI_Comm) :: oldcomm
      integer :: comm_keyval, ierror
      integer(kind=MPI_ADDRESS_KIND) :: extra_state, attribute_val_in, attribute_val_out
      logical :: flag
    end subroutine MPI_Comm_copy_attr_function
    subroutine MPI_Comm_delete_attr_function(comm, comm_keyval, attribute_val, extra_state, ierror)
      import
      type(MPI_Comm) :: comm
      integer :: comm_keyval, ierror
      integer(kind=MPI_ADDRESS_KIND) :: attribute_val, extra_state
    end subroutine MPI_Comm_delete_attr_function
    subroutine MPI_Type_copy_attr_function(olddatatype, datatype_keyval, extra_state, attribute_val_in, &
        attribute_val_out, flag, ierror)
      import
      type(MPI_Datatype) :: olddatatype
      integer :: datatype_keyval, ierror
      integer(kind=MPI_ADDRESS_KIND) :: extra_state, attribute_val_in, attribute_val_out
      logical :: flag
    end subroutine MPI_Type_copy_attr_function
    subroutine MPI_Type_delete_attr_function(datatype, datatype_keyval, attribute_val, extra_state, ierror)
      import
      type(MPI_Datatype) :: datatype
      integer :: datatype_keyval, ierror
      integer(kind=MPI_ADDRESS_KIND) :: attribute_val, extra_state
    end subroutine MPI_Type_delete_attr_function
    subroutine MPI_Win_copy_attr_function(oldwin, win_keyval, extra_state, attribute_val_in, &
        attribute_val_out, flag, ierror)
      import
      type(MPI_Win) :: oldwin
      integer :: win_keyval, ierror
      integer(kind=MPI_ADDRESS_KIND) :: extra_state, attribute_val_in, attribute_val_out
      logical :: flag
    end subroutine MPI_Win_copy_attr_function
    subroutine MPI_Win_delete_attr_function(win, win_keyval, attribute_val, extra_state, ierror)
      import
      type(MPI_Win) :: win
      integer :: win_keyval, ierror
      integer(kind=MPI_ADDRESS_KIND) :: attribute_val, extra_state
    end subroutine MPI_Win_delete_attr_function
    subroutine MPI_Comm_errhandler_function(comm, error_code)
      import
      type(MPI_Comm) :: comm
      integer :: error_code
    end subroutine MPI_Comm_errhandler_function
    subroutine MPI_File_errhandler_function(file, error_code)
      import
      type(MPI_File) :: file
      integer :: error_code
    end subroutine MPI_File_errhandler_function
    subroutine MPI_Win_errhandler_function(win, error_code)
      import
      type(MPI_Win) :: win
      integer :: error_code
    end subroutine MPI_Win_errhandler_function
    subroutine MPI_Session_errhandler_function(session, error_code)
      import
      type(MPI_Session) :: session
      integer :: error_code
    end subroutine MPI_Session_errhandler_function
    subroutine MPI_Grequest_query_function(extra_state, status, ierror)
      import
      integer(kind=MPI_ADDRESS_KIND) :: extra_state
      type(MPI_Status) :: status
      integer :: ierror
    end subroutine MPI_Grequest_query_function
    subroutine MPI_Grequest_free_function(extra_state, ierror)
      import
      integer(kind=MPI_ADDRESS_KIND) :: extra_state
      integer :: ierror
    end subroutine MPI_Grequest_free_function
    subroutine MPI_Grequest_cancel_function(extra_state, complete, ierror)
      import
      integer(kind=MPI_ADDRESS_KIND) :: extra_state
      logical :: complete
      integer :: ierror
    end subroutine MPI_Grequest_cancel_function
    subroutine MPI_Datarep_extent_function(datatype, extent, extra_state, ierror)
      import
      type(MPI_Datatype) :: datatype
      integer(kind=MPI_ADDRESS_KIND) :: extent, extra_state
      integer :: ierror
    end subroutine MPI_Datarep_extent_function
    subroutine MPI_Datarep_conversion_function(userbuf, datatype, count, filebuf, position, &
        extra_state, ierror)
      import
      type(c_ptr), value :: userbuf, filebuf
      type(MPI_Datatype) :: datatype
      integer :: count, ierror
      integer(kind=MPI_OFFSET_KIND) :: position
      integer(kind=MPI_ADDRESS_KIND) :: extra_state
    end subroutine MPI_Datarep_conversion_function
    subroutine MPI_Datarep_conversion_function_c(userbuf, datatype, count, filebuf, position, &
        extra_state, ierror)
      import
      type(c_ptr), value :: userbuf, filebuf
      type(MPI_Datatype) :: datatype
      integer(kind=MPI_COUNT_KIND) :: count
      integer :: ierror
      integer(kind=MPI_OFFSET_KIND) :: position
      integer(kind=MPI_ADDRESS_KIND) :: extra_state
    end subroutine MPI_Datarep_conversion_function_c
  end interface

  ! Functions of the standard for attributes: those of mpif.h
  procedure(MPI_Comm_copy_attr_function) :: MPI_COMM_DUP_FN, MPI_COMM_NULL_COPY_FN
  procedure(MPI_Comm_delete_attr_function) :: MPI_COMM_NULL_DELETE_FN
  procedure(MPI_Type_copy_attr_function) :: MPI_TYPE_DUP_FN, MPI_TYPE_NULL_COPY_FN
  procedure(MPI_Type_delete_attr_function) :: MPI_TYPE_NULL_DELETE_FN
  procedure(MPI_Win_copy_attr_function) :: MPI_WIN_DUP_FN, MPI_WIN_NULL_COPY_FN
  procedure(MPI_Win_delete_attr_function) :: MPI_WIN_NULL_DELETE_FN
  procedure(MPI_Datarep_conversion_function) :: MPI_CONVERSION_FN_NULL

  interface operator(==)
@equal@
  end interface
  interface operator(/=)
@different@
  end interface

  interface MPI_Init
    subroutine MPI_Init_f08(ierror)
      integer, optional, intent(inout) :: ierror
    end subroutine MPI_Init_f08
  end interface MPI_Init
  interface PMPI_Init
    subroutine PMPIR_Init_f08(ierror)
      integer, optional, intent(inout) :: ierror
    end subroutine PMPIR_Init_f08
  end interface PMPI_Init
  interface MPI_Init_thread
    subroutine MPI_Init_thread_f08(required, provided, ierror)
      integer, intent(in) :: required
      integer, intent(inout) :: provided
      integer, optional, intent(inout) :: ierror
    end subroutine MPI_Init_thread_f08
  end interface MPI_Init_thread
  interface PMPI_Init_thread
    subroutine PMPIR_Init_thread_f08(required, provided, ierror)
      integer, intent(in) :: required
      integer, intent(inout) :: provided
      integer, optional, intent(inout) :: ierror
    end subroutine PMPIR_Init_thread_f08
  end interface PMPI_Init_thread
  interface MPI_Pcontrol
    subroutine MPI_Pcontrol_f08(level)
      integer, intent(in) :: level
    end subroutine MPI_Pcontrol_f08
  end interface MPI_Pcontrol
  interface MPI_Wtime
    function MPI_Wtime_f08() result(seconds)
      double precision :: seconds
    end function MPI_Wtime_f08
  end interface MPI_Wtime
  interface PMPI_Wtime
    function PMPIR_Wtime_f08() result(seconds)
      double precision :: seconds
    end function PMPIR_Wtime_f08
  end interface PMPI_Wtime
  interface MPI_Wtick
    function MPI_Wtick_f08() result(seconds)
      double precision :: seconds
    end function MPI_Wtick_f08
  end interface MPI_Wtick
  interface PMPI_Wtick
    function PMPIR_Wtick_f08() result(seconds)
      double precision :: seconds
    end function PMPIR_Wtick_f08
  end interface PMPI_Wtick
  interface MPI_Aint_add
    function MPI_Aint_add_f08(base, disp) result(sum)
      import
      integer(kind=MPI_ADDRESS_KIND), intent(in) :: base, disp
      integer(kind=MPI_ADDRESS_KIND) :: sum
    end function MPI_Aint_add_f08
  end interface MPI_Aint_add
  interface MPI_Aint_diff
    function MPI_Aint_diff_f08(addr1, addr2) result(difference)
      import
      integer(kind=MPI_ADDRESS_KIND), intent(in) :: addr1, addr2
      integer(kind=MPI_ADDRESS_KIND) :: difference
    end function MPI_Aint_diff_f08
  end interface MPI_Aint_diff
  interface MPI_F_sync_reg
    subroutine MPI_F_sync_reg_f08ts(buf)
      type(*), dimension(..) :: buf
    end subroutine MPI_F_sync_reg_f08ts
  end interface MPI_F_sync_reg
@functions@
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

@procedures@
  subroutine MPI_Status_f082f(f08_status, f_status, ierror)
    type(MPI_Status), intent(in) :: f08_status
    integer, intent(out) :: f_status(MPI_STATUS_SIZE)
    integer, optional, intent(out) :: ierror
    f_status = transfer(f08_status, f_status)
    if (present(ierror)) ierror = MPI_SUCCESS
  end subroutine MPI_Status_f082f
  subroutine MPI_Status_f2f08(f_status, f08_status, ierror)
    integer, intent(in) :: f_status(MPI_STATUS_SIZE)
    type(MPI_Status), intent(out) :: f08_status
    integer, optional, intent(out) :: ierror
    f08_status = transfer(f_status, f08_status)
    if (present(ierror)) ierror = MPI_SUCCESS
  end subroutine MPI_Status_f2f08
  subroutine sizeof_character(x, size, ierror)
    character(len=*), dimension(..), intent(in) :: x
    integer, intent(out) :: size
    integer, optional, intent(out) :: ierror
    ! Not storage_size(x): gfortran before version 11 breaks off at arrays of any rank.
    size = len(x)
    if (present(ierror)) ierror = MPI_SUCCESS
  end subroutine sizeof_character
  subroutine sizeof_logical(x, size, ierror)
    logical, dimension(..), intent(in) :: x
    integer, intent(out) :: size
    integer, optional, intent(out) :: ierror
    size = storage_size(.false.) / 8
    if (present(ierror)) ierror = MPI_SUCCESS
  end subroutine sizeof_logical
  subroutine sizeof_integer1(x, size, ierror)
    integer(1), dimension(..), intent(in) :: x
    integer, intent(out) :: size
    integer, optional, intent(out) :: ierror
    size = storage_size(0_1) / 8
    if (present(ierror)) ierror = MPI_SUCCESS
  end subroutine sizeof_integer1
  subroutine sizeof_integer2(x, size, ierror)
    integer(2), dimension(..), intent(in) :: x
    integer, intent(out) :: size
    integer, optional, intent(out) :: ierror
    size = storage_size(0_2) / 8
    if (present(ierror)) ierror = MPI_SUCCESS
  end subroutine sizeof_integer2
  subroutine sizeof_integer4(x, size, ierror)
    integer(4), dimension(..), intent(in) :: x
    integer, intent(out) :: size
    integer, optional, intent(out) :: ierror
    size = storage_size(0_4) / 8
    if (present(ierror)) ierror = MPI_SUCCESS
  end subroutine sizeof_integer4
  subroutine sizeof_integer8(x, size, ierror)
    integer(8), dimension(..), intent(in) :: x
    integer, intent(out) :: size
    integer, optional, intent(out) :: ierror
    size = storage_size(0_8) / 8
    if (present(ierror)) ierror = MPI_SUCCESS
  end subroutine sizeof_integer8
  subroutine sizeof_real4(x, size, ierror)
    real(4), dimension(..), intent(in) :: x
    integer, intent(out) :: size
    integer, optional, intent(out) :: ierror
    size = storage_size(0.0_4) / 8
    if (present(ierror)) ierror = MPI_SUCCESS
  end subroutine sizeof_real4
  subroutine sizeof_real8(x, size, ierror)
    real(8), dimension(..), intent(in) :: x
    integer, intent(out) :: size
    integer, optional, intent(out) :: ierror
    size = storage_size(0.0_8) / 8
    if (present(ierror)) ierror = MPI_SUCCESS
  end subroutine sizeof_real8
  subroutine sizeof_complex4(x, size, ierror)
    complex(4), dimension(..), intent(in) :: x
    integer, intent(out) :: size
    integer, optional, intent(out) :: ierror
    size = storage_size((0.0_4, 0.0_4)) / 8
    if (present(ierror)) ierror = MPI_SUCCESS
  end subroutine sizeof_complex4
  subroutine sizeof_complex8(x, size, ierror)
    complex(8), dimension(..), intent(in) :: x
    integer, intent(out) :: size
    integer, optional, intent(out) :: ierror
    size = storage_size((0.0_8, 0.0_8)) / 8
    if (present(ierror)) ierror = MPI_SUCCESS
  end subroutine sizeof_complex8
end module mpi_f08
