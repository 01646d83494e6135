! ui: assumptions --propose-all
! A count in one condition with a test is its loops bound.
! - What another statement counts.
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
  do while (it < most .and. r > 1) !test
    it = it + 1
    call step()
  end do
!case 2
  do while (r > 1 .and. flag .and. most >= it) !test
    call step()
    it = it + 2
  end do
!case 3
  do while (.not. (r < 1 .or. it >= most)) !test
    it = it + 1
    call step()
  end do
!case 4
  do while (most > 0 .and. (r > 1 .or. it < 3)) !test
    most = most - 1
    it = it + 1
    call step()
  end do
!case 5
  do
    it = it + 1
    call step()
    if (it >= most .or. r < 1) exit !test
  end do
!case 6
  do
    it = it + 1
    call step()
    if (r < 1 .or. most <= it) exit !test
  end do
!case 7
  do
    it = it + 1
    call step()
    if (.not. (it < most .and. r > 1)) exit !test
  end do
!case 8
  do
    call step()
    if (r < 1 .or. it > 20) then !test
      flag = .false.
      exit
    end if
    it = it + 1
  end do
!case 9
10 it = it + 1
  call step()
  if (it < most .and. r > 1) goto 10 !test
!case 10
  do n = 1, 2
    it = 0
10  it = it + 1
    call step()
    if (it < most .and. r > 1) goto 10 !test
  end do
!case 11
  do while (r > 1) !test
    it = it + 1
    call step()
    if (it >= most) exit
  end do
!case 12
  do it = 1, most
    call step()
    if (r < 1 .or. it > 20) exit !test
  end do
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
