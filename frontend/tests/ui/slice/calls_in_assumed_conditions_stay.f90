! ui: slice --propose-none
! Calls in assumed conditions stay.
program t
  use mpi
  integer :: i, n, k, met = 0, ierr
  real(8) :: p(9), r(9), s
  real(8), allocatable :: v(:)
  call mpi_init(ierr)
  do
    do i = 1, 9
      r(i) = r(i)/2 + p(i)
    end do
    if (norm(r) < 1d-6*norm(p)) exit !assume: trips 20
  end do
  do while (.not. norm(p) < s) !assume: trips 4
    p = p/2
  end do
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
