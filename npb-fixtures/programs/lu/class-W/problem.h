c     LU, problem class W: points a side, steps, length of a step; what
c     to compare with: norms of residual and error, surface integral.
      implicit none
      character*1 prbcls
      integer npts, nsteps
      double precision dt, resok1, resok2, resok3, resok4, resok5
      double precision errok1, errok2, errok3, errok4, errok5, srfok
      parameter (prbcls = 'W')
      parameter (npts = 33, nsteps = 300, dt = 1.5d-3)
      parameter (resok1 = 1.236511638192d+01,
     >           resok2 = 1.317228477799d+00,
     >           resok3 = 2.550120713095d+00,
     >           resok4 = 2.326187750252d+00,
     >           resok5 = 2.826799444189d+01)
      parameter (errok1 = 4.867877144216d-01,
     >           errok2 = 5.064652880982d-02,
     >           errok3 = 9.281818101960d-02,
     >           errok4 = 8.570126542733d-02,
     >           errok5 = 1.084277417792d+00)
      parameter (srfok = 1.161399311023d+01)
