! ui: parts diagnostics
! Work outside blocks is reported.
! - What is evaluated behind messages of the same condition.
! - A slice may leave out that CYCLE.
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
    if (sum(r) + talk(g) > 3) exit
!case 2
    if (sum(r) + work(r) > 3) exit
!case 3
    do while (sum(r) > 3)
      call mpi_barrier(mpi_comm_world, ierr)
      if (k > 5) cycle
    end do
!case 4
    do 10 while (sum(r) > 3)
    call mpi_barrier(mpi_comm_world, ierr)
10  continue
!case 5
    call holding()
!end case
    call mpi_barrier(mpi_comm_world, ierr)
  end do
  call mpi_finalize(ierr)
end program
