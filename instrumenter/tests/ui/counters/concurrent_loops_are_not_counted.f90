! ui: counters
! A body of DO CONCURRENT may only call PURE procedures, so only the loop itself is counted.
program p
  integer i, j, a(4)
  do concurrent (i = 1:4, a(i) > 0)
    if (i > 1) then
      a(i) = i
    end if
  end do
  do j = 1, 4
    a(j) = j
  end do
end
