! ui: ir
! Allocation.
subroutine s
  real, allocatable :: a(:)
!case 1
  allocate(a(0:n), stat=k)
  deallocate(a)
!case 2
  allocate(a, source=b)
!end case
end
