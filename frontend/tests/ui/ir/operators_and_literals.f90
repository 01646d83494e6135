! ui: ir
! Operators and literals.
subroutine s
!case 1
  logical p, q
  character*4 s
  p = .not. q .and. 1 .le. 2 .or. p .neqv. q
  x = -a**2 + 3_8 - 1.5D0
  s = 'a' // "b"
  y = (/ 1, 2 /)
  z = (1.0, 2.0)
!case 2
  type(t) u
  u%a(3)%b = v%c
!end case
end
