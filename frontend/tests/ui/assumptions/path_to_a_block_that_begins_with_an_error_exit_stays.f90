! ui: slice assumptions
! Path to a block that begins with an error exit stays.
program p
  use mpi
  real :: x(8)
  integer :: size, ierr
  call mpi_init(ierr)
  call z
  call mpi_finalize(ierr)
contains
  subroutine z
    call mpi_comm_size(mpi_comm_world, size, ierr)
    do i = 1, 8
      x(i) = sqrt(real(i))
    end do
    call mpi_barrier(mpi_comm_world, ierr)
    if (size > 1) then
      if (x(3) > 1e30) stop 'diverged'
      if (size > 2) return
    end if
  end subroutine
end program
