c     LU, "simulated CFD application", from its specification
c     (RNR-94-007, section 4): five coupled equations of a viscous,
c     compressible gas in a cube, led in pseudo-time to a known steady
c     solution by symmetric successive over-relaxation. Each half of a
c     step is the solution of a block-triangular system, plane by plane,
c     as a wave over a two-dimensional grid of ranks, whose number is a
c     power of two.
c
c     The problem class comes from the include directory, the number of
c     ranks from the run. If a file timer.flag exists where rank 0 runs,
c     the times of the phases are reported as well.
      program lu
      include 'ludata.h'
      include 'field.h'
      include 'mpif.h'
      integer root
      parameter (root = 0)
      integer i, ierr
      double precision resnrm(5), errnrm(5), srface, t0, tmine, tmax

      call MPI_Init(ierr)
      call MPI_Comm_rank(MPI_COMM_WORLD, me, ierr)
      call MPI_Comm_size(MPI_COMM_WORLD, nranks, ierr)

      if (me .eq. root) then
         write (*, 900) prbcls, nranks
         call rdflag(timlev)
      endif
      call MPI_Bcast(timlev, 1, MPI_INTEGER, root, MPI_COMM_WORLD,
     >               ierr)

      call mkgrid
      call forcng(resid, force)

c     One untimed step touches all pages and loads all code.
      call start(u)
      call residu(u, force, resid)
      call rmsnrm(resid, resnrm)
      call march(1, u, force, resid, resnrm)

      do 10 i = 1, ntimer
         tsum(i) = 0.0d0
 10   continue

      call start(u)
      call residu(u, force, resid)
      call rmsnrm(resid, resnrm)
      call MPI_Barrier(MPI_COMM_WORLD, ierr)
      t0 = MPI_Wtime()
      call march(nsteps, u, force, resid, resnrm)
      tmine = MPI_Wtime() - t0
      call MPI_Reduce(tmine, tmax, 1, MPI_DOUBLE_PRECISION, MPI_MAX,
     >                root, MPI_COMM_WORLD, ierr)
      if (timlev .gt. 0) call treprt

      call rmserr(u, errnrm)
      call surfac(u, srface)
      if (me .eq. root) then
         write (*, 910) tmax
         call verify(resnrm, errnrm, srface)
      endif
      call MPI_Finalize(ierr)

 900  format (' LU, problem class ', a1, ' on ', i5, ' ranks')
 910  format (' time ', f12.4, ' s')
      end

c     The level in the first line of timer.flag; 1 if the file is there
c     but empty, 0 without file.
      subroutine rdflag(level)
      implicit none
      integer level, ios

      level = 0
      open (unit=2, file='timer.flag', status='old', iostat=ios)
      if (ios .ne. 0) return
      read (2, *, iostat=ios) level
      if (ios .ne. 0) level = 1
      close (2)
      return
      end

c     Compares norms and surface integral with the official ones.
      subroutine verify(resnrm, errnrm, srface)
      include 'ludata.h'
      double precision resnrm(5), errnrm(5), srface
      double precision resok(5), errok(5)
      data resok /resok1, resok2, resok3, resok4, resok5/
      data errok /errok1, errok2, errok3, errok4, errok5/
      integer m
      logical good, near

      good = .true.
      do 10 m = 1, 5
         good = near('residual', resnrm(m), resok(m)) .and. good
 10   continue
      do 20 m = 1, 5
         good = near('error', errnrm(m), errok(m)) .and. good
 20   continue
      good = near('surface', srface, srfok) .and. good

      if (good) then
         write (*, 900) 'SUCCESSFUL'
      else
         write (*, 900) 'FAILED'
      endif
      return
 900  format (' LU verification ', a)
      end

c     Whether FOUND is the official value, to a relative 1e-8.
      logical function near(what, found, offic)
      implicit none
      character*(*) what
      double precision found, offic, apart, epsiln
      parameter (epsiln = 1.0d-8)

      apart = dabs((found - offic)/offic)
      near = apart .le. epsiln
      write (*, 900) what, found, offic, apart
      return
 900  format (1x, a8, 2es24.15, es10.2)
      end
