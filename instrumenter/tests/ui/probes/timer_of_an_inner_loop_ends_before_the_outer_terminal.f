! ui: timed
! The timer of an inner loop ends before the terminal statement of the loops around it.
      PROGRAM P
      INTEGER I, J, K, L, E
      REAL A(3,4), S, X
      S = 0
      X = 1
      DO 30 I = 1, 3
      DO 30 J = 1, 2
         S = S + J
         DO 30 K = 1, 2
   30 CALL MPI_BARRIER(0, E)
      DO 40 I = 1, 3
      DO 40 J = 1, 2
         DO 40 K = 1, 2
         CALL MPI_BARRIER(0, E)
         IF (K .EQ. J) GOTO 40
         S = S*2
   40 S = S + 1
      DO 50 I = 1, 3
         S = S + 1
         DO 50 J = 1, 2
         CALL MPI_BARRIER(0, E)
         DO 50 K = 1, 2
            IF (K .EQ. J) GOTO 50
            S = S + K
   50 CONTINUE
      DO 60 I = 1, 3
         CALL MPI_BARRIER(0, E)
         DO 60 J = 1, 2
         DO 60 K = 1, 2
            IF (K .EQ. I) GOTO 60
            S = S + K
   60 S = S + J
      DO 70 I = 1, 3
      DO 70 J = 1, 2
         CALL MPI_BARRIER(0, E)
         DO 70 K = 1, 2
         DO 70 L = 1, 2
   70 S = S + K*L
      PRINT *, S, X, I, J
      END
