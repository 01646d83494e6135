! ui: slice
! A function that itself meets the others may ask after that.
program t
  use mpi
  integer :: n, ierr, deck, picture, it
  character(9) :: name
  real :: x
  call mpi_init(ierr)
  deck = free_unit()
  open (deck, file='deck')
  read (deck, *) n
  call mpi_barrier(mpi_comm_world, ierr)
  write (name, '(i5)') n
  picture = free_unit()
  open (picture, file=name)
  close (picture)
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
    call mpi_barrier(mpi_comm_world, ierr)
  end function
end program
