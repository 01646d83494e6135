! ui: terms
! Sections count wherever they are computed with.
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
  z = z + sum(exp(sin(x(1:n)))) !block

!case 2
  z = z + sum(x(:n)*y(2:n + 1)) !block

!case 3
  z = dot_product(x(:n), y(:n)) + maxval(x(1:n)) + norm2(exp(x(1:n))) !block

!case 4
  z = sum(curve(x(1:n))) !block

!case 5
  z = sum(x(chosen(1:n))) !block

!case 6
  z = sum(one%part(1:n)) !block

!case 7
  if (any(x(1:n) > 0)) z = 1 !block

!case 8
  x(maxloc(y(1:n), 1)) = 2 !block

!case 9
  print *, count(x(1:n) > 1) !block

!case 10
  call take(sqrt(x(1:n))) !block

!case 11
  call random_number(x(1:n)) !block

!case 12
  x(1:n) = 2*y(2:n + 1) !block

!case 13
  z = sum(merge(x(1:n), 0.0, x(1:n) > z)) !block

!case 14
  select case (count(x(1:n) > 1)) !block
  case (1)
    z = 1
  end select
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
