! ui: slice diagnostics
! Where all procedures have source or only compute, there are no hidden calls.
subroutine hook(n) bind(c)
  integer :: n
  n = 3
end subroutine
program main
  use mpi
  integer :: e
  real(8) :: b(100)
  call mpi_init(e)
  call mpi_bcast(b, 4, mpi_real8, 0, mpi_comm_world, e)
  call mpi_finalize(e)
end program
