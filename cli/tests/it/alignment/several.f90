program several
  use mpi
  implicit none
  integer :: error, a, b, c, d
  real(8) :: cold(2, 2, 2, 2)
  real :: x(400), y(400)
  call mpi_init(error)
  do a = 1, 2
    do b = 1, 2
      do c = 1, 2
        do d = 1, 2
          cold(d, c, b, a) = sqrt(real(a + b + c + d, 8))
        end do
      end do
    end do
  end do
  x = 1
  y = real(cold(1, 2, 1, 2))
  do a = 1, 3
    call work(x, y, 400)
  end do
  call mpi_finalize(error)
  if (x(1) + y(1) < 0) print *, x, y
contains
  subroutine work(x, y, n)
    integer, intent(in) :: n
    real, intent(inout) :: x(n), y(n)
    real :: total
    integer :: i
    do i = 1, n
      if (x(i) > 0) x(i) = sqrt(x(i) + i)
    end do
    call mpi_allreduce(x(1), total, 1, mpi_real, mpi_sum, mpi_comm_world, error)
    do i = 2, n
      y(i) = y(i) / (total + y(i - 1))
    end do
    call mpi_allreduce(y(1), total, 1, mpi_real, mpi_sum, mpi_comm_world, error)
    y(1) = total
  end subroutine
end program
