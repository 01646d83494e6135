! mpif.h of mpiete: constants of the MPICH ABI, for fixed and free
! source form alike, so that a program compiled with it runs under any
! MPI library of that family. The subroutines need no declarations.
@constants@
!
! Places in a status
      integer MPI_STATUS_SIZE
      parameter (MPI_STATUS_SIZE=5)
      integer MPI_SOURCE
      parameter (MPI_SOURCE=3)
      integer MPI_TAG
      parameter (MPI_TAG=4)
      integer MPI_ERROR
      parameter (MPI_ERROR=5)
!
! Kinds of integers
      integer MPI_ADDRESS_KIND
      parameter (MPI_ADDRESS_KIND=8)
      integer MPI_OFFSET_KIND
      parameter (MPI_OFFSET_KIND=8)
      integer MPI_COUNT_KIND
      parameter (MPI_COUNT_KIND=8)
      integer MPI_INTEGER_KIND
      parameter (MPI_INTEGER_KIND=4)
!
! Addresses with a meaning: the library knows where these blocks are
      integer MPI_BOTTOM, MPI_IN_PLACE
      integer MPI_STATUS_IGNORE(MPI_STATUS_SIZE)
      integer MPI_STATUSES_IGNORE(MPI_STATUS_SIZE,1)
      integer MPI_ERRCODES_IGNORE(1)
      integer MPI_UNWEIGHTED, MPI_WEIGHTS_EMPTY
      character*1 MPI_ARGVS_NULL(1,1)
      character*1 MPI_ARGV_NULL(1)
      common /mpipriv1/ MPI_BOTTOM, MPI_IN_PLACE, MPI_STATUS_IGNORE
      common /mpipriv2/ MPI_STATUSES_IGNORE, MPI_ERRCODES_IGNORE
      common /mpiprivc/ MPI_ARGVS_NULL, MPI_ARGV_NULL
      common /mpifcmb5/ MPI_UNWEIGHTED
      common /mpifcmb9/ MPI_WEIGHTS_EMPTY
      save /mpipriv1/, /mpipriv2/, /mpiprivc/
      save /mpifcmb5/, /mpifcmb9/
!
! Functions of the standard for attributes
      external MPI_NULL_COPY_FN, MPI_NULL_DELETE_FN, MPI_DUP_FN
      external MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN
      external MPI_COMM_DUP_FN, MPI_TYPE_NULL_COPY_FN
      external MPI_TYPE_NULL_DELETE_FN, MPI_TYPE_DUP_FN
      external MPI_WIN_NULL_COPY_FN, MPI_WIN_NULL_DELETE_FN
      external MPI_WIN_DUP_FN, MPI_CONVERSION_FN_NULL
!
! Clocks and sums of addresses are functions
      external MPI_WTIME, MPI_WTICK, PMPI_WTIME, PMPI_WTICK
      double precision MPI_WTIME, MPI_WTICK, PMPI_WTIME, PMPI_WTICK
      external MPI_AINT_ADD, MPI_AINT_DIFF
      external PMPI_AINT_ADD, PMPI_AINT_DIFF
      integer(kind=MPI_ADDRESS_KIND) MPI_AINT_ADD, MPI_AINT_DIFF
      integer(kind=MPI_ADDRESS_KIND) PMPI_AINT_ADD, PMPI_AINT_DIFF
