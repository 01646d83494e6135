! ui: terms
! Fourth loop of a simplex has no term.
program t
  use mpi
  integer :: ierr, i, j, k, l, n, nb, me, np, last
  integer(8) :: long
  integer :: rows(1000)
  real :: u(1000), x
  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, me, ierr)
  call mpi_comm_size(mpi_comm_world, np, ierr)
  n = 10*np
  nb = 4
  read *, x, u, rows
  call mpi_barrier(mpi_comm_world, ierr)
  do i = 1, 9 !block
    do j = i, n
      do k = j, n
        do l = k, n
          do long = l, n
            u(1) = u(1) + 1
          end do
        end do
      end do
    end do
  end do

  call mpi_finalize(ierr)
end program
subroutine column(k, last)
  integer :: k, last, i
  real :: v(50)
  do i = k, last
    v(mod(i, 50) + 1) = i
  end do
end subroutine
