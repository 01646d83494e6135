! ui: slice
! A text takes what fits in: `p` depends on the length of `c`.
program t
  use mpi
  integer :: n, i, ierr
  character(len=40) :: path
  call mpi_init(ierr)
  n = 12
  call build(n, path)
  do i = 1, len_trim(path)
    call mpi_barrier(mpi_comm_world, ierr)
  end do
  call mpi_finalize(ierr)
contains
  subroutine build(k, p)
    integer, intent(in) :: k
    character(*), intent(out) :: p
    character(len=k) :: c
    c = repeat('z', 40)
    p = c
  end subroutine
end program
