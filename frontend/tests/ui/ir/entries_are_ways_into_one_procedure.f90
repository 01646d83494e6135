! ui: ir
! Entries are ways into one procedure.
!case 1
subroutine s(a, b)
  a = b
  return
  entry t(c, b)
  c = b
!case 2
program p
  x = g(1.0)
!end case
end
!case 1
subroutine u
  call s(1.0, 2.0)
  call t(3.0, 4.0)
!case 2
real function f(a)
  f = a
  return
  entry g(a)
  g = 2*a
!end case
end
