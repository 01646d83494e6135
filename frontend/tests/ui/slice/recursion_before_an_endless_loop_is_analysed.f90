! ui: slice
! A callee that never returns hides the STOP behind its call, also between procedures that call each other.
program t
  use mpi
  integer :: n, ierr
  call mpi_init(ierr)
  read *, n
  if (n > 100) call p(n)
  call mpi_finalize(ierr)
contains
  recursive subroutine p(one)
    integer :: one
    if (one > 2) call q(one)
    call endless()
    stop
  end subroutine
  recursive subroutine q(two)
    integer :: two
    if (two > 3) call p(two)
  end subroutine
  subroutine endless()
10  continue
    goto 10
  end subroutine
end program
