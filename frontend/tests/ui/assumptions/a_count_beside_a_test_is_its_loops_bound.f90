! ui: assumptions --propose-all
! A count beside a test is its loops bound.
program t
  use mpi
  integer :: ierr, it, most, n
  real :: x(1000), r, part
  logical :: flag
  call mpi_init(ierr)
  call mpi_comm_size(mpi_comm_world, most, ierr)
  flag = most > 2
  x = 1
  it = 0
!case 1
  do
    it = it + 1
    call step()
    if (r < 1) exit !test
    if (it >= most) exit
  end do
!case 2
  do
    it = 2 + it
    if (most < it) exit
    call step()
    if (r < 1) exit !test
  end do
!case 3
  do
    it = it + 1
    call step()
    if (r < 1) then !test
      exit
    else if (it > 2*most) then
      exit
    end if
  end do
!case 4
  do
    call step()
    if (r < 1) exit !test
    if (it >= 20) goto 20
    it = it + 1
  end do
20 continue
!case 5
10 it = it + 1
  call step()
  if (r < 1) goto 20 !test
  if (it <= most) goto 10
20 continue
!end case
  call mpi_finalize(ierr)
contains
  subroutine step()
    integer :: q
    do q = 1, 1000
      x(q) = x(q)*0.5
    end do
    part = sum(x)

    call mpi_allreduce(part, r, 1, mpi_real, mpi_sum, mpi_comm_world, ierr)
  end subroutine
end program
