! ui: slice
! Texts that are cut, formats that end before their last text, and names that may end as the other
! does.
program t
  use mpi
  integer :: n, ierr, log, deck, it
  character(12) :: name
  character(4) :: short
  character(:), allocatable :: grown
  character(8) :: prefix = 'run'
  real :: x
  call mpi_init(ierr)
  it = 3
!case 1
  open (newunit=log, file=trim(prefix)//'.nml')
!case 2
  open (newunit=log, file=trim(prefix)//'k.nml')
!case 3
  open (newunit=log, file='log.'//trim(prefix))
!case 4
  short = 'deck.nml.log'
  open (newunit=log, file=short//'.nml')
!case 5
  short = trim(prefix)//'.log'
  open (newunit=log, file=short)
!case 6
  name = 'x.log'
  name(1:8) = 'deck.nml'
  open (newunit=log, file=name)
!case 7
  write (name, '(a,i0.0)') 'deck.nml', it
  open (newunit=log, file=name)
!end case
  write (log, *) 'log'
  open (newunit=deck, file='deck.nml')
  read (deck, *) n
  call mpi_bcast(x, n, mpi_real, 0, mpi_comm_world, ierr)
  call mpi_finalize(ierr)
end program
