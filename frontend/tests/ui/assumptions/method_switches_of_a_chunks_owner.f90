! ui: assumptions --propose-all
! Each rank solves for the chunk that it owns. All ranks meet in the reduction, so all execute the branch.
program t
  use mpi
  implicit none
  real :: x(100), r(100), rr
  integer :: ierr, it, i, rank, size, c
  logical :: fine
  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, size, ierr)
  call random_number(x)
  do c = 0, size - 1
    if (c == rank) then
      rr = sum(x**2)
!case 1
      call mpi_allreduce(mpi_in_place, rr, 1, mpi_real, mpi_sum, mpi_comm_world, ierr)
!case 2
      rr = 2 * rr
!end case
      fine = .false.
      do it = 1, 500
        do i = 1, 100
          r(i) = 0.5 * x(i)
          x(i) = x(i) - 0.1 * r(i)
        end do
        rr = sum(r**2)
        call mpi_allreduce(mpi_in_place, rr, 1, mpi_real, mpi_sum, mpi_comm_world, ierr)
        if (.not. fine) then
          if (rr < 1e-3) fine = .true.
        end if
        if (fine) call mpi_barrier(mpi_comm_world, ierr)
      end do
    end if
  end do
  call mpi_finalize(ierr)
end program
