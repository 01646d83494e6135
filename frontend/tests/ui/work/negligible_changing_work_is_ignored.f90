! ui: work
! What is executed or not is less than a quarter of the block.
program t
  use mpi
  integer :: ierr, i, j, k, n, me, first(100)
  real :: a(100), b(100), x(100), s

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, me, ierr)
  n = 50
!case 3
  x = me
!case 1
  x = 0
!else
  x = 0
!end case
  call mpi_barrier(mpi_comm_world, ierr)
  do k = 1, 20
!case 3
!else
    if (k > 9) x = 1
!end case
    do i = 1, n !block
!case 2
      s = s + 1
      s = s + 1
      s = s + 1
      s = s + 1
      s = s + 1
      s = s + 1
      s = s + 1
      s = s + 1
      s = s + 1
      s = s + 1
      s = s + 1
      s = s + 1
      s = s + 1
      s = s + 1
      s = s + 1
      s = s + 1
      s = s + 1
      s = s + 1
      s = s + 1
      s = s + 1
      s = s + 1
      s = s + 1
      s = s + 1
      s = s + 1
      s = s + 1
      s = s + 1
      s = s + 1
      s = s + 1
      s = s + 1
      s = s + 1
      s = s + 1
      s = s + 1
      s = s + 1
!end case
      s = s + 1
      s = s + 1
      s = s + 1
      s = s + 1
      s = s + 1
      s = s + 1
      s = s + 1
      if (x(i) > 0.5) then
        b(i) = s + 1
        b(i) = s*2
      end if
    end do
    call mpi_barrier(mpi_comm_world, ierr)
  end do

  call mpi_finalize(ierr)

end program
