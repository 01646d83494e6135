! ui: ir
! Labelled loops.
      program p
      do 10 i = 1, n
      do 10 j = 1, n
      k = j
   10 k = i
      do 20 i = 1, 2
   20 continue
      do 30 i = 1, 2
   30 enddo
      end
