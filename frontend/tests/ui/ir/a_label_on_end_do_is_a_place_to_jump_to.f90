! ui: ir
! A label on end do is a place to jump to.
subroutine s

  do i = 1, 2
    if (i == 1) goto 5
    k = i
5 end do
end
