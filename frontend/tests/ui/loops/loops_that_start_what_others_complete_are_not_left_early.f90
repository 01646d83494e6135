! ui: loops
! Loops that start what others complete are not left early.
! - The requests of the last iteration are completed in the next, or behind the loop.
program t
  use mpi
  integer :: i, j, index, error, reqs(4), others(4), single
  real :: x(4)
  call mpi_init(error)
!case 4 5 6
  do j = 1, 9
!case 7
  do j = 1, 9
    call mpi_waitall(4, reqs, mpi_statuses_ignore, error)
!end case
  do i = 1, 4
!case 3
    call mpi_barrier(mpi_comm_world, error)
!else
    call mpi_irecv(x(i), 1, mpi_real, i, 1, mpi_comm_world, reqs(i), error)
!end case
  end do
!case 1
  call mpi_waitall(4, reqs, mpi_statuses_ignore, error)

!case 2
  do i = 1, 4
    call mpi_waitany(4, reqs, index, mpi_status_ignore, error)
  end do

!case 4
    call mpi_waitall(4, reqs, mpi_statuses_ignore, error)
  end do

!case 5
    do i = 1, 4
      call mpi_waitany(4, reqs, index, mpi_status_ignore, error)
    end do
  end do

!case 6
    call mpi_waitall(4, others, mpi_statuses_ignore, error)
  end do

!case 7
  end do
  call mpi_waitall(4, reqs, mpi_statuses_ignore, error)

!end case
  call mpi_finalize(error)
contains

end program
