! ui: ir
! Array element or function.
subroutine s
!case 1
  integer a(3), f
  external g
  i = a(1) + f(2) + g(3) + mod(i, 2)
!case 2
  dimension b(2)
  common /c/ d(3)
  real, allocatable :: e(:)
  character*8 s
  b(1) = d(2) + e(3)
  s(1:2) = s(3:4)
!end case
end
