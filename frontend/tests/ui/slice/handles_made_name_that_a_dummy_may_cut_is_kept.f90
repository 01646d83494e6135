! ui: slice
! A dummy of fixed length cuts its actual argument; one of assumed length does not.
program t
  use mpi
  integer :: n, ierr, deck
  character(20) :: name
  real :: x
  call mpi_init(ierr)
  name = 'q'//'.nml.bak'
  call outer(name)
  open (newunit=deck, file='q.nml')
  read (deck, *) n
  call mpi_bcast(x, n, mpi_real, 0, mpi_comm_world, ierr)
  call mpi_finalize(ierr)
contains
  subroutine outer(s)
    character(*) :: s
    call inner(s)
  end subroutine
  subroutine inner(t)
!case 1
    character(len=*) :: t
!case 2
    character(len=5) :: t
!end case
    open (13, file=t)
    write (13, *) 3
    close (13)
  end subroutine
end program
