! ui: ir
! Ends of blocks may have labels.
subroutine s
  integer :: n
!case 1
  block
    if (n > 3) goto 20
    n = 4
20 end block
  n = 5
end
!case 2
  b: block
  if (n > 3) goto 20
  n = 4
20 ENDBLOCK b
  n = 5
end
!case 3
  associate (x => n)
    if (n > 3) goto 20
    n = 4
20 end associate
  n = 5
end
!case 4
  associate (x => n)
    if (n > 3) goto 20
    n = 4
20  endassociate
    n = 5
  end
!end case
