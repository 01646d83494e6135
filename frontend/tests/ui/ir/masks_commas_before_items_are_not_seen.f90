! ui: ir
! Compilers take a comma before the items for granted, with a warning.
subroutine s
!case 1
  integer n, m, u
  character(30) a
  read(a, '(I30)'), n
  write(*,*), n, m
  if (n > 3) read(u) , m
  write (u, '(i3)'), (n, m = 1, 2)
!case 2
  integer n
  character(30) f
  read (f), n
  read ('(i3)'), n
  read (f) n
!end case
end
