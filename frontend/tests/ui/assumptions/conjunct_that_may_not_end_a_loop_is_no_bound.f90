! ui: assumptions --propose-all
! Conjunct that may not end a loop is no bound.
! - A count that begins behind its bound does not meet it.
! - The count is made of what the iterations compute.
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
  do while (it < most .or. r > 1) !test
    it = it + 1
!case 2
  do while (it < most .and. r > 1) !test
    if (flag) it = it + 1
!case 3
  do while (it < most .and. r > 1) !test
    it = it - 1
!case 4
  do while (it /= most .and. r > 1 .and. ierr < 40) !test
    it = it + 1
!case 5 8 9
  do
    it = it + 1
!case 6
  do while (ierr == 0 .and. r > 1) !test
    it = it + 1
!case 7
  do while (it < most .and. r > 1) !test
    it = it + 1
    most = most + 1
!case 10 11 12 13
  do while (it < most .and. r > 1) !test
    it = it + 1
!end case
    call step()
!case 5
    if (r < 1 .or. most == it) exit !test
    if (mod(it, 10) == 0) exit
!case 8
    if (it >= most .and. r < 1) exit !test
!case 9
    if (it <= most .or. r < 1) exit !test
!end case
  end do
  call mpi_finalize(ierr)
contains
  subroutine step()
    integer :: q
    do q = 1, 1000
      x(q) = x(q)*0.5
    end do
    part = sum(x)
!case 11
    it = 0
!case 12
    most = most + 1
!case 13
    if (part > 3) it = it - 1
!else

!end case
    call mpi_allreduce(part, r, 1, mpi_real, mpi_sum, mpi_comm_world, ierr)
  end subroutine
end program
