! ui: assumptions --propose-all
! What may never end a loop is no bound.
! - The number does not grow in each iteration, is set back, or is not met.
! - The bound grows as well.
! - No evaluation is needed.
! - It ends something else.
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
  do
!case 1
    if (flag) it = it + 1
!case 2
    it = it + 1
    if (flag) it = 0
!case 3
    it = it - 1
!case 6
    it = it + 1
    most = most + 1
!case 9
!else
    it = it + 1
!end case
    call step()
    if (r < 1) exit !test
!case 4
    if (it == most) exit
!case 5
    if (it <= most) exit
!case 7
    if (flag) then
      if (it >= most) exit
    end if
!case 8
    if (flag) cycle
    if (it >= most) exit
!case 9
    it = 0
    do
      it = it + 1
      if (it >= most) exit
    end do
!else
    if (it >= most) exit
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
!case 10
    it = 0
!case 11
    most = most + 1
!case 12
    if (flag) it = it - 1
!else

!end case
    call mpi_allreduce(part, r, 1, mpi_real, mpi_sum, mpi_comm_world, ierr)
  end subroutine
end program
