c     The integral of the pressure over the faces of a box in the cube:
c     points 2 to NPTS-1 in x, 2 to NPTS-2 in y, 3 to NPTS-1 in z. A
c     cell of a face belongs to the rank of its lowest corner, which
c     needs the pressures of a row of points of its higher neighbours.
      subroutine surfac(u, total)
      include 'ludata.h'
      double precision u(5,-1:nx+2,-1:ny+2,npts), total
      double precision zpart, ypart, xpart
      integer jend, icells, jcells

      jend = jhi
      icells = ihi
      jcells = jhi
      if (xhigh .eq. nobody) icells = ihi - 1
      if (yhigh .eq. nobody) then
         jend = jhi - 1
         jcells = jhi - 2
      endif

      call zfaces(u, jend, icells, jcells, zpart)
      call yfaces(u, jend, icells, ypart)
      call xfaces(u, jend, jcells, xpart)
      total = (zpart + ypart + xpart)/(4.0d0*dble(npts - 1)**2)
      return
      end

c     The faces across z: every rank has a part of both.
      subroutine zfaces(u, jend, icells, jcells, total)
      include 'ludata.h'
      include 'face.h'
      double precision u(5,-1:nx+2,-1:ny+2,npts), total
      double precision press, cells, part(1), all(1)
      integer jend, icells, jcells, i, j

      do j = jlo, jend
         do i = ilo, ihi
            pface(i,j,1) = press(u(1,i,j,3))
            pface(i,j,2) = press(u(1,i,j,npts-1))
         enddo
      enddo
      call edgesy
      call edgesx
      part(1) = cells(pface(0,0,1), ilo, icells, jlo, jcells)
     >        + cells(pface(0,0,2), ilo, icells, jlo, jcells)
      call sumall(part, all)
      total = all(1)
      return
      end

c     The faces across y: each has its row of ranks.
      subroutine yfaces(u, jend, icells, total)
      include 'ludata.h'
      include 'face.h'
      double precision u(5,-1:nx+2,-1:ny+2,npts), total
      double precision cells, part(1), all(1)
      integer jend, icells

      part(1) = 0.0d0
      if (ylow .eq. nobody) then
         call yplane(u, jlo, pface)
         part(1) = part(1) + cells(pface, ilo, icells, 3, npts - 2)
      endif
      if (yhigh .eq. nobody) then
         call yplane(u, jend, pface)
         part(1) = part(1) + cells(pface, ilo, icells, 3, npts - 2)
      endif
      call sumall(part, all)
      total = all(1)
      return
      end

c     Pressures in the plane of points J.
      subroutine yplane(u, j, p)
      include 'ludata.h'
      double precision u(5,-1:nx+2,-1:ny+2,npts)
      double precision p(0:npts+1,0:npts+1), press
      integer i, j, k

      do k = 3, npts - 1
         do i = ilo, ihi
            p(i,k) = press(u(1,i,j,k))
         enddo
      enddo
      call edgesz(p, nx, xhigh, xlow)
      return
      end

c     The faces across x.
      subroutine xfaces(u, jend, jcells, total)
      include 'ludata.h'
      include 'face.h'
      double precision u(5,-1:nx+2,-1:ny+2,npts), total
      double precision cells, part(1), all(1)
      integer jend, jcells

      part(1) = 0.0d0
      if (xlow .eq. nobody) then
         call xplane(u, ilo, jend, pface)
         part(1) = part(1) + cells(pface, jlo, jcells, 3, npts - 2)
      endif
      if (xhigh .eq. nobody) then
         call xplane(u, ihi, jend, pface)
         part(1) = part(1) + cells(pface, jlo, jcells, 3, npts - 2)
      endif
      call sumall(part, all)
      total = all(1)
      return
      end

c     Pressures in the plane of points I.
      subroutine xplane(u, i, jend, p)
      include 'ludata.h'
      double precision u(5,-1:nx+2,-1:ny+2,npts)
      double precision p(0:npts+1,0:npts+1), press
      integer i, jend, j, k

      do k = 3, npts - 1
         do j = jlo, jend
            p(j,k) = press(u(1,i,j,k))
         enddo
      enddo
      call edgesz(p, ny, yhigh, ylow)
      return
      end

c     The pressure at a point whose state is Q.
      double precision function press(q)
      include 'ludata.h'
      double precision q(5)

      press = gam1*(q(5) - 0.5d0*(q(2)**2 + q(3)**2 + q(4)**2)/q(1))
      return
      end

c     The pressures at the four corners of each cell, added up.
      double precision function cells(p, first, last, low, high)
      include 'ludata.h'
      double precision p(0:npts+1,0:npts+1)
      integer first, last, low, high, i, j

      cells = 0.0d0
      do j = low, high
         do i = first, last
            cells = cells + p(i,j) + p(i+1,j) + p(i,j+1) + p(i+1,j+1)
         enddo
      enddo
      return
      end
