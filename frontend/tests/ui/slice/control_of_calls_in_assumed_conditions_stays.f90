! ui: slice --propose-none
! What decides whether a function is called is computed: how many conditions before it do not hold,
! and the side without calls of an operation that may leave out the other.
program t
  use mpi
  integer :: i, n, k, met = 0, ierr
  real(8) :: p(9), r(9), s
  real(8), allocatable :: v(:)
  call mpi_init(ierr)
  n = 3
!case 1
  k = 0
!end case
  r = 2
!case 1
  do while (k < n .and. norm(r) > 1d-3) !assume: trips 2
    r = r/2
    k = k + 1
  end do
!case 2
  if (n > 4) then
    p = 1
  else if (norm(r) < 4) then !assume: taken
    p = 2
  end if
!end case
  call mpi_finalize(ierr)
contains
  real(8) function norm(v)
    real(8), intent(in) :: v(:)
    real(8) :: own
    own = sum(v * v) !n
    call mpi_allreduce(own, norm, 1, mpi_double_precision, mpi_sum, mpi_comm_world, ierr)
    norm = sqrt(norm) !n
  end function
  real(8) function meet(k)
    integer, intent(in) :: k
    met = met + 1 !m
    call mpi_bcast(p, k, mpi_double_precision, 0, mpi_comm_world, ierr)
    meet = p(1)
  end function
end program
