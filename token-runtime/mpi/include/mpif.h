! mpif.h of mpiete: constants of the MPICH ABI, for fixed and free
! source form alike, so that a program compiled with it runs under any
! MPI library of that family. The subroutines need no declarations.
!
! Version of the standard
      integer MPI_VERSION
      parameter (MPI_VERSION=4)
      integer MPI_SUBVERSION
      parameter (MPI_SUBVERSION=0)
!
! Communicators
      integer MPI_COMM_WORLD
      parameter (MPI_COMM_WORLD=1140850688)
      integer MPI_COMM_SELF
      parameter (MPI_COMM_SELF=1140850689)
!
! Null handles
      integer MPI_COMM_NULL
      parameter (MPI_COMM_NULL=67108864)
      integer MPI_OP_NULL
      parameter (MPI_OP_NULL=402653184)
      integer MPI_GROUP_NULL
      parameter (MPI_GROUP_NULL=134217728)
      integer MPI_DATATYPE_NULL
      parameter (MPI_DATATYPE_NULL=201326592)
      integer MPI_REQUEST_NULL
      parameter (MPI_REQUEST_NULL=738197504)
      integer MPI_ERRHANDLER_NULL
      parameter (MPI_ERRHANDLER_NULL=335544320)
      integer MPI_INFO_NULL
      parameter (MPI_INFO_NULL=469762048)
!
! Datatypes of Fortran
      integer MPI_COMPLEX
      parameter (MPI_COMPLEX=1275070494)
      integer MPI_DOUBLE_COMPLEX
      parameter (MPI_DOUBLE_COMPLEX=1275072546)
      integer MPI_LOGICAL
      parameter (MPI_LOGICAL=1275069469)
      integer MPI_REAL
      parameter (MPI_REAL=1275069468)
      integer MPI_DOUBLE_PRECISION
      parameter (MPI_DOUBLE_PRECISION=1275070495)
      integer MPI_INTEGER
      parameter (MPI_INTEGER=1275069467)
      integer MPI_2INTEGER
      parameter (MPI_2INTEGER=1275070496)
      integer MPI_2REAL
      parameter (MPI_2REAL=1275070497)
      integer MPI_2DOUBLE_PRECISION
      parameter (MPI_2DOUBLE_PRECISION=1275072547)
      integer MPI_CHARACTER
      parameter (MPI_CHARACTER=1275068698)
      integer MPI_REAL4
      parameter (MPI_REAL4=1275069479)
      integer MPI_REAL8
      parameter (MPI_REAL8=1275070505)
      integer MPI_REAL16
      parameter (MPI_REAL16=1275072555)
      integer MPI_COMPLEX8
      parameter (MPI_COMPLEX8=1275070504)
      integer MPI_COMPLEX16
      parameter (MPI_COMPLEX16=1275072554)
      integer MPI_INTEGER1
      parameter (MPI_INTEGER1=1275068717)
      integer MPI_INTEGER2
      parameter (MPI_INTEGER2=1275068975)
      integer MPI_INTEGER4
      parameter (MPI_INTEGER4=1275069488)
      integer MPI_INTEGER8
      parameter (MPI_INTEGER8=1275070513)
!
! Datatypes of C
      integer MPI_CHAR
      parameter (MPI_CHAR=1275068673)
      integer MPI_SIGNED_CHAR
      parameter (MPI_SIGNED_CHAR=1275068696)
      integer MPI_UNSIGNED_CHAR
      parameter (MPI_UNSIGNED_CHAR=1275068674)
      integer MPI_BYTE
      parameter (MPI_BYTE=1275068685)
      integer MPI_WCHAR
      parameter (MPI_WCHAR=1275069454)
      integer MPI_SHORT
      parameter (MPI_SHORT=1275068931)
      integer MPI_UNSIGNED_SHORT
      parameter (MPI_UNSIGNED_SHORT=1275068932)
      integer MPI_INT
      parameter (MPI_INT=1275069445)
      integer MPI_UNSIGNED
      parameter (MPI_UNSIGNED=1275069446)
      integer MPI_LONG
      parameter (MPI_LONG=1275070471)
      integer MPI_UNSIGNED_LONG
      parameter (MPI_UNSIGNED_LONG=1275070472)
      integer MPI_FLOAT
      parameter (MPI_FLOAT=1275069450)
      integer MPI_DOUBLE
      parameter (MPI_DOUBLE=1275070475)
      integer MPI_LONG_DOUBLE
      parameter (MPI_LONG_DOUBLE=1275072524)
      integer MPI_LONG_LONG_INT
      parameter (MPI_LONG_LONG_INT=1275070473)
      integer MPI_LONG_LONG
      parameter (MPI_LONG_LONG=1275070473)
      integer MPI_UNSIGNED_LONG_LONG
      parameter (MPI_UNSIGNED_LONG_LONG=1275070489)
      integer MPI_PACKED
      parameter (MPI_PACKED=1275068687)
      integer MPI_2INT
      parameter (MPI_2INT=1275070486)
      integer MPI_INT8_T
      parameter (MPI_INT8_T=1275068727)
      integer MPI_INT16_T
      parameter (MPI_INT16_T=1275068984)
      integer MPI_INT32_T
      parameter (MPI_INT32_T=1275069497)
      integer MPI_INT64_T
      parameter (MPI_INT64_T=1275070522)
      integer MPI_UINT8_T
      parameter (MPI_UINT8_T=1275068731)
      integer MPI_UINT16_T
      parameter (MPI_UINT16_T=1275068988)
      integer MPI_UINT32_T
      parameter (MPI_UINT32_T=1275069501)
      integer MPI_UINT64_T
      parameter (MPI_UINT64_T=1275070526)
      integer MPI_C_BOOL
      parameter (MPI_C_BOOL=1275068735)
      integer MPI_C_FLOAT_COMPLEX
      parameter (MPI_C_FLOAT_COMPLEX=1275070528)
      integer MPI_C_COMPLEX
      parameter (MPI_C_COMPLEX=1275070528)
      integer MPI_C_DOUBLE_COMPLEX
      parameter (MPI_C_DOUBLE_COMPLEX=1275072577)
      integer MPI_AINT
      parameter (MPI_AINT=1275070531)
      integer MPI_OFFSET
      parameter (MPI_OFFSET=1275070532)
      integer MPI_COUNT
      parameter (MPI_COUNT=1275070533)
      integer MPI_FLOAT_INT
      parameter (MPI_FLOAT_INT=-1946157056)
      integer MPI_DOUBLE_INT
      parameter (MPI_DOUBLE_INT=-1946157055)
      integer MPI_LONG_INT
      parameter (MPI_LONG_INT=-1946157054)
!
! Reduction operations
      integer MPI_MAX
      parameter (MPI_MAX=1476395009)
      integer MPI_MIN
      parameter (MPI_MIN=1476395010)
      integer MPI_SUM
      parameter (MPI_SUM=1476395011)
      integer MPI_PROD
      parameter (MPI_PROD=1476395012)
      integer MPI_LAND
      parameter (MPI_LAND=1476395013)
      integer MPI_BAND
      parameter (MPI_BAND=1476395014)
      integer MPI_LOR
      parameter (MPI_LOR=1476395015)
      integer MPI_BOR
      parameter (MPI_BOR=1476395016)
      integer MPI_LXOR
      parameter (MPI_LXOR=1476395017)
      integer MPI_BXOR
      parameter (MPI_BXOR=1476395018)
      integer MPI_MINLOC
      parameter (MPI_MINLOC=1476395019)
      integer MPI_MAXLOC
      parameter (MPI_MAXLOC=1476395020)
!
! Error handlers
      integer MPI_ERRORS_ARE_FATAL
      parameter (MPI_ERRORS_ARE_FATAL=1409286144)
      integer MPI_ERRORS_RETURN
      parameter (MPI_ERRORS_RETURN=1409286145)
!
! Ranks, tags and colours with a meaning
      integer MPI_PROC_NULL
      parameter (MPI_PROC_NULL=-1)
      integer MPI_ANY_SOURCE
      parameter (MPI_ANY_SOURCE=-2)
      integer MPI_ROOT
      parameter (MPI_ROOT=-3)
      integer MPI_ANY_TAG
      parameter (MPI_ANY_TAG=-1)
      integer MPI_UNDEFINED
      parameter (MPI_UNDEFINED=-32766)
!
! Results of comparisons
      integer MPI_IDENT
      parameter (MPI_IDENT=0)
      integer MPI_CONGRUENT
      parameter (MPI_CONGRUENT=1)
      integer MPI_SIMILAR
      parameter (MPI_SIMILAR=2)
      integer MPI_UNEQUAL
      parameter (MPI_UNEQUAL=3)
!
! Levels of threads
      integer MPI_THREAD_SINGLE
      parameter (MPI_THREAD_SINGLE=0)
      integer MPI_THREAD_FUNNELED
      parameter (MPI_THREAD_FUNNELED=1)
      integer MPI_THREAD_SERIALIZED
      parameter (MPI_THREAD_SERIALIZED=2)
      integer MPI_THREAD_MULTIPLE
      parameter (MPI_THREAD_MULTIPLE=3)
!
! Error classes
      integer MPI_SUCCESS
      parameter (MPI_SUCCESS=0)
      integer MPI_ERR_BUFFER
      parameter (MPI_ERR_BUFFER=1)
      integer MPI_ERR_COUNT
      parameter (MPI_ERR_COUNT=2)
      integer MPI_ERR_TYPE
      parameter (MPI_ERR_TYPE=3)
      integer MPI_ERR_TAG
      parameter (MPI_ERR_TAG=4)
      integer MPI_ERR_COMM
      parameter (MPI_ERR_COMM=5)
      integer MPI_ERR_RANK
      parameter (MPI_ERR_RANK=6)
      integer MPI_ERR_ROOT
      parameter (MPI_ERR_ROOT=7)
      integer MPI_ERR_GROUP
      parameter (MPI_ERR_GROUP=8)
      integer MPI_ERR_OP
      parameter (MPI_ERR_OP=9)
      integer MPI_ERR_TOPOLOGY
      parameter (MPI_ERR_TOPOLOGY=10)
      integer MPI_ERR_DIMS
      parameter (MPI_ERR_DIMS=11)
      integer MPI_ERR_ARG
      parameter (MPI_ERR_ARG=12)
      integer MPI_ERR_UNKNOWN
      parameter (MPI_ERR_UNKNOWN=13)
      integer MPI_ERR_TRUNCATE
      parameter (MPI_ERR_TRUNCATE=14)
      integer MPI_ERR_OTHER
      parameter (MPI_ERR_OTHER=15)
      integer MPI_ERR_INTERN
      parameter (MPI_ERR_INTERN=16)
      integer MPI_ERR_IN_STATUS
      parameter (MPI_ERR_IN_STATUS=17)
      integer MPI_ERR_PENDING
      parameter (MPI_ERR_PENDING=18)
      integer MPI_ERR_REQUEST
      parameter (MPI_ERR_REQUEST=19)
      integer MPI_ERR_LASTCODE
      parameter (MPI_ERR_LASTCODE=1073741823)
!
! Lengths of texts
      integer MPI_MAX_PROCESSOR_NAME
      parameter (MPI_MAX_PROCESSOR_NAME=127)
      integer MPI_MAX_LIBRARY_VERSION_STRING
      parameter (MPI_MAX_LIBRARY_VERSION_STRING=8191)
      integer MPI_MAX_ERROR_STRING
      parameter (MPI_MAX_ERROR_STRING=511)
      integer MPI_MAX_OBJECT_NAME
      parameter (MPI_MAX_OBJECT_NAME=127)
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
! Clocks are functions
      external MPI_WTIME, MPI_WTICK, PMPI_WTIME, PMPI_WTICK
      double precision MPI_WTIME, MPI_WTICK, PMPI_WTIME, PMPI_WTICK
