! ui: counters
! A basic block counts its statements as it begins.
subroutine s(n)
  integer n
  n = 1
  n = 2
  do i = 1, n
    n = 3
    if (n > 2) n = 4
  end do
  n = 5
end
