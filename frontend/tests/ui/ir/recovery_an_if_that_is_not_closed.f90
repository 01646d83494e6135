! ui: ir
! An if that is not closed.
subroutine s(n)
integer :: n
n = 1
if (n > 0) then
n = 2
end subroutine s
subroutine t(k)
k = 3
end
