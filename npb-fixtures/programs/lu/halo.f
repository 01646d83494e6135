c     Ghost points, two deep, in x: what the lower neighbour has last,
c     then what the higher one has first.
      subroutine halox(v)
      include 'ludata.h'
      double precision v(5,-1:nx+2,-1:ny+2,npts)

      if (timlev .gt. 0) call tbegin(2)
      call shiftx(v, nx - 1, xhigh, -1, xlow)
      call shiftx(v, 1, xlow, nx + 1, xhigh)
      if (timlev .gt. 0) call tend(2)
      return
      end

c     The same in y.
      subroutine haloy(v)
      include 'ludata.h'
      double precision v(5,-1:nx+2,-1:ny+2,npts)

      if (timlev .gt. 0) call tbegin(2)
      call shifty(v, ny - 1, yhigh, -1, ylow)
      call shifty(v, 1, ylow, ny + 1, yhigh)
      if (timlev .gt. 0) call tend(2)
      return
      end

c     Sends the points at IOUT and IOUT+1 to rank TO, and has those at
c     IIN and IIN+1 from rank FROM.
      subroutine shiftx(v, iout, to, iin, from)
      include 'ludata.h'
      include 'mpif.h'
      double precision v(5,-1:nx+2,-1:ny+2,npts)
      integer iout, to, iin, from, length, request, ierr
      integer status(MPI_STATUS_SIZE)
      double precision outbuf, inbuf
      common /halos/ outbuf(maxhal), inbuf(maxhal)

      length = 10*ny*npts
      if (from .ne. nobody)
     >   call MPI_Irecv(inbuf(1), length, MPI_DOUBLE_PRECISION, from,
     >                  1, MPI_COMM_WORLD, request, ierr)
      if (to .ne. nobody) then
         call packx(v, iout, outbuf)
         call MPI_Send(outbuf(1), length, MPI_DOUBLE_PRECISION, to,
     >                 1, MPI_COMM_WORLD, ierr)
      endif
      if (from .ne. nobody) then
         call MPI_Wait(request, status, ierr)
         call unpckx(v, iin, inbuf)
      endif
      return
      end

      subroutine packx(v, i, buf)
      include 'ludata.h'
      double precision v(5,-1:nx+2,-1:ny+2,npts), buf(5,0:1,ny,npts)
      integer i, j, k, l, m

      do k = 1, npts
         do j = 1, ny
            do l = 0, 1
               do m = 1, 5
                  buf(m,l,j,k) = v(m,i+l,j,k)
               enddo
            enddo
         enddo
      enddo
      return
      end

      subroutine unpckx(v, i, buf)
      include 'ludata.h'
      double precision v(5,-1:nx+2,-1:ny+2,npts), buf(5,0:1,ny,npts)
      integer i, j, k, l, m

      do k = 1, npts
         do j = 1, ny
            do l = 0, 1
               do m = 1, 5
                  v(m,i+l,j,k) = buf(m,l,j,k)
               enddo
            enddo
         enddo
      enddo
      return
      end

c     As SHIFTX, in y.
      subroutine shifty(v, jout, to, jin, from)
      include 'ludata.h'
      include 'mpif.h'
      double precision v(5,-1:nx+2,-1:ny+2,npts)
      integer jout, to, jin, from, length, request, ierr
      integer status(MPI_STATUS_SIZE)
      double precision outbuf, inbuf
      common /halos/ outbuf(maxhal), inbuf(maxhal)

      length = 10*nx*npts
      if (from .ne. nobody)
     >   call MPI_Irecv(inbuf(1), length, MPI_DOUBLE_PRECISION, from,
     >                  1, MPI_COMM_WORLD, request, ierr)
      if (to .ne. nobody) then
         call packy(v, jout, outbuf)
         call MPI_Send(outbuf(1), length, MPI_DOUBLE_PRECISION, to,
     >                 1, MPI_COMM_WORLD, ierr)
      endif
      if (from .ne. nobody) then
         call MPI_Wait(request, status, ierr)
         call unpcky(v, jin, inbuf)
      endif
      return
      end

      subroutine packy(v, j, buf)
      include 'ludata.h'
      double precision v(5,-1:nx+2,-1:ny+2,npts), buf(5,nx,0:1,npts)
      integer i, j, k, l, m

      do k = 1, npts
         do l = 0, 1
            do i = 1, nx
               do m = 1, 5
                  buf(m,i,l,k) = v(m,i,j+l,k)
               enddo
            enddo
         enddo
      enddo
      return
      end

      subroutine unpcky(v, j, buf)
      include 'ludata.h'
      double precision v(5,-1:nx+2,-1:ny+2,npts), buf(5,nx,0:1,npts)
      integer i, j, k, l, m

      do k = 1, npts
         do l = 0, 1
            do i = 1, nx
               do m = 1, 5
                  v(m,i,j+l,k) = buf(m,i,l,k)
               enddo
            enddo
         enddo
      enddo
      return
      end
