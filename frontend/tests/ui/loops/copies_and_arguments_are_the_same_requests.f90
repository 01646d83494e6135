! ui: loops
! Copies and arguments are the same requests.
program t
  use mpi
  integer :: i, j, index, error, reqs(4), others(4), single
  real :: x(4)
  call mpi_init(error)
!case 3
!else
  do j = 1, 9
!end case
  do i = 1, 4
!case 1 2
      call mpi_irecv(x(i), 1, mpi_real, i, 1, mpi_comm_world, single, error)
      reqs(i) = single
!case 3 4
    call start(reqs(i))
!end case
  end do
!case 1
    call mpi_waitall(4, reqs, mpi_statuses_ignore, error)
  end do
!case 2
    call mpi_waitall(4, others, mpi_statuses_ignore, error)
  end do
!case 4
    call finish(reqs)
  end do
!end case

  call mpi_finalize(error)
contains
!case 1 2

!case 3 4
  subroutine start(one)
    integer :: one
    call mpi_irecv(x, 1, mpi_real, 0, 1, mpi_comm_world, one, error)
  end subroutine
  subroutine finish(all)
    integer :: all(4)
    call mpi_waitall(4, all, mpi_statuses_ignore, error)
  end subroutine
!end case
end program
