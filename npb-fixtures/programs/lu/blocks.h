c     The 5 by 5 blocks of one plane of points: on the diagonal, and of
c     the neighbours in x, y and z.
      double precision diag, nearx, neary, nearz
      common /blocks/ diag(maxblk), nearx(maxblk), neary(maxblk),
     >                nearz(maxblk)
