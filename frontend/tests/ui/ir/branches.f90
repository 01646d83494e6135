! ui: ir
! Branches.
subroutine s
!case 1

  if (a) goto 10
  if (a) then
    x = 1
  else if (b) then
    x = 2
  else
    x = 3
  end if
10 continue
!case 2

  select case (k)
  case (1, 3:4)
    x = 1
  case default
    x = 2
  end select
!case 3

  go to (1, 2), k
1 if (x) 1, 2, 3
2 stop
3 error stop 4
!case 4
  integer m
  assign 5 to m
  goto m, (5)
5 continue
!end case
end
