c     The rank's part of the matrix by rows (columns counted from its own
c     first one), and the entries it is made from.
      double precision a
      integer colidx, rowstr, nentry
      common /matrix/ a(nz), colidx(nz), rowstr(na+1)

      double precision aelt
      integer arow, acol
      common /entries/ aelt(nz), arow(nz), acol(nz), nentry
