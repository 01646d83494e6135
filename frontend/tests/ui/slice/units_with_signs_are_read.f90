! ui: slice
! Units may begin with a sign; the number is unknown then.
program t
  use mpi
  integer :: n, deck, ierr
  real :: x
  call mpi_init(ierr)
  deck = 10
  open (newunit=n, file='in')
!case 1
  read (-abs(deck), *) n
  if (ierr == 0) read (-abs(deck), *) n
  write (-abs(deck), *) x
!case 2
  read (-(abs(deck)), *) n
  if (ierr == 0) read (-(abs(deck)), *) n
  write (-(abs(deck)), *) x
!case 3
  read (unit=-abs(deck), *) n
  if (ierr == 0) read (unit=-abs(deck), *) n
  write (unit=-abs(deck), *) x
!case 4
  read (+deck, *) n
  if (ierr == 0) read (+deck, *) n
  write (+deck, *) x
!case 5
  read (- deck * 2 + 1, *) n
  if (ierr == 0) read (- deck * 2 + 1, *) n
  write (- deck * 2 + 1, *) x
!case 6
  read (-10, *) n
  if (ierr == 0) read (-10, *) n
  write (-10, *) x
!end case
  call mpi_bcast(x, n, mpi_real, 0, mpi_comm_world, ierr)
  call mpi_finalize(ierr)
end program
