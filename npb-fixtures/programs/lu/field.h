c     The fields: the solution, its residual (first the right-hand side,
c     then the change of a step), the forcing term.
      double precision u, resid, force
      common /fields/ u(maxfld), resid(maxfld), force(maxfld)
