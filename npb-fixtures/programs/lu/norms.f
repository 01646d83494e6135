c     The root of the mean square of V inside the cube, for each of the
c     five numbers of a point.
      subroutine rmsnrm(v, norm)
      include 'ludata.h'
      double precision v(5,-1:nx+2,-1:ny+2,npts), norm(5), part(5)
      integer i, j, k, m

      do m = 1, 5
         part(m) = 0.0d0
      enddo
      do k = 2, npts - 1
         do j = jlo, jhi
            do i = ilo, ihi
               do m = 1, 5
                  part(m) = part(m) + v(m,i,j,k)**2
               enddo
            enddo
         enddo
      enddo
      call rmsall(part, norm)
      return
      end

c     The same of the difference of U and the exact solution.
      subroutine rmserr(u, norm)
      include 'ludata.h'
      double precision u(5,-1:nx+2,-1:ny+2,npts), norm(5), part(5)
      double precision v(5)
      integer i, j, k, m

      do m = 1, 5
         part(m) = 0.0d0
      enddo
      do k = 2, npts - 1
         do j = jlo, jhi
            do i = ilo, ihi
               call exact(ioff + i, joff + j, k, v)
               do m = 1, 5
                  part(m) = part(m) + (v(m) - u(m,i,j,k))**2
               enddo
            enddo
         enddo
      enddo
      call rmsall(part, norm)
      return
      end

c     Sums of squares of each rank to roots of mean squares of all.
      subroutine rmsall(part, norm)
      include 'ludata.h'
      include 'mpif.h'
      double precision part(5), norm(5)
      integer m, ierr

      call MPI_Allreduce(part, norm, 5, MPI_DOUBLE_PRECISION, MPI_SUM,
     >                   MPI_COMM_WORLD, ierr)
      do m = 1, 5
         norm(m) = dsqrt(norm(m)/dble(npts - 2)**3)
      enddo
      return
      end
