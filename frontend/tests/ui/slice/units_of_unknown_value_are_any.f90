! ui: slice
! What a variable holds that it was not assigned is not known.
module units
!case 1
  integer :: log, deck = 8
!else
  integer :: log, deck
!end case
contains
  integer function free_unit()
    logical :: used
    integer :: u
    do u = 7, 99 !free
      inquire (unit=u, opened=used) !free
      if (.not. used) exit !free
    end do
    free_unit = u !free
  end function
  integer function next_unit(before)
    integer :: before
!case 3
    next_unit = before + 1
!else
    next_unit = before + 1 !next
!end case
  end function
end module
program t
  use mpi
  use units
  integer :: n, ierr, other, rank
  character(9) :: name
  real :: x
  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
!case 1
  log = 9
!case 2
  log = 8
  deck = 9
  call mpi_bcast(log, 1, mpi_integer, 0, mpi_comm_world, ierr)
!case 3
  log = 8
  deck = next_unit(log)
!end case
  open (log, file='log')
  open (deck, file='deck')
  write (log, *) 'log'
  read (deck, *) n
  call mpi_bcast(x, n, mpi_real, 0, mpi_comm_world, ierr)
  call mpi_finalize(ierr)
end program
