! ui: ir
! A unit without end.
!case 1
subroutine s(n)
n = 1



!case 2
subroutine s(n)
n = 1
!end case
subroutine t(k)
k = 3
!case 1
end
!case 2
end subroutine t
!case 3
end
subroutine s(n)
n = 1
!case 4
end function
subroutine s(n)
n = 1
end
!end case
