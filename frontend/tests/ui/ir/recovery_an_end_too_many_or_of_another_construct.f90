! ui: ir
! An end too many or of another construct.
!case 1
subroutine s(n)
n = 1
end if
end
!case 2
subroutine s(n)
if (n > 1) then
n = 1
end do
end
!end case
subroutine t(k)
k = 3
!case 3
end
end module
subroutine u(k)
k = 4
!end case
end
