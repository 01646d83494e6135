! ui: ir
! Concurrent loops count in names of their own.
subroutine s
  real x(9, 9)
  do concurrent (i = 1:n)
    x(i, 1) = i
  end do
  do concurrent (i = 1:n, j = 0:3)
    x(i, j) = 1
  end do
  do concurrent (i = 1:n, x(i, 1) > 0)
    x(i, i) = 1
  end do
end
