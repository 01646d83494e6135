! ui: ir
! Input output.
subroutine s
!case 1

  write(*, 10) x, (y, i = 1, n)
10 format (f8.3)
  print *, x
  read(5, *, end=20, iostat=k) a
20 continue
!case 2
  character*8 line
  read(line, '(i4)') i
  open(unit=u, file=name, err=9)
  rewind(u)
  rewind u
  close(u)
9 inquire(file=name, exist=l)
!case 3
  namelist /g/ a, b
  read(5, nml=g)
  write(*, g)
  read *, x
!end case
end
