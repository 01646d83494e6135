! ui: slice
! Made name that ends otherwise is another file.
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
  open (newunit=log, file=trim(prefix)//'.log')
!case 2
  write (name, '(a,"_",i4.4,".dat")') trim(prefix), it
  open (newunit=log, file=name)
!case 3
  write (name, '(a,i4.4)') 'out', it
  open (newunit=log, file=trim(name))
!case 4
  write (name, '(a,i4.4,a)') 'out', it, '.txt'
  open (newunit=log, file=name)
!case 5
  name = trim(prefix)//'.log'
  open (newunit=log, file=name)
!case 6
  grown = trim(prefix)//'.log'
  open (newunit=log, file=grown)
!end case
  write (log, *) 'log'
  open (newunit=deck, file='deck.nml')
  read (deck, *) n
  call mpi_bcast(x, n, mpi_real, 0, mpi_comm_world, ierr)
  call mpi_finalize(ierr)
end program
