! ui: slice
! A file has many names.
program t
  use mpi
  integer :: n, k, lu, r, ierr
  logical :: there
  real :: x
  character(20) :: name, line
  call mpi_init(ierr)
!case 1
  name = 'deck' !
  open (8, file='deck')
  write (8, *) 4
  close (8)
  open (11, file='./deck')
!case 2
  name = 'deck'
  open (8, file='deck')
  write (8, *) 4
  close (8)
  open (11, file=name)
!case 3
  name = 'deck' !
  open (8, file='deck')
  write (8, *) 4
  close (8)
  open (11, file='de'//'ck')
!case 4
  name = 'deck'
  open (8, file='deck')
  write (8, *) 4
  close (8)
  open (11, file=trim(name))
!case 5
  write (10, *) 4
  close (10)
  open (11, file='fort.10', status='old')
!end case
  read (11, *) n
  call mpi_bcast(x, n, mpi_real, 0, mpi_comm_world, ierr)
  call mpi_finalize(ierr)
end program
