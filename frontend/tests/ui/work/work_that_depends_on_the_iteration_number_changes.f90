! ui: work
! Work that depends on the iteration number changes.
! - Only when it is made.
program t
  use mpi
  integer :: ierr, i, j, k, n, me, first(100)
  real :: a(100), b(100), x(100), s

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, me, ierr)
  n = 50
  a = me
  first = me
  call mpi_barrier(mpi_comm_world, ierr)
  do k = 1, 20
!case 1
    x = a*k
!case 3
    if (k > 5) x = 7
!case 4
    do i = 1, n
      if (k > i) cycle
      x(i) = 7
    end do
    call mpi_barrier(mpi_comm_world, ierr)
!end case
    do i = 1, n !block
!case 2
      if (a(i) > k) s = s + x(i)*x(i) + sin(x(i))
!else
      if (x(i) > 3) s = s + x(i)*x(i) + sin(x(i))
!end case
    end do
    call mpi_barrier(mpi_comm_world, ierr)
  end do

  call mpi_finalize(ierr)

end program
