c     The exact solution at a point of the cube: for each of the five
c     numbers a polynomial of degree four in x, y and z, without mixed
c     terms.
      subroutine exact(i, j, k, v)
      include 'ludata.h'
      integer i, j, k, m
      double precision v(5), x, y, z
      double precision at0(5), ofx(5,4), ofy(5,4), ofz(5,4)
      data at0 /2.0d0, 1.0d0, 2.0d0, 2.0d0, 5.0d0/
      data ofx /0.0d0, 0.0d0, 2.0d0, 2.0d0, 4.0d0,
     >          5.0d0, 1.0d0, 0.0d0, 0.0d0, 0.1d0,
     >          0.02d0, 0.01d0, 0.04d0, 0.03d0, 0.05d0,
     >          0.5d0, 0.4d0, 0.3d0, 0.2d0, 0.1d0/
      data ofy /0.0d0, 0.0d0, 0.0d0, 0.0d0, 3.0d0,
     >          3.0d0, 2.0d0, 2.0d0, 2.0d0, 0.4d0,
     >          0.01d0, 0.03d0, 0.03d0, 0.05d0, 0.04d0,
     >          0.4d0, 0.3d0, 0.5d0, 0.1d0, 0.3d0/
      data ofz /4.0d0, 0.0d0, 0.0d0, 0.0d0, 2.0d0,
     >          0.5d0, 3.0d0, 3.0d0, 3.0d0, 0.3d0,
     >          0.03d0, 0.02d0, 0.05d0, 0.04d0, 0.03d0,
     >          0.3d0, 0.5d0, 0.4d0, 0.3d0, 0.2d0/

      x = dble(i - 1)/dble(npts - 1)
      y = dble(j - 1)/dble(npts - 1)
      z = dble(k - 1)/dble(npts - 1)
      do 10 m = 1, 5
         v(m) = at0(m)
     >      + x*(ofx(m,1) + x*(ofx(m,2) + x*(ofx(m,3) + x*ofx(m,4))))
     >      + y*(ofy(m,1) + y*(ofy(m,2) + y*(ofy(m,3) + y*ofy(m,4))))
     >      + z*(ofz(m,1) + z*(ofz(m,2) + z*(ofz(m,3) + z*ofz(m,4))))
 10   continue
      return
      end

c     The exact solution at all points of the rank.
      subroutine exactf(v)
      include 'ludata.h'
      double precision v(5,-1:nx+2,-1:ny+2,npts)
      integer i, j, k

      do k = 1, npts
         do j = 1, ny
            do i = 1, nx
               call exact(ioff + i, joff + j, k, v(1,i,j,k))
            enddo
         enddo
      enddo
      return
      end

c     What the steps start from: on the faces of the cube the exact
c     solution, inside it what lies between those of opposite faces.
      subroutine start(u)
      include 'ludata.h'
      double precision u(5,-1:nx+2,-1:ny+2,npts)
      integer i, j, k

      call exactf(u)
      do k = 2, npts - 1
         do j = jlo, jhi
            do i = ilo, ihi
               call blend(ioff + i, joff + j, k, u(1,i,j,k))
            enddo
         enddo
      enddo
      return
      end

c     Interpolates linearly between the exact solutions at both ends in
c     each direction, and blends the three.
      subroutine blend(i, j, k, v)
      include 'ludata.h'
      integer i, j, k, m
      double precision v(5), inx(5), iny(5), inz(5), low(5), high(5)

      call exact(1, j, k, low)
      call exact(npts, j, k, high)
      call betwen(low, high, i, inx)
      call exact(i, 1, k, low)
      call exact(i, npts, k, high)
      call betwen(low, high, j, iny)
      call exact(i, j, 1, low)
      call exact(i, j, npts, high)
      call betwen(low, high, k, inz)
      do 10 m = 1, 5
         v(m) = 1.0d0
     >        - (1.0d0 - inx(m))*(1.0d0 - iny(m))*(1.0d0 - inz(m))
 10   continue
      return
      end

c     V at point L of a line from LOW to HIGH.
      subroutine betwen(low, high, l, v)
      include 'ludata.h'
      double precision low(5), high(5), v(5), part
      integer l, m

      part = dble(l - 1)/dble(npts - 1)
      do 10 m = 1, 5
         v(m) = (1.0d0 - part)*low(m) + part*high(m)
 10   continue
      return
      end
