c     Timers of the phases, for runs with a timer.flag: 1 residual with
c     its ghost points, 2 these alone, 3 Jacobians, 4 and 5 the sweeps
c     with their messages.
      subroutine tbegin(i)
      include 'ludata.h'
      include 'mpif.h'
      integer i

      tstart(i) = MPI_Wtime()
      return
      end

      subroutine tend(i)
      include 'ludata.h'
      include 'mpif.h'
      integer i

      tsum(i) = tsum(i) + (MPI_Wtime() - tstart(i))
      return
      end

c     The longest time of each phase over all ranks; at level 2 the
c     shortest as well.
      subroutine treprt
      include 'ludata.h'
      include 'mpif.h'
      integer i, ierr
      double precision tlong(ntimer), tshort(ntimer)
      character*24 names(ntimer)
      data names /'residual', 'ghost points', 'Jacobians',
     >            'lower sweep', 'upper sweep'/

      call MPI_Reduce(tsum, tlong, ntimer, MPI_DOUBLE_PRECISION,
     >                MPI_MAX, 0, MPI_COMM_WORLD, ierr)
      if (timlev .gt. 1) then
         call MPI_Reduce(tsum, tshort, ntimer, MPI_DOUBLE_PRECISION,
     >                   MPI_MIN, 0, MPI_COMM_WORLD, ierr)
      endif
      if (me .ne. 0) return
      do 10 i = 1, ntimer
         write (*, 900) 'longest ', names(i), tlong(i)
         if (timlev .gt. 1) write (*, 900) 'shortest', names(i),
     >                                     tshort(i)
 10   continue
 900  format (1x, a8, 1x, a24, f12.4, ' s')
      end
