c     The fields: the solution, its residual (first the right-hand side,
c     then the change of a step), the forcing term.
      double precision u, rsd, frct
      common /fields/ u(maxfld), rsd(maxfld), frct(maxfld)
