c     The grid of ranks: NPX by NPY, both powers of two, equal or NPX
c     twice NPY, numbered along x first. Each rank has its share of the
c     cube's points in x and y, and all in z.
      subroutine mkgrid
      include 'ludata.h'
      integer l2, ix, iy

      l2 = 0
 10   if (2**l2 .lt. nranks) then
         l2 = l2 + 1
         goto 10
      endif
      if (2**l2 .ne. nranks) call refuse(
     >   'LU needs a power of two of ranks, not', nranks)
      npx = 2**((l2 + 1)/2)
      npy = nranks/npx
      if (npts/npx .lt. 3) call refuse(
     >   'LU needs three points a rank in x and y: too many ranks:',
     >   nranks)

      ix = mod(me, npx)
      iy = me/npx
      call share(npts, npx, ix, ioff, nx)
      call share(npts, npy, iy, joff, ny)
      call sides(ix, npx, 1, nx, xlow, xhigh, ilo, ihi, ilo3, ihi3)
      call sides(iy, npy, npx, ny, ylow, yhigh, jlo, jhi, jlo3, jhi3)
      return
      end

c     Says what is wrong with N ranks and ends the run. The barrier lets
c     the sentence out before anybody does.
      subroutine refuse(what, n)
      include 'ludata.h'
      include 'mpif.h'
      character*(*) what
      integer n, ierr

      if (me .eq. 0) write (0, 900) what, n
      call MPI_Barrier(MPI_COMM_WORLD, ierr)
      call MPI_Abort(MPI_COMM_WORLD, 1, ierr)
      stop
 900  format (1x, a, i6)
      end

c     Share number K (from 0) of 1..N cut in PARTS nearly equal ones:
c     how many come before it, and how many it has.
      subroutine share(n, parts, k, before, length)
      implicit none
      integer n, parts, k, before, length

      length = n/parts
      before = k*length + min(k, mod(n, parts))
      if (k .lt. mod(n, parts)) length = length + 1
      return
      end

c     In one direction, with NP ranks whose numbers are STRIDE apart:
c     the neighbours of the rank at place K (from 0); of its N points
c     those inside the cube and those at least three points inside.
      subroutine sides(k, np, stride, n, low, high,
     >                 first, last, first3, last3)
      include 'ludata.h'
      integer k, np, stride, n, low, high, first, last, first3, last3

      low = nobody
      high = nobody
      first = 2
      first3 = 4
      last = n - 1
      last3 = n - 3
      if (k .gt. 0) then
         low = me - stride
         first = 1
         first3 = 1
      endif
      if (k .lt. np - 1) then
         high = me + stride
         last = n
         last3 = n
      endif
      return
      end
