! ui: ir
! A do that is not closed in fixed form.
!case 1
      subroutine s(n)
      do i = 1, n
      call f(i)
!case 2
      program p
      do 10 i = 1, n
      n = 2
!end case
      end
!case 1

!end case
      subroutine t(k)
!case 1
      do 10 i = 1, k
   10 k = 3
!case 2
      k = 3
!end case
      end
