c     CG, "conjugate gradient", from its specification (RNR-94-007,
c     section 3.2): the smallest eigenvalue of a large, sparse, symmetric
c     positive definite matrix with random pattern, by inverse power
c     iteration, each step of which is 25 iterations of conjugate
c     gradients. The matrix is shared out over a two-dimensional grid of
c     ranks, whose number is a power of two.
c
c     The problem class comes from the include directory, the number of
c     ranks from the run. If a file timer.flag exists where rank 0 runs,
c     the times of the phases are reported as well.
      program cg
      include 'cgdata.h'
      include 'vector.h'
      include 'mpif.h'
      integer root
      parameter (root = 0)
      double precision epsiln
      parameter (epsiln = 1.0d-10)
      integer it, i, ierr
      double precision zeta, rnorm, dots(2), t0, tmine, tmax
      logical good
      data good /.false./

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
      call makea

c     One untimed step touches all pages and loads all code.
      call start1
      call conjgd(rnorm)
      call scalex(dots)

      do 10 i = 1, ntimer
         tsum(i) = 0.0d0
 10   continue

      call start1
      zeta = 0.0d0
      call MPI_Barrier(MPI_COMM_WORLD, ierr)
      t0 = MPI_Wtime()

      do it = 1, niter
         if (timlev .gt. 0) call tbegin(1)
         call conjgd(rnorm)
         if (timlev .gt. 0) call tend(1)
         call scalex(dots)
         zeta = shift + 1.0d0/dots(1)
         if (me .eq. root) write (*, 910) it, rnorm, zeta
      enddo

      tmine = MPI_Wtime() - t0
      call MPI_Reduce(tmine, tmax, 1, MPI_DOUBLE_PRECISION, MPI_MAX,
     >                root, MPI_COMM_WORLD, ierr)
      if (timlev .gt. 0) call treprt

      if (me .eq. root) then
         good = dabs(zeta - zetaok)/zetaok .le. epsiln
         write (*, 920) zeta, tmax
         if (good) then
            write (*, 930) 'SUCCESSFUL'
         else
            write (*, 930) 'FAILED'
         endif
      endif
      call MPI_Finalize(ierr)

 900  format (' CG, problem class ', a1, ' on ', i5, ' ranks')
 910  format (' step ', i4, '  residual ', es12.4, '  zeta ', f20.13)
 920  format (' zeta ', f20.13 / ' time ', f12.4, ' s')
 930  format (' CG verification ', a)
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

c     The vector to start from: all ones.
      subroutine start1
      include 'cgdata.h'
      include 'vector.h'
      integer j

      do j = 1, ncols
         x(j) = 1.0d0
      enddo
      return
      end

c     DOTS = (x.z, z.z); then x = z/|z|.
      subroutine scalex(dots)
      include 'cgdata.h'
      include 'vector.h'
      double precision dots(2), factor
      integer j

      dots(1) = 0.0d0
      dots(2) = 0.0d0
      do j = 1, ncols
         dots(1) = dots(1) + x(j)*z(j)
         dots(2) = dots(2) + z(j)*z(j)
      enddo
      call rowsum(dots, 2)
      factor = 1.0d0/dsqrt(dots(2))
      do j = 1, ncols
         x(j) = factor*z(j)
      enddo
      return
      end
