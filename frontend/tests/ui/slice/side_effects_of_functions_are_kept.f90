! ui: slice --propose-none
! What a function leaves behind may be wanted, though its answer is not; and how it is called.
program t
  use mpi
  integer :: i, n, k, met = 0, ierr
  real(8) :: p(9), r(9), s
  real(8), allocatable :: v(:)
  call mpi_init(ierr)
  k = 2
  do while (meet(k) > 1d-3) !assume: trips 3
    p = p/2
  end do
  call mpi_bcast(r, met, mpi_double_precision, 0, mpi_comm_world, ierr)
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
