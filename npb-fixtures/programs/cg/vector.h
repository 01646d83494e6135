c     Vectors by columns of the grid (X, Z, P, Q, R), by rows (W), and
c     room for what partners send (RECBUF).
      double precision x, z, p, q, r, w, recbuf
      common /vector/ x(na), z(na), p(na), q(na), r(na), w(na),
     >                recbuf(na)
