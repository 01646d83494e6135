! ui: counters
! A label that is a target of a jump begins a basic block.
      SUBROUTINE S(N)
      N = 1
   10 N = N + 1
   20 N = N * 2
      IF (N .LT. 9) GOTO 10
      DO 30 I = 1, N
   30 N = N + I
      END
