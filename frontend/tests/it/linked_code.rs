//! What a slice keeps of calls of procedures without source, by what the symbols of the link prove.

use crate::harness::analyse_with;
use frontend::options::{LinkUnit, LinkedCode, Options};
use std::collections::BTreeSet;

fn words(text: &str) -> Vec<String> {
    text.split_whitespace().map(String::from).collect()
}

/// Names that the system's libraries define here.
const OF_SYSTEM: &str = "
    sqrt memcpy malloc fopen fwrite fclose printf exit dlopen clock_gettime getenv setenv __errno_location omp_set_num_threads rand
    omp_get_max_threads strtol lgamma signgam localtime alarm pause signal write mmap pthread_setspecific fetestexcept
";

/// An object of each line: the names that it defines, and those that it refers to; with data if it defines `state`, with indirect
/// calls if it defines `calls`.
fn linked(lines: &[(&str, &str)]) -> Options {
    let mut code = LinkedCode::default();
    for (defined, undefined) in lines {
        let defined = words(defined);
        let name = format!("lib{}.a", defined[0]);
        code.units.push(LinkUnit {
            name: name.clone(),
            library: name,
            is_member: true,
            has_state: defined.iter().any(|name| name == "state"),
            calls_addresses: defined.iter().any(|name| name == "calls"),
            defined,
            undefined: words(undefined),
            ..LinkUnit::default()
        });
    }
    code.units.push(LinkUnit {
        name: "libc.so.6".to_string(),
        library: "libc.so.6".to_string(),
        is_system: true,
        defined: words(OF_SYSTEM),
        ..LinkUnit::default()
    });
    Options {
        linked: Some(code),
        ..Options::default()
    }
}

/// With the names of the libraries to which the objects of a source refer.
fn referring(source: &str, options: &Options) -> Options {
    let mut options = options.clone();
    let Some(code) = &mut options.linked else {
        return options;
    };
    let is_part = |character: char| character.is_ascii_alphanumeric() || character == '_';
    let named: Vec<&str> = source.split(|character| !is_part(character)).collect();
    let mut referred = BTreeSet::new();
    for name in code.units.iter().flat_map(|unit| &unit.defined) {
        if named.contains(&name.trim_end_matches('_')) {
            referred.insert(name.clone());
        }
    }
    code.referred = Some(referred);
    options
}

/// The lines with `external` in a comment that the slice keeps of a program with these declarations and statements.
fn kept(declarations: &str, statements: &str, options: &Options) -> Vec<String> {
    let source = format!(
        "program t\nuse mpi\nimplicit none\ninteger :: ierr, n, i\nreal :: a(100)\ncommon /grid/ n\n{declarations}\n\
         call mpi_init(ierr)\nn = 10\n{statements}\ndo i = 1, n\n  call mpi_barrier(mpi_comm_world, ierr)\nend do\n\
         call mpi_finalize(ierr)\nend program\n"
    );
    let analysed = analyse_with(&source, &referring(&source, options));
    let mut found = Vec::new();
    for line in analysed.kept() {
        let text = &analysed.lines[line - 1];
        if text.contains("! external") {
            found.push(text.split('!').next().unwrap_or("").trim().to_string());
        }
    }
    found
}

const NONE: [String; 0] = [];

#[test]
fn calls_that_reach_neither_mpi_nor_the_program_are_dropped() {
    let call = "call kernel(a) ! external";
    assert_eq!(kept("", call, &Options::default()), ["call kernel(a)"]);
    let clean = linked(&[("kernel_", "helper_ sqrt"), ("helper_", "memcpy")]);
    assert_eq!(kept("", call, &clean), NONE);
    for reached in [
        "MPI_Allreduce",
        "grid_",
        "dlopen",
        "exit",
        "unknown_",
        "write",
        "mmap",
        "setenv",
        "localtime",
        "alarm",
        "pthread_setspecific",
        "strtol",
        "rand",
    ] {
        let linked = linked(&[("kernel_", "helper_ sqrt"), ("helper_", reached)]);
        assert_eq!(kept("", call, &linked), ["call kernel(a)"], "{reached}");
    }
}

#[test]
fn arguments_are_written_unless_an_interface_has_value() {
    let clean = linked(&[("kernel_", "")]);
    let call = "call kernel(n) ! external";
    assert_eq!(kept("", call, &clean), ["call kernel(n)"]);
    let interface = |attribute: &str| {
        format!(
            "interface\nsubroutine kernel(k)\ninteger{attribute} :: k\nend subroutine\nend interface"
        )
    };
    assert_eq!(kept(&interface(", value"), call, &clean), NONE);
    // The procedure may keep the address, and write the argument at its next call.
    for attribute in [", intent(in)", ", intent(inout)", ""] {
        assert_eq!(
            kept(&interface(attribute), call, &clean),
            ["call kernel(n)"]
        );
    }
}

/// A library may allocate an argument, if its interface is explicit.
#[test]
fn arguments_are_allocated_by_libraries() {
    let library = linked(&[("make_", "malloc")]);
    let interface = |attributes: &str| {
        format!(
            "interface\nsubroutine make(x)\n{attributes}\nend subroutine\nend interface\nreal, allocatable :: b(:)"
        )
    };
    let calls = "call make(b) ! external\nn = size(b)";
    let all = ["call make(b)"];
    assert_eq!(
        kept(&interface("real, allocatable :: x(:)"), calls, &library),
        all
    );
    let statement = interface("real :: x(:)\nallocatable :: x");
    assert_eq!(kept(&statement, calls, &library), all);
    let calls = "allocate(b(5))\ncall make(b) ! external\nn = size(b)";
    assert_eq!(kept(&interface("real :: x(:)"), calls, &library), NONE);
}

#[test]
fn the_state_of_a_library_connects_its_calls() {
    let calls = "call set_count(5) ! external\ncall get_count(n) ! external";
    let with_state = linked(&[("set_count_ get_count_ state", "")]);
    assert_eq!(
        kept("", calls, &with_state),
        ["call set_count(5)", "call get_count(n)"]
    );
    // The other one may be passed an address, since its arguments are no constants.
    let without = linked(&[("set_count_", ""), ("get_count_", "")]);
    assert_eq!(kept("", calls, &without), ["call get_count(n)"]);
}

/// A library without data may keep everything in objects that it allocates; handles do not change. They may be numbers of any size:
/// programs at low addresses have handles of four bytes.
#[test]
fn objects_behind_handles_connect_calls() {
    let interface = |handle: &str| {
        format!(
            "interface\nsubroutine set(h, k)\ninteger({handle}), value :: h\ninteger, value :: k\nend subroutine\n\
             subroutine get(h, k)\ninteger({handle}), value :: h\ninteger :: k\nend subroutine\nend interface\n\
             integer({handle}) :: h"
        )
    };
    let calls = "call set(h, 5) ! external\ncall get(h, n) ! external";
    let library = linked(&[("set_ get_", "malloc")]);
    for kind in ["8", "4", "1"] {
        assert_eq!(
            kept(&interface(kind), calls, &library),
            ["call set(h, 5)", "call get(h, n)"]
        );
    }
}

/// Also where nothing is proven: an address outlives the call that it was passed to.
#[test]
fn unknown_procedures_use_addresses_that_they_were_passed_earlier() {
    let declaration = "integer, target :: k";
    let nothing_proven = Options::default();
    let calls = "call keep(k)\nk = 5 ! external\ncall use_it()";
    assert_eq!(kept(declaration, calls, &nothing_proven), ["k = 5"]);
    let calls = "call keep(k)\ncall change_it() ! external\nn = k";
    assert_eq!(
        kept(declaration, calls, &nothing_proven),
        ["call change_it()"]
    );
    // Nothing uses it after the last call.
    let calls = "call keep(k)\ncall use_it()\nk = 5 ! external";
    assert_eq!(kept(declaration, calls, &nothing_proven), NONE);
    // A data-only procedure keeps nothing.
    let data_only = Options {
        data_only: vec!["keep".to_string()],
        ..Options::default()
    };
    let calls = "call keep(k)\nk = 5 ! external\ncall use_it()";
    assert_eq!(kept(declaration, calls, &data_only), NONE);
}

/// An address may be in two numbers: of an object, of a variable, of a procedure.
#[test]
fn addresses_in_several_numbers_are_addresses() {
    let library = linked(&[("keep_ change_", "malloc")]);
    let declaration = "integer :: low, high, k";
    let calls =
        "k = 1\ncall keep(low, high, k) ! external\ncall change(low, high) ! external\nn = k";
    assert_eq!(
        kept(declaration, calls, &library),
        ["call keep(low, high, k)", "call change(low, high)"]
    );
    let library = linked(&[("find_", "mpi_send_"), ("run_ calls", "")]);
    let calls = "call find(low, high) ! external\ncall run(low, high) ! external";
    assert_eq!(
        kept("integer :: low, high", calls, &library),
        ["call find(low, high)", "call run(low, high)"]
    );
}

/// C code takes the first member of a COMMON block for a structure of all of them.
#[test]
fn members_of_a_common_block_are_reached_from_each_other() {
    let library = linked(&[("fill_ read_it_", "memcpy")]);
    let call = "call fill(k) ! external";
    let common = "integer :: k, m\ncommon /c/ k, m";
    let used = |call: &str| format!("m = 1\n{call}\nn = m");
    assert_eq!(kept(common, &used(call), &library), ["call fill(k)"]);
    let apart = "integer :: k, m\ncommon /c/ k\ncommon /d/ m";
    assert_eq!(kept(apart, &used(call), &library), NONE);
    // Through a pointer, a dummy, and a function of the system.
    let pointer = "integer, pointer :: p\ninteger, target :: k, m\ncommon /c/ k, m";
    let call = "p => k\ncall fill(p) ! external";
    assert_eq!(kept(pointer, &used(call), &library), ["call fill(p)"]);
    let value = "interface\nsubroutine copy(x, y, n) bind(c, name='memcpy')\ninteger :: x, y\ninteger(8), value :: n\n\
        end subroutine\nend interface\ninteger :: k, m, z(2)\ncommon /c/ k, m";
    let call = "call copy(k, z(1), 8_8) ! external";
    assert_eq!(
        kept(value, &used(call), &library),
        ["call copy(k, z(1), 8_8)"]
    );
    // What it reads beside its argument.
    let calls = "m = 1 ! external\ncall read_it(k, n) ! external";
    assert_eq!(
        kept(common, calls, &library),
        ["m = 1", "call read_it(k, n)"]
    );
}

/// The same of the components of an object, also where the address is passed on.
#[test]
fn components_of_an_object_are_reached_from_each_other() {
    let library = linked(&[("fill_", "memcpy")]);
    let object = "type t\n  integer :: k, m\nend type\ntype(t) :: o";
    let calls = "o%m = 1\ncall fill(o%k) ! external\nn = o%m";
    assert_eq!(kept(object, calls, &library), ["call fill(o%k)"]);
    let source = "program t\nuse mpi\nimplicit none\ntype s\n  integer :: k, m\nend type\ntype(s) :: o\n\
        integer :: ierr, i, k, m\ncommon /c/ k, m\ncall mpi_init(ierr)\no%m = 1\nm = 2\ncall pass(o%k)\ncall pass(k)\n\
        do i = 1, o%m + m\n  call mpi_barrier(mpi_comm_world, ierr)\nend do\ncall mpi_finalize(ierr)\nend program\n\
        subroutine pass(x)\ninteger :: x\ncall fill(x)\nend subroutine\n";
    let analysed = analyse_with(source, &referring(source, &library));
    for line in [13, 14, 22] {
        assert!(analysed.kept().contains(&line), "{line}");
    }
}

/// Allocated components lie outside their object: the address of their data leads to neither the object nor other components.
#[test]
fn allocated_components_do_not_lead_to_their_object() {
    let library = linked(&[("fill_", "memcpy"), ("plan_ execute_ state", "")]);
    let types = "type s\n  integer :: k\n  integer, allocatable :: f(:)\nend type\ntype t\n  integer, allocatable :: b(:), c(:)\n  \
        type(s), allocatable :: s(:)\n  integer :: m\nend type\ntype(t) :: o";
    let used = |call: &str, value: &str| {
        format!(
            "allocate(o%b(5), o%c(5), o%s(2))\nallocate(o%s(1)%f(5))\no%m = 1\n{call}\nn = {value}"
        )
    };
    for (call, value, is_kept) in [
        ("call fill(o%b)", "o%m + o%c(1) + o%s(1)%k", false),
        ("call fill(o%b(2))", "o%b(1)", true),
        ("call fill(o%s(1)%k)", "o%m + o%b(1)", false),
        // The descriptor of `f` is in the same allocation.
        ("call fill(o%s(1)%k)", "o%s(2)%f(1)", true),
        ("call fill(o%s(1)%f)", "o%s(1)%k", false),
    ] {
        let expected = match is_kept {
            true => vec![call.to_string()],
            false => Vec::new(),
        };
        let calls = used(&format!("{call} ! external"), value);
        assert_eq!(kept(types, &calls, &library), expected, "{call} {value}");
    }
    // A descriptor may be passed that is in the object.
    let interface = format!(
        "{types}\ninterface\nsubroutine fill(x)\ninteger :: x(:)\nend subroutine\nend interface"
    );
    let calls = used("call fill(o%b) ! external", "o%m");
    assert_eq!(kept(&interface, &calls, &library), ["call fill(o%b)"]);
}

/// The same where a procedure passes its dummy on, and where the address is kept.
#[test]
fn allocated_components_are_followed_through_dummies_and_moves() {
    let library = linked(&[("fill_", "memcpy"), ("plan_ execute_ state", "")]);
    for (value, is_kept) in [("o%m", false), ("o%b(1)", true)] {
        let source = format!(
            "program t\nuse mpi\nimplicit none\ntype s\n  integer :: m\n  integer, allocatable :: b(:)\nend type\ntype(s) :: o\n\
             integer :: ierr, i\ncall mpi_init(ierr)\nallocate(o%b(5))\no%m = 1\ncall pass(o%b)\n\
             do i = 1, {value}\n  call mpi_barrier(mpi_comm_world, ierr)\nend do\ncall mpi_finalize(ierr)\nend program\n\
             subroutine pass(x)\ninteger :: x(5)\ncall fill(x)\nend subroutine\n"
        );
        let analysed = analyse_with(&source, &referring(&source, &library));
        assert_eq!(analysed.kept().contains(&21), is_kept, "{value}");
    }
    let types =
        "type t\n  integer, allocatable :: b(:), c(:)\n  integer :: m\nend type\ntype(t) :: o";
    let used = |value: &str| {
        format!(
            "allocate(o%b(5))\no%m = 1\ncall plan(o%b) ! external\ncall move_alloc(o%b, o%c)\n\
             call execute() ! external\nn = {value}"
        )
    };
    assert_eq!(kept(types, &used("o%m"), &library), NONE);
    assert_eq!(
        kept(types, &used("o%c(1)"), &library),
        ["call plan(o%b)", "call execute()"]
    );
}

#[test]
fn targets_are_known_to_a_library_that_was_passed_them() {
    let calls = "call register(k) ! external\ncall advance() ! external\nn = k";
    let library = linked(&[("register_ advance_ state", "")]);
    let both = ["call register(k)", "call advance()"];
    assert_eq!(kept("integer, target :: k", calls, &library), both);
    // Without TARGET, nothing may refer to it after the call; the state connects the calls nevertheless.
    assert_eq!(kept("integer :: k", calls, &library), both);
    let other = linked(&[("register_ state", ""), ("advance_", "")]);
    assert_eq!(kept("integer :: k", calls, &other), ["call register(k)"]);
}

#[test]
fn files_that_a_library_writes_are_read_later() {
    let statements =
        "call save_input(a) ! external\nopen(10, file='input')\nread(10, *) n\nclose(10)";
    let writing = linked(&[("save_input_", "fopen fwrite fclose")]);
    assert_eq!(kept("", statements, &writing), ["call save_input(a)"]);
    // Through a file that the program has opened.
    let statements =
        "open(10, file='input')\ncall put(3) ! external\nrewind(10)\nread(10, *) n\nclose(10)";
    let writing = linked(&[("put_", "write")]);
    assert_eq!(kept("", statements, &writing), ["call put(3)"]);
    let mut trusted = linked(&[("save_input_", "fopen fwrite fclose")]);
    trusted.trusted.push("libsave_input_".to_string());
    let unread = "call save_input(a) ! external";
    assert_eq!(kept("", unread, &trusted), NONE);
    let read = "call save_input(a) ! external\nopen(10, file='input')\nread(10, *) n";
    assert_eq!(kept("", read, &trusted), ["call save_input(a)"]);
}

#[test]
fn nothing_is_proven_of_a_library_that_is_passed_a_procedure() {
    let clean = linked(&[("solve_ state", ""), ("other_", ""), ("step_", "")]);
    let calls = "call solve(step, a) ! external\ncall other(2.) ! external";
    let external = "external :: step";
    assert_eq!(kept(external, calls, &clean), ["call solve(step, a)"]);
    // A procedure that is passed on by another one.
    let through = "program t\nuse mpi\nimplicit none\ninteger :: ierr\nreal :: a(10)\nexternal :: step\n\
        call mpi_init(ierr)\ncall pass(step, a)\ncall mpi_finalize(ierr)\nend program\n\
        subroutine pass(f, a)\nreal :: f, a(10)\ncall solve(f, a)\nend subroutine\n\
        subroutine step(x)\nuse mpi\nreal :: x\ninteger :: ierr\ncall mpi_barrier(mpi_comm_world, ierr)\nend subroutine\n";
    let analysed = analyse_with(through, &referring(through, &clean));
    assert!(analysed.kept().contains(&13), "{:?}", analysed.kept());
    let of_c = "use iso_c_binding\nexternal :: step";
    let calls = "call other(c_funloc(step)) ! external";
    assert_eq!(kept(of_c, calls, &clean), ["call other(c_funloc(step))"]);
}

/// A handle of one library may contain the address of a function of another.
#[test]
fn handles_are_not_trusted_beside_code_that_reaches_mpi() {
    let calls = "call make(h) ! external\ncall use_it(h, a) ! external";
    let beside = |reached: &str| linked(&[("make_", reached), ("use_it_ calls", "")]);
    let handle = "integer(8) :: h";
    assert_eq!(kept(handle, calls, &beside("")), NONE);
    assert_eq!(
        kept(handle, calls, &beside("mpi_send_")),
        ["call make(h)", "call use_it(h, a)"]
    );
    // Any array or number may contain one, or a part.
    for last in ["a", "n + 1"] {
        let calls = format!("call make(h) ! external\ncall use_it(2, {last}) ! external");
        assert_eq!(
            kept(handle, &calls, &beside("mpi_send_")),
            ["call make(h)", &format!("call use_it(2, {last})")]
        );
    }
    let calls = "call make(h) ! external\ncall use_it(2, 1.5) ! external";
    assert_eq!(kept(handle, calls, &beside("mpi_send_")), ["call make(h)"]);
    // Without indirect calls the second one reaches no MPI. It stays, since unknown code may read the object.
    let direct = linked(&[("make_", "mpi_send_"), ("use_it_", "")]);
    let calls = "call make(h) ! external\ncall use_it(h, a) ! external";
    assert_eq!(
        kept(handle, calls, &direct),
        ["call make(h)", "call use_it(h, a)"]
    );
}

#[test]
fn a_procedure_without_source_that_is_called_by_a_pointer_is_unknown() {
    let clean = linked(&[("kernel_", "")]);
    let source = "program t\nuse mpi\nimplicit none\ninteger :: ierr\nreal :: a(10)\nexternal :: kernel\n\
        call mpi_init(ierr)\ncall pass(kernel, a)\ncall mpi_finalize(ierr)\nend program\n\
        subroutine pass(f, a)\nexternal :: f\nreal :: a(10)\ncall f(a)\nend subroutine\n";
    let analysed = analyse_with(source, &referring(source, &clean));
    assert!(analysed.kept().contains(&14), "{:?}", analysed.kept());
}

#[test]
fn what_is_unknown_is_named_once_for_each_library() {
    let options = linked(&[
        ("one_ two_ three_ four_", "helper_"),
        ("helper_", "mpi_send_"),
    ]);
    let source = "program t\nuse mpi\ninteger :: ierr\ncall mpi_init(ierr)\ncall one\ncall two\ncall three\ncall four\n\
        call mpi_finalize(ierr)\nend program\n";
    let analysed = analyse_with(source, &referring(source, &options));
    let said: Vec<&str> = analysed
        .analysis
        .diagnostics
        .iter()
        .map(|one| one.sentence.as_str())
        .collect();
    assert_eq!(
        said,
        [
            "one, two, three and 1 more have no source here: they are assumed to call MPI, and to read and write of the \
            program only what it passes, since symbols prove no more (libone_.a → libhelper_.a → mpi_send_); if libone_.a \
            does not call MPI, name it in [externals] trusted"
        ]
    );
}

/// Code that calls MPI or does more than to compute stays, but reads no variable of the program that it does not refer to.
#[test]
fn confined_procedures_read_only_what_the_program_passes() {
    let field = "real :: b(100)\ncommon /field/ b\nlogical :: l\ninteger, target :: k\ninteger :: op\nexternal :: step\n\
        type t\n  integer :: m\nend type\ntype(t) :: o";
    let calls = "b = 2 ! external\ncall report() ! external";
    let confined = ["call report()"];
    let both = ["b = 2", "call report()"];
    for reached in ["mpi_send_", "fopen", "exit", "MPI_Abort printf"] {
        let library = linked(&[("report_ state", "helper_"), ("helper_", reached)]);
        assert_eq!(kept(field, calls, &library), confined, "{reached}");
    }
    for reached in ["field_", "dlopen", "unknown_", "mpi_send_ field_"] {
        let library = linked(&[("report_ state", "helper_"), ("helper_", reached)]);
        assert_eq!(kept(field, calls, &library), both, "{reached}");
    }
    let library = linked(&[("report_ state", "mpi_send_"), ("other_", "")]);
    let beside = |statement: &str| kept(field, &format!("{statement}\n{calls}"), &library);
    assert_eq!(beside("call other(k)"), confined);
    // MPI, or the library, may call procedures of the program.
    for opening in [
        "call mpi_op_create(step, .true., op, ierr)",
        "call mpi_win_create(b, 400_8, 4, mpi_info_null, mpi_comm_world, op, ierr)",
        "call other(step)",
        "k = c_funloc(step)",
        "call absent()",
    ] {
        assert_eq!(beside(opening), both, "{opening}");
    }
    let holding = field.replace("integer :: m\n", "procedure(), pointer, nopass :: m\n");
    assert_eq!(kept(&holding, calls, &library), both);
    // It reads what it or any other code was passed, or has kept.
    let calls = "b = 2 ! external\ncall report(b) ! external";
    assert_eq!(kept(field, calls, &library), ["b = 2", "call report(b)"]);
    for name in ["report", "other"] {
        let calls = format!("call {name}(k)\nk = 5 ! external\ncall report() ! external");
        assert_eq!(
            kept(field, &calls, &library),
            ["k = 5", "call report()"],
            "{name}"
        );
    }
}

/// What it returns depends on what its library remembers, and on states of the process.
#[test]
fn confined_procedures_read_what_others_have_left() {
    let library = linked(&[
        ("set_ add_ state", ""),
        ("get_", "set_ mpi_send_"),
        ("other_ state2", "setenv"),
    ]);
    let calls = "call add(3) ! external\ncall other() ! external\ncall get() ! external";
    assert_eq!(
        kept("", calls, &library),
        ["call add(3)", "call other()", "call get()"]
    );
    let functions = "integer, external :: get\nreal(8) :: r";
    let calls = "n = 3 ! external\nr = get(n) ! external";
    assert_eq!(kept(functions, calls, &library), ["n = 3", "r = get(n)"]);
    // Files.
    let calls = "open(10, file='input') ! external\nwrite(10, *) 3 ! external\nclose(10) ! external\ncall get() ! external";
    assert_eq!(
        kept("", calls, &library),
        [
            "open(10, file='input')",
            "write(10, *) 3",
            "close(10)",
            "call get()"
        ]
    );
}

/// What is written to a connected file is available to other code after it is closed or flushed.
#[test]
fn files_are_read_by_libraries_if_they_are_released() {
    let library = linked(&[("get_", "fopen fclose")]);
    let open = "open(10, file='f')";
    for (statements, is_read) in [
        ("write(10, *) a(1)\ncall get()\nclose(10)", false),
        ("write(10, *) a(1)\nclose(10)\ncall get()", true),
        ("write(10, *) a(1)\nflush(10)\ncall get()", true),
        ("write(10, *) a(1)\nrewind(10)\ncall get()", true),
        ("write(10, *) a(1)\nopen(10, file='g')\ncall get()", true),
        (
            "do i = 1, 2\n  call get()\n  write(10, *) a(1)\n  flush(10)\nend do",
            true,
        ),
        ("write(10, *) a(1)\ncall done()\ncall get()", true),
    ] {
        let source = format!(
            "program t\nuse mpi\nimplicit none\ninteger :: ierr, i\nreal :: a(100)\ncall mpi_init(ierr)\na = 2\n{open}\n\
             {statements}\ncall mpi_finalize(ierr)\ncontains\nsubroutine done()\nclose(10)\nend subroutine\nend program\n"
        );
        let analysed = analyse_with(&source, &referring(&source, &library));
        assert_eq!(analysed.kept().contains(&7), is_read, "{statements}");
    }
    // Code in Fortran may flush any unit.
    let library = linked(&[("get_", "fopen"), ("other_", "_gfortran_st_close")]);
    let statements = format!("n = 2 ! external\n{open}\nwrite(10, *) n ! external\ncall get()");
    let both = ["n = 2", "write(10, *) n"];
    assert_eq!(kept("", &statements, &library), both);
}

/// Code that cannot call procedures of the program reads nothing that these leave behind.
#[test]
fn confined_procedures_call_no_procedure_of_the_program() {
    let source = "program t\nuse mpi\nimplicit none\ninteger :: ierr\ncall mpi_init(ierr)\ncall report()\n\
        call mpi_finalize(ierr)\nend program\nsubroutine fill(y)\nreal :: y\ny = 3\nend subroutine\n";
    let is_kept = |reached: &str| {
        let library = linked(&[("report_", reached)]);
        let analysed = analyse_with(source, &referring(source, &library));
        analysed.kept().contains(&11)
    };
    assert!(!is_kept("mpi_send_"));
    assert!(is_kept("mpi_send_ fill_"));
}

/// Procedures of the compiler that are in no list are unknown, as those of any library.
#[test]
fn procedures_of_compilers_are_known_by_lists() {
    let nothing = linked(&[]);
    let test = "l = ieee_is_nan(a(1)) ! external";
    assert_eq!(kept("logical :: l", test, &nothing), NONE);
    let change = "call chdir('x') ! external";
    assert_eq!(kept("", change, &nothing), ["call chdir('x')"]);
}

#[test]
fn keyword_arguments_find_their_dummies() {
    let clean = linked(&[("kernel_", "")]);
    let interface = "integer :: k\ninterface\nsubroutine kernel(x, y)\ninteger, value :: x\ninteger :: y\n\
        end subroutine\nend interface";
    let call = |list: &str| format!("k = 1\ncall kernel({list}) ! external");
    assert_eq!(kept(interface, &call("n, k"), &clean), NONE);
    assert_eq!(kept(interface, &call("y=k, x=n"), &clean), NONE);
    assert_eq!(
        kept(interface, &call("y=n, x=k"), &clean),
        ["call kernel(y=n, x=k)"]
    );
    // Without an interface body no argument is known to keep its value.
    let other = interface
        .replace("kernel(x, y)", "kernel(x, z)")
        .replace(":: y", ":: z");
    assert_eq!(
        kept(&other, &call("y=n, x=k"), &clean),
        ["call kernel(y=n, x=k)"]
    );
}

#[test]
fn loc_takes_the_address_of_a_procedure() {
    let clean = linked(&[("solve_", "")]);
    let declaration = "integer(8) :: at\nexternal :: step";
    let calls = "at = loc(step)\ncall solve(at) ! external";
    assert_eq!(kept(declaration, calls, &clean), ["call solve(at)"]);
    let calls = "at = loc(n)\ncall solve(at) ! external";
    // It may write `n`, and nothing else.
    assert_eq!(kept(declaration, calls, &clean), ["call solve(at)"]);
}

#[test]
fn labels_name_what_is_called() {
    let interface = |label: &str| {
        format!(
            "interface\nsubroutine sync(c) bind(c, name={label})\ninteger, value :: c\nend subroutine\nend interface"
        )
    };
    let call = "call sync(0) ! external";
    let clean = linked(&[("sync_", ""), ("Sync", "")]);
    assert_eq!(kept(&interface("'Sync'"), call, &clean), NONE);
    let all = ["call sync(0)"];
    assert_eq!(kept(&interface("'MPI_Barrier'"), call, &clean), all);
    assert_eq!(kept(&interface("'sync'"), call, &clean), all);
    // The label is not known.
    assert_eq!(kept(&interface("prefix//'Sync'"), call, &clean), all);
}

#[test]
fn any_specific_procedure_of_a_generic_name_may_be_called() {
    let interface = "interface work\nsubroutine of_real(x)\nreal :: x(*)\nend subroutine\nsubroutine of_all(x, c)\n\
        real :: x(*)\ninteger :: c\nend subroutine\nend interface";
    let call = "call work(a, mpi_comm_world) ! external";
    let linked = linked(&[("of_real_", ""), ("of_all_", "mpi_send_")]);
    assert_eq!(
        kept(interface, call, &linked),
        ["call work(a, mpi_comm_world)"]
    );
}

/// Libraries keep the addresses of arguments that are no targets, too: plans of transforms do.
#[test]
fn arguments_whose_address_is_kept_change_later() {
    let interface = "integer :: k\ninterface\nsubroutine plan(x)\ninteger, intent(in) :: x\nend subroutine\nend interface";
    let calls = "k = 1\ncall plan(k) ! external\ncall execute() ! external\nn = k";
    let library = linked(&[("plan_ execute_ state", "")]);
    let both = ["call plan(k)", "call execute()"];
    assert_eq!(kept(interface, calls, &library), both);
    let value = interface.replace("intent(in)", "value");
    assert_eq!(kept(&value, calls, &library), NONE);
    // In a component, or what a component points at.
    let object = "type t\n  integer :: k\n  integer, pointer :: p\nend type\ntype(t) :: o\ninteger, target :: m";
    let calls = "o%p => m\ncall plan(o%k) ! external\ncall execute() ! external\nn = o%k";
    assert_eq!(
        kept(object, calls, &library),
        ["call plan(o%k)", "call execute()"]
    );
    let calls = "o%p => m\nm = 1\ncall plan(o) ! external\ncall execute() ! external\nn = m";
    assert_eq!(
        kept(object, calls, &library),
        ["call plan(o)", "call execute()"]
    );
}

#[test]
fn addresses_of_mpi_are_values() {
    let declaration = "integer :: k\ninteger(mpi_address_kind) :: at";
    let calls = "k = 1\ncall mpi_get_address(k, at, ierr)\ncall advance(at + 0) ! external\nn = k";
    let library = linked(&[("advance_", "memcpy")]);
    assert_eq!(kept(declaration, calls, &library), ["call advance(at + 0)"]);
}

/// Code that changes or reads a state without a symbol is unknown, so each such call stays.
#[test]
fn states_of_the_process_are_kept() {
    let calls = "call set_it() ! external\ncall last(n) ! external";
    let both = ["call set_it()", "call last(n)"];
    for (sets, reads) in [
        ("setenv", "localtime"),
        ("strtol", "__errno_location"),
        ("malloc", "__errno_location"),
        ("sqrt", "__errno_location"),
        ("lgamma", "signgam"),
        ("", "fetestexcept"),
        ("alarm", "pause"),
        ("fopen", "__errno_location"),
    ] {
        let library = linked(&[("set_it_", sets), ("last_", reads)]);
        assert_eq!(kept("", calls, &library), both, "{sets} {reads}");
    }
    let without = linked(&[("set_it_", "sqrt"), ("last_", "malloc")]);
    assert_eq!(kept("", calls, &without), ["call last(n)"]);
    // The program reads the state itself.
    let declaration = "character(8) :: text";
    let calls =
        "call set_it() ! external\ncall get_environment_variable('N', text)\nread(text, *) n";
    let setting = linked(&[("set_it_", "setenv")]);
    assert_eq!(kept(declaration, calls, &setting), ["call set_it()"]);
    let flags = "logical :: l";
    let calls =
        "call set_it() ! external\ncall ieee_get_flag(ieee_divide_by_zero, l)\nif (l) n = 1";
    let dividing = linked(&[("set_it_", "")]);
    assert_eq!(kept(flags, calls, &dividing), ["call set_it()"]);
    let calls = "call set_it() ! external\nn = omp_get_max_threads()";
    let declaration = "integer, external :: omp_get_max_threads";
    let setting = linked(&[("set_it_", "omp_set_num_threads")]);
    assert_eq!(kept(declaration, calls, &setting), ["call set_it()"]);
}

#[test]
fn instructions_that_change_modes_are_kept() {
    let call = "call up() ! external";
    let mut options = linked(&[("up_", "")]);
    assert_eq!(kept("", call, &options), NONE);
    let code = options.linked.as_mut().unwrap();
    code.units[0].instruction = Some("the instruction ldmxcsr".to_string());
    assert_eq!(kept("", call, &options), ["call up()"]);
    let code = options.linked.as_mut().unwrap();
    code.units[0].instruction = None;
    code.units[0].has_thread_variables = true;
    assert_eq!(kept("", call, &options), ["call up()"]);
}

/// The program itself may put an address into a real number.
#[test]
fn real_numbers_may_contain_addresses() {
    let library = linked(&[("poke_", "")]);
    let calls = "r = transfer(c_loc(k), r)\ncall poke(r) ! external\nn = k";
    let declaration = "integer, target :: k = 1\nreal(8) :: r";
    assert_eq!(kept(declaration, calls, &library), ["call poke(r)"]);
    // At low addresses four bytes are enough.
    let declaration = "integer, target :: k = 1\nreal :: r";
    assert_eq!(kept(declaration, calls, &library), ["call poke(r)"]);
}

/// A handle may be an array of small integers, or text.
#[test]
fn handles_in_arrays_and_text_connect_calls() {
    let library = linked(&[("make_ set_ get_", "malloc")]);
    let calls = "call make(h) ! external\ncall set(h, 5) ! external\ncall get(h, n) ! external";
    let all = ["call make(h)", "call set(h, 5)", "call get(h, n)"];
    let handle = |declaration: &str| {
        format!(
            "{declaration} :: h\ninterface\nsubroutine set(h, k)\n{declaration}, intent(in) :: h\ninteger, value :: k\n\
             end subroutine\nend interface"
        )
    };
    for declaration in [
        "integer, dimension(2)",
        "character(8)",
        "logical, dimension(2)",
        "real, dimension(2)",
        "real(8)",
        "integer",
    ] {
        assert_eq!(
            kept(&handle(declaration), calls, &library),
            all,
            "{declaration}"
        );
    }
}

/// An instruction may read a clock, which no symbol shows: the name counts nevertheless.
#[test]
fn clocks_without_symbols_are_known_by_name() {
    let source = "program t\nuse mpi\nimplicit none\ninteger :: ierr\nreal(8) :: t0\nreal(8), external :: cycles_time\n\
        call mpi_init(ierr)\nt0 = cycles_time()\nif (t0 > 1d0) then\n  call mpi_barrier(mpi_comm_world, ierr)\nend if\n\
        call mpi_finalize(ierr)\nend program\n";
    let found = |options: &Options| {
        analyse_with(source, &referring(source, options))
            .analysis
            .time_dependent
            .len()
    };
    let library = linked(&[("cycles_time_", "")]);
    assert_eq!(found(&library), found(&Options::default()));
    assert_ne!(found(&library), 0);
}

/// A pointer that a library returns may point at what the library was passed.
#[test]
fn pointers_of_libraries_point_at_what_they_were_passed() {
    let library = linked(&[("keep_ give_ state", "")]);
    let source = "program t\nuse, intrinsic :: iso_c_binding\nuse mpi\nimplicit none\ninteger :: ierr, n, i\ninteger, target :: k\n\
        integer, pointer :: p\ntype(c_ptr) :: cp\ninterface\nfunction give()\nimport :: c_ptr\ntype(c_ptr) :: give\nend function\n\
        end interface\ncall mpi_init(ierr)\nk = 1\ncall keep(k)\ncp = give()\ncall c_f_pointer(cp, p)\nk = 5\nn = p\n\
        do i = 1, n\n  call mpi_barrier(mpi_comm_world, ierr)\nend do\ncall mpi_finalize(ierr)\nend program\n";
    let analysed = analyse_with(source, &referring(source, &library));
    assert!(
        analysed
            .analysis
            .proven_externals
            .contains(&"give".to_string())
    );
    assert!(analysed.lines[19] == "k = 5" && analysed.kept().contains(&20));
}
