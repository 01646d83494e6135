! ui: slice
! Of three files only the one whose name is made may be the others: what is written to the log is
! not read. (Whether the log is there may matter to the OPEN of the file whose name is made.)
module units
  integer :: log, deck
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
    next_unit = before + 1 !next
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
  name = repeat('d', 4)
  open (newunit=other, file=name)
  write (other, *) 3
  open (newunit=log, file='log')
  open (newunit=deck, file='deck')
  write (log, *) 'log'
  read (deck, *) n
  call mpi_bcast(x, n, mpi_real, 0, mpi_comm_world, ierr)
  call mpi_finalize(ierr)
end program
