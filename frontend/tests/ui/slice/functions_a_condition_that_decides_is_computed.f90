! ui: slice
! A condition that decides is computed.
program t
  use mpi
  implicit none
  integer :: i, n, m, ierr
  real(8) :: p(9), q(9), s, r
  real(8), allocatable :: v(:)
  logical :: done
  call mpi_init(ierr)
  do i = 1, 3
    if (count_of(i) < 2) then
      call mpi_barrier(mpi_comm_world, ierr)
    end if
  end do
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
