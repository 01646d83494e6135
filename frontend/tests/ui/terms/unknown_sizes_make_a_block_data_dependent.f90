! ui: terms
! Unknown sizes make a block data dependent.
program t
  use mpi
  integer :: ierr, i, n, m, me, lo, hi, chosen(100)
  real :: a(100, 100), x(100), y(100), z
  real, allocatable :: free(:)
  type cell
    real :: part(100)
  end type
  type(cell) :: one
  character(30) :: word
  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, me, ierr)
  n = me + 2
  m = 3*me
  lo = me
  hi = 2*me
  allocate (free(n))
  read *, x, y, z, a, chosen, one%part, word
  call mpi_barrier(mpi_comm_world, ierr)
!case 1
  z = sum(x(1:chosen(3))) !block

!case 2
  do i = 1, n !block
    z = z + sum(x(1:chosen(i)))
  end do
!end case
  call mpi_finalize(ierr)
contains
  elemental real function curve(u)
    real, intent(in) :: u
    curve = u*u + 1
  end function
  real function first(u)
    real, intent(in) :: u(:)
    first = u(1)
  end function
  subroutine take(u)
    real, intent(in) :: u(*)
    z = u(1)
  end subroutine
end program
