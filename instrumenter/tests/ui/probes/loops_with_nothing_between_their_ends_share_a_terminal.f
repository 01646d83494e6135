! ui: timed
! Loops with nothing between their ends keep one terminal statement.
! Others get a terminal of their own, behind what their timers need.
      PROGRAM P
      INTEGER I, J, K, L, E
      REAL A(3,4), S, X
      S = 0
      X = 1
      DO 30 I = 1, 3
      DO 30 J = 1, 4
   30 CALL MPI_BCAST(X, 1, 1, 0, 0, E)
      DO 40 I = 1, 3
         S = S + I
         DO 40 J = 1, 4
            IF (J .EQ. I) GOTO 40
            S = S*2 + J
   40 CALL MPI_BARRIER(0, E)
      PRINT *, S, X, I, J
      END
