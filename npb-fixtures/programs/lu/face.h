c     Pressures on two opposite faces of the box, in their own places.
      double precision pface
      common /faces/ pface(0:npts+1,0:npts+1,2)
