! ui: slice
! `.and.` need not ask its second operand: the first is computed. Where both ask, or the second must
! not be looked at if the first does not hold, both are.
program t
  use mpi
  implicit none
  integer :: i, n, m, ierr
  real(8) :: p(9), q(9), s, r
  real(8), allocatable :: v(:)
  logical :: done
  call mpi_init(ierr)
  m = 3
!case 1
  n = 7
  done = n > 4 .and. count_of(m) > 2
!case 2
  n = 7
  done = count_of(m) > 2 .or. n > 4
!case 3
  done = count_of(m) > 2 .and. p(m) > 2
!case 4
  done = count_of(m) > 2 .and. v(1) > 2
!case 5
  done = count_of(m) > 2 .and. r / q(2) > 2
!case 6
  done = count_of(m) > 2 .and. i / n > 2
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
