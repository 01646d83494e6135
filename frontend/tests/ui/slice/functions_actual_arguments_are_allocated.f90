! ui: slice
! An array must be there to be passed, whatever is in it.
program t
  use mpi
  implicit none
  integer :: i, n, m, ierr
  real(8) :: p(9), q(9), s, r
  real(8), allocatable :: v(:)
  logical :: done
  call mpi_init(ierr)
  n = 5
  allocate (v(n))
  v = 1
  s = dot(v, v)
  q(1:n) = copy(v)
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
