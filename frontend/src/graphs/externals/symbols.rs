//! Symbols of the C library, of compilers' run-time libraries and of MPI: what code that references one may do.
//!
//! The C library has states without a symbol: files, error numbers, the environment, signals. So only names in a list are known:
//! functions that read and write nothing but what their arguments lead to, and few others. Every other name makes the code that
//! references it unknown. A name is only looked up here if a system library of the link defines it.
//!
//! *Error numbers* (`errno`, `signgam`) and *floating-point flags* are states that listed functions change, and flags are changed by
//! arithmetic, too. These changes have an effect only if other code reads them. So unlisted names are classified once more: by whether
//! they may read these states as other code left them.
//!
//! *Standard output* is a state that functions which print change. No slice reads it: what a dropped call does not print has an effect only
//! if other code observes its position or its errors, or makes another file of it. Functions that print to a stream which they are
//! passed can reach no other file if no code opens one.

/// What code may do that references a symbol of a system library, beside reading and writing what it reaches. The sets of several
/// symbols are joined.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct SymbolUse {
    /// Reads a clock.
    pub(crate) clock: bool,
    /// Depends on the settings of OpenMP.
    pub(crate) asks_threads: bool,
    /// May call a function whose address it is passed.
    pub(crate) calls_addresses: bool,
    /// May change error numbers.
    pub(crate) sets_errors: bool,
    /// Prints to standard output or standard error, or to a stream that other code of the link has opened.
    pub(crate) prints: bool,
    /// Reads and changes files, clocks and all states of the process: code that the user trusts.
    pub(crate) process: bool,
}

impl SymbolUse {
    /// Adds what other code may do.
    pub(super) fn join(&mut self, other: SymbolUse) {
        self.clock |= other.clock;
        self.asks_threads |= other.asks_threads;
        self.calls_addresses |= other.calls_addresses;
        self.sets_errors |= other.sets_errors;
        self.prints |= other.prints;
        self.process |= other.process;
    }
}

/// States that code may read as other code has left them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct ErrorReads {
    /// Error numbers.
    pub(crate) numbers: bool,
    /// Flags of floating-point arithmetic.
    pub(crate) flags: bool,
    /// Streams: their positions and errors, or which files they are.
    pub(crate) streams: bool,
}

impl ErrorReads {
    pub(super) const NONE: ErrorReads = ErrorReads {
        numbers: false,
        flags: false,
        streams: false,
    };

    pub(super) const ALL: ErrorReads = ErrorReads {
        numbers: true,
        flags: true,
        streams: true,
    };
}

/// What a symbol is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SystemSymbol {
    /// Of MPI, or of another way to communicate that ends in MPI.
    Mpi,
    /// In a list.
    Listed(SymbolUse),
    /// In none: code that references it may do anything.
    Unlisted(ErrorReads),
}

pub(super) const NOTHING: SymbolUse = SymbolUse {
    clock: false,
    asks_threads: false,
    calls_addresses: false,
    sets_errors: false,
    prints: false,
    process: false,
};

/// What code may do that the user trusts.
pub(crate) const TRUSTED: SymbolUse = SymbolUse {
    clock: true,
    asks_threads: true,
    calls_addresses: true,
    sets_errors: true,
    prints: true,
    process: true,
};

/// Beginnings of the names of MPI's symbols, in lower case: the interface, and the parts of MPICH, Open MPI and coarrays.
const OF_MPI: [&str; 15] = [
    "mpi_",
    "pmpi_",
    "mpix_",
    "pmpix_",
    "mpir_",
    "pmpir_",
    "mpid",
    "mpl_",
    "mpifcmb",
    "ompi_",
    "opal_",
    "orte_",
    "prte_",
    "pmix_",
    "_gfortran_caf_",
];

/// Read and write what their arguments lead to, and change no error number. Those of C++ allocate objects and unwind the stack to the
/// handler of an exception; compilers call those of OpenMP in pairs.
const COMPUTING: &str = "
    __cxa_finalize __gmon_start__ __stack_chk_fail __stack_chk_guard _ITM_deregisterTMCloneTable _ITM_registerTMCloneTable
    __dso_handle _GLOBAL_OFFSET_TABLE_ __chk_fail
    memcpy memmove memset memcmp memchr memrchr memmem mempcpy memccpy rawmemchr bcopy bzero bcmp explicit_bzero
    __memcpy_chk __memmove_chk __memset_chk __mempcpy_chk __explicit_bzero_chk
    strlen strnlen strcpy strncpy stpcpy stpncpy strcat strncat strcmp strncmp strchr strrchr strchrnul strstr strspn strcspn
    strpbrk strtok_r strsep index rindex __strcpy_chk __strncpy_chk __strcat_chk __strncat_chk __stpcpy_chk __stpncpy_chk
    ffs ffsl ffsll swab abs labs llabs imaxabs div ldiv lldiv rand_r
    GOMP_barrier GOMP_critical_start GOMP_critical_end GOMP_critical_name_start GOMP_critical_name_end GOMP_atomic_start
    GOMP_atomic_end GOMP_single_start GOMP_loop_end GOMP_loop_end_nowait GOMP_loop_dynamic_start GOMP_loop_dynamic_next
    GOMP_loop_guided_start GOMP_loop_guided_next GOMP_loop_nonmonotonic_dynamic_start GOMP_loop_nonmonotonic_dynamic_next
    GOMP_loop_nonmonotonic_guided_start GOMP_loop_nonmonotonic_guided_next GOMP_sections_start GOMP_sections_next
    GOMP_sections_end GOMP_sections_end_nowait
    _Unwind_Resume __gxx_personality_v0 __gcc_personality_v0 __cxa_allocate_exception __cxa_free_exception __cxa_throw
    __cxa_rethrow __cxa_begin_catch __cxa_end_catch __cxa_get_exception_ptr __cxa_guard_acquire __cxa_guard_release
    __cxa_guard_abort __cxa_pure_virtual __cxa_bad_cast __cxa_throw_bad_array_new_length _ZSt9terminatev
    _ZSt17__throw_bad_allocv _ZSt20__throw_length_errorPKc _ZSt20__throw_out_of_rangePKc _ZSt24__throw_out_of_range_fmtPKcz
    _ZSt19__throw_logic_errorPKc _ZSt28__throw_bad_array_new_lengthv _ZSt25__throw_bad_function_callv
    __muldc3 __mulsc3 __divdc3 __divsc3 __mulxc3 __divxc3 __multc3 __divtc3 __powidf2 __powisf2 __powixf2 __powitf2
    __popcountdi2 __clzdi2 __ctzdi2 __parityti2 __udivti3 __umodti3 __divti3 __modti3 __multi3
    __addtf3 __subtf3 __multf3 __divtf3 __negtf2 __extenddftf2 __extendsftf2 __trunctfdf2 __trunctfsf2 __floatsitf __floatditf
    __floatunsitf __floatunditf __fixtfsi __fixtfdi __fixunstfdi __eqtf2 __netf2 __lttf2 __letf2 __gttf2 __getf2 __unordtf2
    __finite __finitef __finitel __isnan __isnanf __isnanl __isinf __isinff __isinfl __fpclassify __fpclassifyf __fpclassifyl
    __signbit __signbitf __signbitl __issignaling __issignalingf
    _gfortran_runtime_error _gfortran_runtime_error_at _gfortran_os_error _gfortran_os_error_at
";

/// The same, but may change error numbers. Allocation may fail.
const ALLOCATING: &str = "
    malloc calloc realloc reallocarray free memalign posix_memalign aligned_alloc valloc strdup strndup __strdup __strndup
    _ZdlPv _ZdlPvm _ZdaPv _ZdaPvm _Znwm _Znam
";

/// The same, and call functions whose addresses they are passed.
const CALLING: &str = "qsort qsort_r bsearch lfind lsearch atexit __cxa_atexit";

/// Functions of the mathematics library, without the suffixes of their types. They change error numbers, `signgam` included.
const MATHEMATICS: &str = "
    sin cos tan asin acos atan atan2 sinh cosh tanh asinh acosh atanh exp exp2 exp10 expm1 log log2 log10 log1p pow sqrt
    cbrt hypot fabs floor ceil trunc round nearbyint rint lround llround lrint llrint fmod remainder remquo fma fmin fmax
    fdim copysign nan nextafter nexttoward ldexp scalbn scalbln frexp modf ilogb logb erf erfc tgamma lgamma lgamma_r gamma
    j0 j1 jn y0 y1 yn sincos significand drem cabs carg cexp clog cpow csqrt csin ccos ctan csinh ccosh ctanh casin cacos
    catan casinh cacosh catanh creal cimag conj cproj clog10 roundeven sinpi cospi tanpi
";

/// Read a clock, and change error numbers.
const CLOCKS: &str = "
    clock_gettime clock_getres gettimeofday time times clock getrusage timespec_get difftime
    _ZNSt6chrono3_V212system_clock3nowEv _ZNSt6chrono3_V212steady_clock3nowEv
";

/// The same of libraries that sources in Fortran call, too.
const CLOCKS_OF_COMPILERS: &str = "
    omp_get_wtime omp_get_wtick omp_get_wtime_ omp_get_wtick_
    _gfortran_system_clock_4 _gfortran_system_clock_8 _gfortran_cpu_time_4 _gfortran_cpu_time_8 _gfortran_cpu_time_10
    _gfortran_cpu_time_16 _gfortran_second _gfortran_second_sub _gfortran_time_func _gfortran_time8_func _gfortran_mclock
    _gfortran_mclock8 _gfortran_etime _gfortran_etime_sub
";

/// Depend on the settings of OpenMP: how many threads there will be.
const ASKS_THREADS: &str = "
    omp_get_num_threads omp_get_thread_num omp_get_max_threads omp_get_num_procs omp_in_parallel omp_get_dynamic
    omp_get_nested omp_get_schedule omp_get_max_active_levels omp_get_level omp_get_active_level omp_get_thread_limit
    omp_get_num_threads_ omp_get_thread_num_ omp_get_max_threads_ omp_get_num_procs_ omp_in_parallel_ GOMP_parallel
    GOMP_parallel_start GOMP_parallel_end GOMP_parallel_loop_dynamic GOMP_parallel_loop_guided
    GOMP_parallel_loop_nonmonotonic_dynamic GOMP_parallel_loop_nonmonotonic_guided GOMP_parallel_loop_static
    GOMP_parallel_loop_runtime GOMP_parallel_loop_maybe_nonmonotonic_runtime GOMP_parallel_sections
";

/// Print, and change error numbers. Those with a format print error numbers where it demands it (`%m`).
const PRINTING: &str = "
    printf vprintf fprintf vfprintf __printf_chk __vprintf_chk __fprintf_chk __vfprintf_chk puts putchar putchar_unlocked putc
    fputc fputs fwrite fflush _IO_putc fputc_unlocked fwrite_unlocked fputs_unlocked stdout stderr
";

/// Beginnings of the names of GNU Fortran's library that compute with arrays and characters. They allocate results.
const GNU_COMPUTING: [&str; 61] = [
    "all_",
    "any_",
    "count_",
    "sum_",
    "ssum_",
    "msum_",
    "product_",
    "sproduct_",
    "mproduct_",
    "maxval",
    "smaxval",
    "mmaxval",
    "minval",
    "sminval",
    "mminval",
    "maxloc",
    "smaxloc",
    "mmaxloc",
    "minloc",
    "sminloc",
    "mminloc",
    "findloc",
    "sfindloc",
    "mfindloc",
    "matmul_",
    "pack",
    "unpack",
    "spread",
    "reshape",
    "transpose",
    "cshift",
    "eoshift",
    "iall_",
    "siall_",
    "miall_",
    "iany_",
    "siany_",
    "miany_",
    "iparity_",
    "siparity_",
    "miparity_",
    "norm2_",
    "parity_",
    "internal_pack",
    "internal_unpack",
    "compare_string",
    "concat_string",
    "string_",
    "adjustl",
    "adjustr",
    "select_string",
    "pow_",
    "size0",
    "size1",
    "bessel_",
    "erfc_scaled",
    "nearest_",
    "set_exponent",
    "spacing_",
    "rrspacing_",
    "cpow",
];

/// Beginnings of the names of the C++ library that compute: type information, strings, exceptions, containers.
const CXX_COMPUTING: [&str; 10] = [
    "_ZTVN10__cxxabiv",
    "_ZTI",
    "_ZTS",
    "_ZNSt7__cxx1112basic_string",
    "_ZNKSt7__cxx1112basic_string",
    "_ZNSt9exceptionD",
    "_ZNKSt9exception",
    "_ZSt18_Rb_tree_",
    "_ZNSt8__detail15_List_node_base",
    "_ZNKSt8__detail20_Prime_rehash_policy",
];

/// Unlisted, but read neither error numbers nor floating-point flags of other code. In the C library only what is declared in
/// `fenv.h` depends on its caller's flags (C11, 7.6, paragraph 3), and only what prints messages depends on its error number.
const SILENT: &str = "
    exit _exit _Exit quick_exit abort __assert_fail __assert setjmp _setjmp __sigsetjmp longjmp __longjmp_chk
    fopen fopen64 fdopen freopen fclose fread fread_unlocked fgets fgetc getc _IO_getc getchar ungetc feof ferror clearerr
    fileno fseek fseeko fseeko64 ftell ftello ftello64 rewind fgetpos fsetpos setbuf setvbuf setlinebuf getline getdelim
    fscanf vfscanf scanf sscanf vsscanf __isoc99_fscanf __isoc99_scanf __isoc99_sscanf __isoc23_fscanf __isoc23_scanf
    __isoc23_sscanf __uflow __overflow stdin open open64 openat openat64 creat __open_2 __open64_2 read
    __read_chk close lseek lseek64 pread pread64 pwrite pwrite64 write writev fsync fdatasync ftruncate ftruncate64 truncate
    stat lstat fstat stat64 lstat64 fstat64 __xstat __lxstat __fxstat __xstat64 __lxstat64 __fxstat64 statfs statvfs access
    mkdir rmdir unlink remove rename opendir readdir readdir64 closedir getcwd chdir realpath readlink symlink link fcntl
    fcntl64 flock lockf dup dup2 mkstemp mkstemp64 mkdtemp tmpfile tmpfile64 tmpnam tempnam popen pclose pipe system fork vfork
    execl execlp execv execvp execve waitpid wait isatty umask chmod __fread_chk __fgets_chk
    localtime localtime_r gmtime gmtime_r mktime ctime ctime_r asctime strftime tzset ftime usleep sleep nanosleep
    clock_nanosleep alarm setitimer getitimer signal sigaction raise kill pause
    rand srand random srandom drand48 lrand48 mrand48 jrand48 nrand48 srand48 seed48 lcong48 erand48 initstate setstate
    getenv secure_getenv setenv putenv unsetenv clearenv environ __environ setlocale localeconv newlocale uselocale
    nl_langinfo strtok strcoll strxfrm strcasecmp strncasecmp strcasestr tolower toupper isalpha isdigit isalnum isspace
    isupper islower isprint ispunct isxdigit __ctype_b_loc __ctype_tolower_loc __ctype_toupper_loc
    atoi atol atoll atof strtol strtoul strtoll strtoull strtod strtof strtold strtoumax strtoimax __isoc23_strtol
    __isoc23_strtoul __isoc23_strtoll __isoc23_strtoull
    getpid getppid getuid gethostname getpagesize sysconf sched_yield sched_getaffinity sched_setaffinity sched_getcpu
    get_nprocs mmap munmap mprotect madvise
    pthread_create pthread_join pthread_detach pthread_self pthread_equal pthread_once pthread_key_create
    pthread_key_delete pthread_getspecific pthread_setspecific pthread_mutex_init pthread_mutex_destroy
    pthread_mutex_lock pthread_mutex_trylock pthread_mutex_unlock pthread_cond_init pthread_cond_destroy pthread_cond_wait
    pthread_cond_signal pthread_cond_broadcast pthread_attr_init pthread_attr_destroy pthread_attr_setdetachstate
    pthread_attr_setstacksize
    omp_set_num_threads omp_set_dynamic omp_set_nested omp_set_schedule omp_set_max_active_levels omp_set_num_threads_
    omp_set_dynamic_ omp_set_nested_ omp_set_schedule_ omp_init_lock omp_set_lock omp_unset_lock omp_destroy_lock GOMP_task
    GOMP_taskwait
";

/// The same, but write error numbers to memory or files where a format demands it (`%m`).
const FORMATTING: &str = "
    sprintf snprintf vsprintf vsnprintf asprintf vasprintf dprintf vdprintf __sprintf_chk __snprintf_chk __vsprintf_chk
    __vsnprintf_chk __asprintf_chk __vasprintf_chk __dprintf_chk syslog
";

/// Others that reach nothing beside states of the process and what they are passed: they read error numbers.
const OF_ERRORS: &str = "perror strerror strerror_r __xpg_strerror_r __errno_location psignal";

/// Silent functions that open streams, make another file or buffer of one, or depend on what was printed. A child process inherits
/// streams.
const OF_STREAMS: &str = "
    fopen fopen64 fdopen freopen fclose popen pclose tmpfile tmpfile64 fileno fseek fseeko fseeko64 ftell ftello ftello64 rewind
    fgetpos fsetpos feof ferror clearerr setbuf setvbuf close lseek lseek64 dup dup2 fcntl fcntl64 ftruncate ftruncate64 fstat fstat64 __fxstat
    __fxstat64 fork vfork execl execlp execv execvp execve system
";

/// Beginnings of names of the C++ library's output streams, which share positions with those of C. They may be asked for these.
const STREAMS_OF_CXX: [&str; 3] = ["_ZNSo", "_ZSt4c", "_ZSt5wc"];

/// Beginnings of names of GNU Fortran's and the C++ library that are silent, too: input, output, ends of the run.
const SILENT_BEGINNINGS: [&str; 22] = [
    "_gfortran_st_",
    "_gfortran_transfer_",
    "_gfortran_stop_",
    "_gfortran_error_stop_",
    "_gfortran_exit_",
    "_gfortran_abort",
    "_gfortran_runtime_warning_at",
    "_gfortran_generate_error",
    "_gfortran_random_",
    "_gfortran_arandom_",
    "_gfortran_date_and_time",
    "_gfortran_get_command",
    "_gfortran_get_environment_variable",
    "_gfortran_getarg",
    "_gfortran_iargc",
    "_gfortran_flush",
    "_ZNSo",
    "_ZSt4cout",
    "_ZSt4cerr",
    "_ZStls",
    "_ZSt4endl",
    "_ZSt16__ostream_insert",
];

/// Symbols by which linkers and start files describe a file: every file may define or name them.
const OF_THE_LINKER: [&str; 24] = [
    "_init",
    "_fini",
    "_edata",
    "edata",
    "_end",
    "end",
    "__bss_start",
    "_etext",
    "etext",
    "__data_start",
    "data_start",
    "__dso_handle",
    "__TMC_END__",
    "_GLOBAL_OFFSET_TABLE_",
    "_DYNAMIC",
    "__ehdr_start",
    "__executable_start",
    "__preinit_array_start",
    "__preinit_array_end",
    "__init_array_start",
    "__init_array_end",
    "__fini_array_start",
    "__fini_array_end",
    "__stack_chk_fail_local",
];

/// Those that are no way to data of other units, and weak names of start files that mostly nothing defines.
const OF_START_FILES: [&str; 10] = [
    "_init",
    "_fini",
    "__dso_handle",
    "__TMC_END__",
    "_GLOBAL_OFFSET_TABLE_",
    "__stack_chk_fail_local",
    "__gmon_start__",
    "_ITM_deregisterTMCloneTable",
    "_ITM_registerTMCloneTable",
    "_Jv_RegisterClasses",
];

/// Whether a symbol is the linker's own.
pub(crate) fn is_of_the_linker(symbol: &str) -> bool {
    OF_THE_LINKER.contains(&symbol)
}

/// Whether a symbol is of start files, and code that refers to it does nothing with it that matters.
pub(crate) fn is_of_start_files(symbol: &str) -> bool {
    OF_START_FILES.contains(&symbol)
}

/// Whether a symbol is MPI's, or of another way to communicate that ends in MPI.
pub(crate) fn is_of_mpi(symbol: &str) -> bool {
    let lower_case = symbol.to_ascii_lowercase();
    OF_MPI.iter().any(|prefix| lower_case.starts_with(prefix))
}

/// Whether a symbol is a clock in a library that sources in Fortran call, too.
pub(crate) fn is_clock_of_compilers(symbol: &str) -> bool {
    is_listed(symbol, CLOCKS_OF_COMPILERS)
}

/// Whether a symbol that a system library defines, and that no list of computing functions contains, reaches nothing of a program
/// beside its arguments. Others may find addresses by names (`dlsym`) or be anything.
pub(crate) fn is_of_process(symbol: &str) -> bool {
    let lists = [SILENT, FORMATTING, OF_ERRORS];
    let is_in_list = lists.iter().any(|list| is_listed(symbol, list));
    let mut beginnings = SILENT_BEGINNINGS.iter();
    is_in_list || beginnings.any(|prefix| symbol.starts_with(prefix))
}

fn is_listed(symbol: &str, list: &str) -> bool {
    list.split_ascii_whitespace().any(|one| one == symbol)
}

/// What a symbol is that a system library defines.
pub(crate) fn system_symbol(symbol: &str) -> SystemSymbol {
    if is_of_mpi(symbol) {
        return SystemSymbol::Mpi;
    }
    let is_in = |list: &str| is_listed(symbol, list);
    let begins = |all: &[&str]| all.iter().any(|prefix| symbol.starts_with(prefix));
    let mut found = NOTHING;
    found.clock = is_in(CLOCKS) || is_clock_of_compilers(symbol);
    found.asks_threads = is_in(ASKS_THREADS);
    found.calls_addresses = is_in(CALLING);
    found.prints = is_in(PRINTING);
    found.sets_errors = is_in(ALLOCATING)
        || is_mathematics(symbol)
        || is_gnu_computing(symbol)
        || begins(&CXX_COMPUTING)
        || found.clock
        || found.prints
        || found.calls_addresses;
    if found != NOTHING || is_in(COMPUTING) {
        return SystemSymbol::Listed(found);
    }
    if is_in(SILENT) || begins(&SILENT_BEGINNINGS) {
        return SystemSymbol::Unlisted(ErrorReads {
            streams: is_in(OF_STREAMS) || begins(&STREAMS_OF_CXX),
            ..ErrorReads::NONE
        });
    }
    if is_in(FORMATTING) {
        return SystemSymbol::Unlisted(ErrorReads {
            numbers: true,
            ..ErrorReads::NONE
        });
    }
    SystemSymbol::Unlisted(ErrorReads::ALL)
}

/// A function of the mathematics library, in any of its types and under the names that compilers give its variants.
fn is_mathematics(symbol: &str) -> bool {
    let name = symbol.strip_prefix("__").unwrap_or(symbol);
    let name = name.strip_suffix("_finite").unwrap_or(name);
    // Vector variants: `_ZGVbN2v_sin`.
    let name = match name.strip_prefix("_ZGV") {
        Some(vector) => vector.split_once('_').map_or(name, |(_, scalar)| scalar),
        None => name,
    };
    let is_in = |name: &str| MATHEMATICS.split_ascii_whitespace().any(|one| one == name);
    if is_in(name) {
        return true;
    }
    let suffixes = ["f", "l", "q", "f128", "f_r", "l_r", "q_r"];
    suffixes.iter().any(|suffix| {
        let scalar = name.strip_suffix(suffix);
        scalar.is_some_and(is_in)
    })
}

fn is_gnu_computing(symbol: &str) -> bool {
    let Some(name) = symbol.strip_prefix("_gfortran_") else {
        return false;
    };
    GNU_COMPUTING.iter().any(|prefix| name.starts_with(prefix))
}

/// What a procedure of the compiler or of an intrinsic module is that no list of intrinsic procedures contains.
pub(crate) fn compiler_procedure(name: &str) -> SystemSymbol {
    /// Functions of the IEEE modules (Fortran 2018, 17.11) whose result depends on arguments, on the kinds that a compiler supports, and on
    /// the rounding mode.
    const COMPUTING: &str = "
        ieee_class ieee_copy_sign ieee_fma ieee_int ieee_is_finite ieee_is_nan ieee_is_negative ieee_is_normal ieee_logb
        ieee_max_num ieee_max_num_mag ieee_min_num ieee_min_num_mag ieee_next_after ieee_next_down ieee_next_up
        ieee_quiet_eq ieee_quiet_ge ieee_quiet_gt ieee_quiet_le ieee_quiet_lt ieee_quiet_ne ieee_real ieee_rem ieee_rint
        ieee_scalb ieee_selected_real_kind ieee_signaling_eq ieee_signaling_ge ieee_signaling_gt ieee_signaling_le
        ieee_signaling_lt ieee_signaling_ne ieee_signbit ieee_unordered ieee_value ieee_get_rounding_mode
        ieee_support_datatype ieee_support_denormal ieee_support_divide ieee_support_flag ieee_support_halting
        ieee_support_inf ieee_support_io ieee_support_nan ieee_support_rounding ieee_support_sqrt ieee_support_standard
        ieee_support_subnormal ieee_support_underflow_control
    ";
    /// GNU Fortran's own procedures and others of these modules that read no flag and no error number.
    const SILENT: &str = "
        access chdir chmod fgetc fget fputc fput fseek ftell fstat stat lstat link rename symlnk unlink umask isatty ttynam
        getcwd fnum getlog setenv kill sleep alarm signal ieee_set_flag ieee_set_halting_mode ieee_set_rounding_mode
        ieee_set_underflow_mode ieee_get_halting_mode ieee_get_underflow_mode
    ";
    let is_in = |list: &str| list.split_ascii_whitespace().any(|one| one == name);
    if is_in(COMPUTING) {
        return SystemSymbol::Listed(NOTHING);
    }
    if is_in(SILENT) {
        return SystemSymbol::Unlisted(ErrorReads::NONE);
    }
    SystemSymbol::Unlisted(ErrorReads::ALL)
}
