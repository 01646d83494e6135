! ui: order diagnostics
! A time that is written to a file and read from it is one still; other files, and what is written
! after all is read, carry none.
program t
  use mpi
  integer, parameter :: n = 4
  integer :: i, j, k, m, last, total, other, index, count, error, reqs(n), list(n), length(n), table(n), side(n)
  integer :: status(mpi_status_size), statuses(mpi_status_size, n)
  logical :: flag, done
  real :: x(100), y, sum, product
  common /shared/ length, m
  call mpi_init(error)
!case 4
  open (20, file='b')
  read (20, *) k
  close (20)
  open (20, file='a')
!case 5
  do j = 1, 2
    read (20, *) k
!else
  open (20, file='a')
!end case
  write (20, *) mpi_wtime()
!case 1
  rewind (20)
  read (20, *) k
!case 2
  close (20)
  open (n, file='a')
  read (n, *) k
!case 3
  open (n, file='b')
  read (n, *) k
!end case
  do i = 1, k
    call mpi_barrier(mpi_comm_world, error)
!case 5
    end do
!end case
  end do

  call mpi_finalize(error)
end program
