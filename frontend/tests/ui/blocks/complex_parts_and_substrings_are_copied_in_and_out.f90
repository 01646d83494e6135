! ui: parts diagnostics
! Complex parts and substrings are copied in and out.
module m
  use mpi
  implicit none
  integer :: n, k, ierr
  real, allocatable :: u(:, :), r(:)
  logical, allocatable :: mask(:)
  real :: few(9), g
  complex :: z(1000)
  character(8) :: names(1000)
  type held
    integer :: size
  contains
    final :: end_held
  end type
contains
  pure real function norm(x)
    real, intent(in) :: x(:)
    integer :: i
    norm = 0
    do i = 1, size(x)
      norm = norm + x(i)**2
    end do
  end function
  real function work(x)
    real, intent(in) :: x(:)
    integer :: i
    work = 0
    do i = 1, size(x)
      work = work + x(i)**2
    end do
  end function
  real function talk(x)
    real, intent(in) :: x
    call mpi_allreduce(x, talk, 1, mpi_real, mpi_max, mpi_comm_world, ierr)
  end function
  function talks(x) result(all)
    real, intent(in) :: x(:)
    real :: all(size(x))
    call mpi_allreduce(x, all, size(x), mpi_real, mpi_max, mpi_comm_world, ierr)
  end function
  subroutine explicit(a, rows)
    integer, intent(inout) :: rows
    real, intent(inout) :: a(rows, *)
    call mpi_barrier(mpi_comm_world, ierr)
    rows = rows + 1
  end subroutine
  subroutine assumed(a)
    real, intent(inout) :: a(:, :)
    call mpi_barrier(mpi_comm_world, ierr)
  end subroutine
  subroutine passing_on(a, m)
    real, intent(inout) :: a(:), m(:, :)
    call mpi_bcast(a, 9, mpi_real, 0, mpi_comm_world, ierr)
    call mpi_bcast(m(:, 2), 9, mpi_real, 0, mpi_comm_world, ierr)
  end subroutine
  subroutine further(b, m)
    real, intent(inout) :: b(:), m(:, :)
    call passing_on(b, m)
  end subroutine
  subroutine in_one_piece(a)
    real, intent(inout) :: a(*)
    call mpi_bcast(a, 9, mpi_real, 0, mpi_comm_world, ierr)
  end subroutine
  subroutine end_held(one)
    type(held), intent(inout) :: one
    integer :: i
    do i = 1, one%size
      g = g*0.5 + i
    end do
  end subroutine
  subroutine holding()
    type(held) :: one
    one%size = n
    call mpi_barrier(mpi_comm_world, ierr)
  end subroutine
end module
program t
  use m
  implicit none
  integer :: it, i
  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, n, ierr)
  n = n + 100
  allocate(u(n, n), r(n), mask(n))
  u = 1; r = 1; mask = .true.; few = 0
  do it = 1, 9
!case 1
    call mpi_bcast(z%im, 9, mpi_byte, 0, mpi_comm_world, ierr)
!case 2
    call mpi_bcast(z(:)%re, 9, mpi_byte, 0, mpi_comm_world, ierr)
!case 3
    call mpi_bcast(z(1:n)%re, 9, mpi_byte, 0, mpi_comm_world, ierr)
!case 4
    call mpi_bcast(names(:)(1:3), 9, mpi_byte, 0, mpi_comm_world, ierr)
!case 5
    call mpi_bcast(names(1:n)(2:), 9, mpi_byte, 0, mpi_comm_world, ierr)
!case 6
    call mpi_bcast(z, 9, mpi_byte, 0, mpi_comm_world, ierr)
!case 7
    call mpi_bcast(z(3)%im, 9, mpi_byte, 0, mpi_comm_world, ierr)
!case 8
    call mpi_bcast(names, 9, mpi_byte, 0, mpi_comm_world, ierr)
!case 9
    call mpi_bcast(names(2:n), 9, mpi_byte, 0, mpi_comm_world, ierr)
!case 10
    call mpi_bcast(names(3)(2:4), 9, mpi_byte, 0, mpi_comm_world, ierr)
!end case
    call mpi_barrier(mpi_comm_world, ierr)
  end do
  call mpi_finalize(ierr)
end program
