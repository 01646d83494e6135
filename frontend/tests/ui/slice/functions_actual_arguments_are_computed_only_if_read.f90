! ui: slice
! An assignment that allocates stays for the shape of what it makes; what the callee reads of an
! expression is read.
program t
  use mpi
  implicit none
  integer :: i, n, m, ierr
  real(8) :: p(9), q(9), s, r
  real(8), allocatable :: v(:)
  logical :: done
  call mpi_init(ierr)
!case 1
  do i = 1, 9
    p(i) = i
  end do
  q(2:4) = p(1:3)
  s = dot(p - q(1:9), 2*p(1:9)**2)
  v = p(2:8)/q(2:8) + s**3 + 1.5d0/(2.0 + 0.5*p(1)**2)
  do i = 1, size(v)
    call mpi_barrier(mpi_comm_world, ierr)
  end do
!case 2
  m = 3
  n = 4
  i = count_of(m + int(q(1)))
  v = p(1:9)
  call mpi_bcast(i, i, mpi_integer, 0, mpi_comm_world, ierr)
!case 3
  q = 1
  p = q*2
  v = p(1:9) + 1
  m = int(v(3))
  call mpi_bcast(p, m, mpi_real, 0, mpi_comm_world, ierr)
!case 4
  m = 3
  p = 2
  v = p(1:m)**m
  call mpi_bcast(v, size(v), mpi_real, 0, mpi_comm_world, ierr)
!case 5
  s = sum(p)
  r = s + 1.0
  call mpi_allreduce([s, real(r)], q, 2, mpi_real, mpi_sum, mpi_comm_world, ierr)
  call mpi_bcast((/s, p(2:8)/), 8, mpi_real, 0, mpi_comm_world, ierr)
!end case
  call mpi_finalize(ierr)
contains
  real(8) function dot(a, b)
    real(8), intent(in) :: a(:), b(:)
    real(8) :: own
    own = sum(a * b)
    call mpi_allreduce(own, dot, 1, mpi_double_precision, mpi_sum, mpi_comm_world, ierr)
  end function
  integer function count_of(k)
    integer, intent(in) :: k
    count_of = k
    call mpi_barrier(mpi_comm_world, ierr)
  end function
  function copy(a)
    real(8), intent(in) :: a(:)
    real(8) :: copy(size(a))
    copy = a
    call mpi_barrier(mpi_comm_world, ierr)
  end function
end program
