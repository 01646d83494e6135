! ui: sliced
! Removed lines become comments, so that line numbers stay.
      PROGRAM P
      INTEGER I, J, E
      REAL A(3,4), S
      S = 0
      DO 10 I = 1, 3
         CALL MPI_BARRIER(0, E)
         DO 10 J = 1, 4
            IF (J .EQ. 2) GOTO 10
            A(I,J) = I*J
            S = S + A(I,J)
   10 CONTINUE
      DO 20 I = 1, 3
         CALL MPI_BARRIER(0, E)
         S = S + 1
         IF (I .EQ. 2) GOTO 20
         S = S*2
   20 S = S + 0.5
      PRINT *, S
      END
