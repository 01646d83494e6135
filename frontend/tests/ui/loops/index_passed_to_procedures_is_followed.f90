! ui: loops
! Index passed to procedures is followed.
program t
  use mpi
  integer :: i, j, k, error
  real :: x(9), y(9,9), s
  call mpi_init(error)
  do i = 1, 9
!case 1
    call step(i, x)
!case 2
    call plane(i, x)
!case 3
    call plane(3, x)
!case 4
    call through(i, 1)
!case 5
    call through(1, i + 1)
!case 6
    s = value(i)
!case 7
    s = value(1)
!end case
    call mpi_barrier(mpi_comm_world, error)
  end do

  call mpi_finalize(error)
contains
  subroutine step(at, of)
    integer :: at
    real :: of(9)
    s = s + at
  end subroutine
  subroutine plane(at, of)
    integer :: at
    real :: of(9)
    of(at) = s
  end subroutine
  subroutine through(a, b)
    integer :: a, b
    call plane(b, x)
  end subroutine
  real function value(at)
    integer :: at
    value = x(at)
  end function
end program
