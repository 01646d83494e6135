! ui: ir
! Loops.
subroutine s

!case 1
  do i = 1, n
    cycle
  end do
  do i = n, 1, -1
    exit
  end do
  do while (i < 3)
    i = i + 1
  end do
  do
    exit
  end do
!case 2
  a: do i = 1, n
  b: if (i == 2) then
  exit b
else
  cycle a
end if b
end do a
!end case
end
