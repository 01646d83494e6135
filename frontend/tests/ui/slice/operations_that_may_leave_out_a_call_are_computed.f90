! ui: slice --propose-none
! Both sides call: either may be left out if the other says so. Where an element of an array stands
! behind, it would be looked at although the function has said no.
program t
  use mpi
  integer :: i, n, k, met = 0, ierr
  real(8) :: p(9), r(9), s
  real(8), allocatable :: v(:)
  call mpi_init(ierr)
!case 2
  k = 11
!end case
  r = 2
!case 1
  if (norm(r) < 4 .or. norm(r) > 9) p = 1 !assume: not taken
!case 2
  if (norm(r) > 4 .and. r(k) > 9) p = 1 !assume: not taken
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
