! ui: counters
! Each branch counts its own statements.
subroutine s(n)
  if (n > 2) then
    n = 4
  else if (n > 1) then
  else
    n = 1
    n = 2
  end if
  select case (n)
  case (1)
    n = 3
  case default
    n = 5
  end select
end
