! ui: assumptions slice --propose-all
! The test of computed values sets a code in a callee; the branches that test the code are proposed: the one that ends the
! loop, and those that skip it before it begins.
program t
  use mpi
  implicit none
  real :: x(100), r(100), rr, norm
  integer :: ierr, code, i
  call mpi_init(ierr)
  call random_number(x)
  call solve(x, r, code)
  if (code /= 0) print *, 'not converged'
  call mpi_finalize(ierr)
contains
  subroutine solve(x, r, code)
    real :: x(100), r(100)
    integer, intent(out) :: code
    integer :: it
    it = 0
    call norm_of(x, norm)
    if (norm == 0.) then
      code = 0
      return
    end if
    call check(norm, it, code)
    if (code >= 0) return
    do
      it = it + 1
      do i = 1, 100
        x(i) = x(i) - 0.1 * r(i)
        r(i) = 0.5 * x(i)
      end do
      call norm_of(r, rr)
      call check(rr, it, code)
      if (code >= 0) exit
    end do
  end subroutine
  subroutine norm_of(v, s)
    real :: v(100), s
    s = sum(v**2)
    call mpi_allreduce(mpi_in_place, s, 1, mpi_real, mpi_sum, mpi_comm_world, ierr)
  end subroutine
  subroutine check(s, it, code)
    real :: s
    integer :: it, code
    code = -1
    if (s < 1e-6) then
      code = 0
    else if (it >= 500) then
      code = 1
    end if
  end subroutine
end program
