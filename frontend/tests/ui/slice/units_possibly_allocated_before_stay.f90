! ui: slice
! Nothing orders the two but the process itself; or the synchronisation point may be before both; or
! the unit is queried again.
program t
  use mpi
  integer :: n, ierr, deck, picture, it
  character(9) :: name
  real :: x
  call mpi_init(ierr)
!case 1 2
  deck = free_unit()
  open (deck, file='deck')
  read (deck, *) n
!case 3
  call mpi_barrier(mpi_comm_world, ierr)
  deck = free_unit()
  open (deck, file='deck')
  read (deck, *) n
!case 5
  deck = free_unit()
  open (deck, file='deck')
  read (deck, *) n
  call mpi_barrier(mpi_comm_world, ierr)
!case 6
  deck = free_unit()
  open (deck, file='deck')
  read (deck, *) n
  call mpi_barrier(mpi_comm_world, ierr)
  do it = 1, 3
!end case
  write (name, '(i5)') n
  picture = free_unit()
  open (picture, file=name)
  close (picture)
!case 2
  call mpi_barrier(mpi_comm_world, ierr)
!case 4
  deck = free_unit()
  open (deck, file='deck')
  read (deck, *) n
  call mpi_barrier(mpi_comm_world, ierr)
!case 5
  deck = free_unit()
  open (deck, file='more')
  read (deck, *) n
!case 6
    deck = free_unit()
    open (deck, file='more')
    read (deck, *) n
  end do
!end case
  call mpi_bcast(x, n, mpi_real, 0, mpi_comm_world, ierr)
  call mpi_finalize(ierr)
contains
  integer function free_unit()
    logical :: used
    integer :: u
    do u = 7, 99
      inquire (unit=u, opened=used)
      if (.not. used) exit
    end do
    free_unit = u
  end function
end program
