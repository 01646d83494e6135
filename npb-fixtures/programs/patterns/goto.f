c     Jumps round MPI calls, as old programs have them: a backward loop,
c     a jump out of a DO, one over a call, a computed GOTO, a RETURN in
c     the middle. Any number of ranks; all of them jump alike, but for
c     the message from the last rank to the first.
      program jumps
      implicit none
      include 'mpif.h'
      integer me, nranks, ierr, round, i, way, status(MPI_STATUS_SIZE)
      double precision v(2), most(2)

      call MPI_Init(ierr)
      call MPI_Comm_rank(MPI_COMM_WORLD, me, ierr)
      call MPI_Comm_size(MPI_COMM_WORLD, nranks, ierr)
      v(1) = dble(me)
      v(2) = 1.0d0
      round = 0

 100  round = round + 1
      if (round .gt. 6) goto 900
      way = mod(round, 3) + 1
      goto (200, 300, 400), way

 200  call MPI_Barrier(MPI_COMM_WORLD, ierr)
      goto 100

 300  do 310 i = 1, 5
         if (i .gt. round/2 + 1) goto 320
         call MPI_Allreduce(v, most, 2, MPI_DOUBLE_PRECISION, MPI_MAX,
     >                      MPI_COMM_WORLD, ierr)
         v(2) = v(2) + most(2)
 310  continue
 320  continue
      goto 100

 400  if (nranks .eq. 1) goto 100
      if (me .ne. 0) goto 410
      call MPI_Recv(v(1), 1, MPI_DOUBLE_PRECISION, nranks-1, round,
     >              MPI_COMM_WORLD, status, ierr)
      goto 100
 410  if (me .eq. nranks-1)
     >   call MPI_Send(v(1), 1, MPI_DOUBLE_PRECISION, 0, round,
     >                 MPI_COMM_WORLD, ierr)
      goto 100

 900  call last(me, round)
      if (me .eq. 0) write (*, *) 'jumps', round, v(2)
      call MPI_Finalize(ierr)
      end

      subroutine last(me, round)
      implicit none
      include 'mpif.h'
      integer me, round, ierr

      if (round .lt. 7) return
      call MPI_Barrier(MPI_COMM_WORLD, ierr)
      if (me .ge. 0) return
      call MPI_Abort(MPI_COMM_WORLD, 2, ierr)
      end
