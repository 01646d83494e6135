c     Rows of pressures for the surface integral: each rank has them
c     from its higher neighbour, then gives its own to the lower one.

c     Of both faces across z, in y.
      subroutine edgesy
      include 'ludata.h'
      include 'face.h'
      include 'mpif.h'
      double precision row(2*(npts+2))
      integer i, ierr
      integer status(MPI_STATUS_SIZE)

      if (yhigh .ne. nobody) then
         call MPI_Recv(row(1), 2*nx, MPI_DOUBLE_PRECISION, yhigh, 4,
     >                 MPI_COMM_WORLD, status, ierr)
         do i = 1, nx
            pface(i,ny+1,1) = row(i)
            pface(i,ny+1,2) = row(nx+i)
         enddo
      endif
      if (ylow .ne. nobody) then
         do i = 1, nx
            row(i) = pface(i,1,1)
            row(nx+i) = pface(i,1,2)
         enddo
         call MPI_Send(row(1), 2*nx, MPI_DOUBLE_PRECISION, ylow, 4,
     >                 MPI_COMM_WORLD, ierr)
      endif
      return
      end

c     The same in x, with what has come in y at the ends.
      subroutine edgesx
      include 'ludata.h'
      include 'face.h'
      include 'mpif.h'
      double precision row(2*(npts+2))
      integer j, ierr
      integer status(MPI_STATUS_SIZE)

      if (xhigh .ne. nobody) then
         call MPI_Recv(row(1), 2*(ny+2), MPI_DOUBLE_PRECISION, xhigh, 5,
     >                 MPI_COMM_WORLD, status, ierr)
         do j = 0, ny + 1
            pface(nx+1,j,1) = row(j+1)
            pface(nx+1,j,2) = row(ny+2+j+1)
         enddo
      endif
      if (xlow .ne. nobody) then
         do j = 0, ny + 1
            row(j+1) = pface(1,j,1)
            row(ny+2+j+1) = pface(1,j,2)
         enddo
         call MPI_Send(row(1), 2*(ny+2), MPI_DOUBLE_PRECISION, xlow, 5,
     >                 MPI_COMM_WORLD, ierr)
      endif
      return
      end

c     Of one face that stands on z, with LENGTH points of the rank along
c     its other side: from rank FROM, to rank TO.
      subroutine edgesz(p, length, from, to)
      include 'ludata.h'
      include 'mpif.h'
      double precision p(0:npts+1,0:npts+1), row(npts)
      integer length, from, to, k, ierr
      integer status(MPI_STATUS_SIZE)

      if (from .ne. nobody) then
         call MPI_Recv(row(1), npts, MPI_DOUBLE_PRECISION, from, 6,
     >                 MPI_COMM_WORLD, status, ierr)
         do k = 1, npts
            p(length+1,k) = row(k)
         enddo
      endif
      if (to .ne. nobody) then
         do k = 1, npts
            row(k) = p(1,k)
         enddo
         call MPI_Send(row(1), npts, MPI_DOUBLE_PRECISION, to, 6,
     >                 MPI_COMM_WORLD, ierr)
      endif
      return
      end

c     The sum over all ranks.
      subroutine sumall(part, all)
      implicit none
      include 'mpif.h'
      double precision part(1), all(1)
      integer ierr

      call MPI_Allreduce(part, all, 1, MPI_DOUBLE_PRECISION, MPI_SUM,
     >                   MPI_COMM_WORLD, ierr)
      return
      end
