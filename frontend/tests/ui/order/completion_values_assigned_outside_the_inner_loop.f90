! ui: order
! How often that is made depends on time.
module shared
  use mpi
  integer, parameter :: n = 3
  integer :: list(n), statuses(mpi_status_size, n), number, total, last
  real :: w(1000)
contains
  subroutine first()
    integer :: j
    do j = 1, list(1)
      w(j) = 0
    end do
  end subroutine
  subroutine by_number()
    integer :: j
    do j = 1, number
      w(j) = 0
    end do
  end subroutine
  subroutine upto(many)
    integer :: many, j
    do j = 1, many
      w(j) = 0
    end do
  end subroutine
  integer function numbered()
    numbered = number
  end function
  integer function next()
    integer, save :: state = 0
    state = state + 1
    next = state
  end function
  integer function sum_with(more)
    integer :: more
    total = total + more
    sum_with = total
  end function
  integer function twice(of)
    integer :: of
    twice = 2 * of
  end function
  subroutine automatic(many)
    integer :: many
    real :: made(many)
    made = 1
    w(1) = sum(made)
  end subroutine
  subroutine text(many)
    integer :: many
    character(len=many) :: made
    made = 'a'
    print *, made
  end subroutine
  subroutine sized(array, many)
    integer :: many
    real :: array(many)
    array = array + 1
  end subroutine
end module
program t
  use shared
  integer :: i, j, index, count, done, error, reqs(n)
  integer, allocatable :: made(:)
  character(len=100) :: line
  call mpi_init(error)
  done = 0
  do while (done < n)
    call mpi_waitsome(n, reqs, count, list, statuses, error)
    do number = 1, count
      do j = 1, last
        w(j) = 0
      end do
    end do
    done = done + count
!case 2
    i = 3
!case 3
    last = 3
!case 4
    last = last + 1
!case 5
    last = last + count * count
!case 6
    i = 3
    last = i
!case 1
!end case
  end do
  call mpi_finalize(error)
end program
