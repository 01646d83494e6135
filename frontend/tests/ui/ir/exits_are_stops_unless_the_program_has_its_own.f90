! ui: ir
! Exits are stops unless the program has its own.
!case 1
subroutine s

  call exit(1)
  call abort
!case 2
call exit(1)
end
subroutine exit(i)
!end case
end
