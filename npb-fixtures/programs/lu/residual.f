c     The forcing term: what makes the exact solution a steady one. V is
c     room for that solution.
      subroutine forcng(v, force)
      include 'ludata.h'
      double precision v(5,-1:nx+2,-1:ny+2,npts)
      double precision force(5,-1:nx+2,-1:ny+2,npts)
      integer i, j, k, m

      do k = 1, npts
         do j = 1, ny
            do i = 1, nx
               do m = 1, 5
                  force(m,i,j,k) = 0.0d0
               enddo
            enddo
         enddo
      enddo
      call exactf(v)
      call fluxes(v, force)
      return
      end

c     The residual of U.
      subroutine residu(u, force, resid)
      include 'ludata.h'
      double precision u(5,-1:nx+2,-1:ny+2,npts)
      double precision force(5,-1:nx+2,-1:ny+2,npts)
      double precision resid(5,-1:nx+2,-1:ny+2,npts)
      integer i, j, k, m

      if (timlev .gt. 0) call tbegin(1)
      do k = 1, npts
         do j = 1, ny
            do i = 1, nx
               do m = 1, 5
                  resid(m,i,j,k) = -force(m,i,j,k)
               enddo
            enddo
         enddo
      enddo
      call fluxes(u, resid)
      if (timlev .gt. 0) call tend(1)
      return
      end

c     Adds to R, inside the cube, what flows into each point of V.
      subroutine fluxes(v, r)
      include 'ludata.h'
      double precision v(5,-1:nx+2,-1:ny+2,npts)
      double precision r(5,-1:nx+2,-1:ny+2,npts)

      call halox(v)
      call xlines(v, r)
      call haloy(v)
      call ylines(v, r)
      call zlines(v, r)
      return
      end

c     What flows in along x. A line of points is copied out, so that one
c     routine serves all directions.
      subroutine xlines(v, r)
      include 'ludata.h'
      double precision v(5,-1:nx+2,-1:ny+2,npts)
      double precision r(5,-1:nx+2,-1:ny+2,npts)
      double precision q(-1:npts+2,5), dq(-1:npts+2,5)
      integer i, j, k, m

      do k = 2, npts - 1
         do j = jlo, jhi
            do i = -1, nx + 2
               do m = 1, 5
                  q(i,m) = v(m,i,j,k)
               enddo
            enddo
            call inflow(q, ilo, ihi, ilo3, ihi3, 2, dif2xy, dq)
            do i = ilo, ihi
               do m = 1, 5
                  r(m,i,j,k) = r(m,i,j,k) + dq(i,m)
               enddo
            enddo
         enddo
      enddo
      return
      end

c     The same along y.
      subroutine ylines(v, r)
      include 'ludata.h'
      double precision v(5,-1:nx+2,-1:ny+2,npts)
      double precision r(5,-1:nx+2,-1:ny+2,npts)
      double precision q(-1:npts+2,5), dq(-1:npts+2,5)
      integer i, j, k, m

      do k = 2, npts - 1
         do i = ilo, ihi
            do j = -1, ny + 2
               do m = 1, 5
                  q(j,m) = v(m,i,j,k)
               enddo
            enddo
            call inflow(q, jlo, jhi, jlo3, jhi3, 3, dif2xy, dq)
            do j = jlo, jhi
               do m = 1, 5
                  r(m,i,j,k) = r(m,i,j,k) + dq(j,m)
               enddo
            enddo
         enddo
      enddo
      return
      end

c     The same along z, where no line is cut.
      subroutine zlines(v, r)
      include 'ludata.h'
      double precision v(5,-1:nx+2,-1:ny+2,npts)
      double precision r(5,-1:nx+2,-1:ny+2,npts)
      double precision q(-1:npts+2,5), dq(-1:npts+2,5)
      integer i, j, k, m

      do j = jlo, jhi
         do i = ilo, ihi
            do k = 1, npts
               do m = 1, 5
                  q(k,m) = v(m,i,j,k)
               enddo
            enddo
            call inflow(q, 2, npts - 1, 4, npts - 3, 4, dif2z, dq)
            do k = 2, npts - 1
               do m = 1, 5
                  r(m,i,j,k) = r(m,i,j,k) + dq(k,m)
               enddo
            enddo
         enddo
      enddo
      return
      end

c     What flows along a line of points Q into those from LO to HI: a
c     first difference of what the gas carries and of the pressure's
c     work, a second difference of what diffuses, a fourth difference to
c     smooth. LO3 and HI3 bound the points at least three inside the
c     cube; N is the place of the momentum along the line.
      subroutine inflow(q, lo, hi, lo3, hi3, n, dif2, dq)
      include 'ludata.h'
      double precision q(-1:npts+2,5), dq(-1:npts+2,5), dif2
      integer lo, hi, lo3, hi3, n
      double precision speed(0:npts+1), press(0:npts+1)
      double precision shear(0:npts+1,5)
      double precision flux(0:npts+1), pool(0:npts+1)
      integer i, m

      call motion(q, lo - 1, hi + 1, n, speed, press, shear)
      do m = 1, 5
         do i = lo - 1, hi + 1
            flux(i) = speed(i)*q(i,m)
            pool(i) = dif2*q(i,m) + visc*shear(i,m)
         enddo
         do i = lo, hi
            dq(i,m) = rhh*(pool(i-1) - 2.0d0*pool(i) + pool(i+1))
     >              - r2h*(flux(i+1) - flux(i-1))
         enddo
         call smooth(q(-1,m), lo, hi, lo3, hi3, dq(-1,m))
      enddo
      do i = lo, hi
         dq(i,n) = dq(i,n) - r2h*(press(i+1) - press(i-1))
         dq(i,5) = dq(i,5) - r2h*(speed(i+1)*press(i+1)
     >                           - speed(i-1)*press(i-1))
      enddo
      return
      end

c     Of the points from FIRST to LAST of a line: the speed along it,
c     the pressure, and what viscosity and conduction even out.
      subroutine motion(q, first, last, n, speed, press, shear)
      include 'ludata.h'
      integer first, last, n, i
      double precision q(-1:npts+2,5)
      double precision speed(0:npts+1), press(0:npts+1)
      double precision shear(0:npts+1,5)
      double precision volume, energy

      do i = first, last
         volume = 1.0d0/q(i,1)
         shear(i,1) = 0.0d0
         shear(i,2) = volume*q(i,2)
         shear(i,3) = volume*q(i,3)
         shear(i,4) = volume*q(i,4)
         energy = 0.5d0*(shear(i,2)**2 + shear(i,3)**2 + shear(i,4)**2)
         speed(i) = shear(i,n)
         press(i) = gam1*(q(i,5) - energy*q(i,1))
         shear(i,5) = (1.0d0 - gampr)*energy + speed(i)**2/6.0d0
     >              + gampr*volume*q(i,5)
         shear(i,n) = along*speed(i)
      enddo
      return
      end

c     Takes the smoothing by fourth differences from DQ. Next to a face
c     of the cube, points on it or outside are left out.
      subroutine smooth(q, lo, hi, lo3, hi3, dq)
      include 'ludata.h'
      double precision q(-1:npts+2), dq(-1:npts+2)
      integer lo, hi, lo3, hi3, i

      if (lo3 .gt. lo) then
         dq(lo) = dq(lo)
     >      - dif4*(5.0d0*q(lo) - 4.0d0*q(lo+1) + q(lo+2))
         dq(lo+1) = dq(lo+1)
     >      - dif4*(6.0d0*q(lo+1) - 4.0d0*(q(lo) + q(lo+2)) + q(lo+3))
      endif
      if (hi3 .lt. hi) then
         dq(hi) = dq(hi)
     >      - dif4*(5.0d0*q(hi) - 4.0d0*q(hi-1) + q(hi-2))
         dq(hi-1) = dq(hi-1)
     >      - dif4*(6.0d0*q(hi-1) - 4.0d0*(q(hi) + q(hi-2)) + q(hi-3))
      endif
      do i = lo3, hi3
         dq(i) = dq(i) - dif4*(6.0d0*q(i) - 4.0d0*(q(i-1) + q(i+1))
     >                         + q(i-2) + q(i+2))
      enddo
      return
      end
