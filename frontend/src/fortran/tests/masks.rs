//! What the grammar misreads without masks.

use super::{check_body, check_unit};

#[test]
fn variables_with_names_of_keywords() {
    check_body(
        "character class\ninteger close",
        "class = 'U'\nclose = 3\nx = 1",
        "class = 'U'\nclose = 3\nx = 1",
    );
    check_body(
        "integer write(9), read(9), data(9), end(9)",
        "write(i) = 2\nread(i) = 2\ndata(2) = 4\nend(1) = 2",
        "write[i] = 2\nread[i] = 2\ndata[2] = 4\nend[1] = 2",
    );
    check_body(
        "integer data(9)\nlogical l\ncharacter class",
        "if (l) data(2) = 4\nif (l) class = 'U'",
        "logical if l\ndata[2] = 4\nlogical if l\nclass = 'U'",
    );
    check_body(
        "integer format, include, call",
        "format = 2\ninclude = 1\ncall = 4",
        "format = 2\ninclude = 1\ncall = 4",
    );
}

#[test]
fn bit_patterns() {
    check_body("integer i, j\ndata i /x'0F'/, j /'0F'x/", "k = i", "k = i");
}

#[test]
fn labels_before_clauses() {
    let body = "if (a == 1) then\ni = 1\n10 else if (a == 2) then\ni = 2\n20 else\ni = 3\n30 endif\nselect case (i)\n40 case (1)\nj = 1\nend select";
    check_body(
        "",
        body,
        "if (a == 1)\ni = 1\nelse if (a == 2)\ni = 2\nelse\ni = 3\n30: continue\nselect i\ncase {1}\nj = 1",
    );
}

#[test]
fn alternate_returns() {
    let source = "subroutine s(a, *)\ncall t(a, *10)\n10 return 1\nend\n";
    let sentence = "an alternate return: all statements of s are kept together";
    check_unit(
        "a.f90",
        source,
        &format!(
            "call external t(a, *)\n10: return\nWarning: a.f90:2: {sentence}\nWarning: a.f90:3: {sentence}"
        ),
    );
}

#[test]
fn blank_common_and_lengths() {
    check_body("common // x(3), y\ncharacter n*(10), m*4", "n = m", "n = m");
}

#[test]
fn bodies_of_interfaces_are_no_suspects() {
    let source = "module m
abstract interface
subroutine a(x)
import
real x
end subroutine
function b() result(c)
real c
end function
end interface
contains
subroutine s
i = = 1
end subroutine
end module
";
    check_unit(
        "a.f90",
        source,
        "opaque reads {} writes {}\nError: a.f90:13: not parsed: 'i = = 1'; all its names count as \
        read and written",
    );
}

#[test]
fn unreadable_statements_are_kept_whole() {
    check_body(
        "integer i, j",
        "i = 1\nj = i i + 2\nj = 3",
        "i = 1\nopaque reads {j, i, i} writes {j, i, i}\nj = 3\nWarning: a.f90:4: not parsed: 'j = \
        i i + 2'; all its names count as read and written",
    );
    check_body(
        "",
        "i = 1\ncall f(%val(i))\ni = 2",
        "i = 1\nopaque reads {i} writes {i}\ni = 2\nError: a.f90:4: not parsed: 'call f(%val(i))'; \
        all its names count as read and written",
    );
}

#[test]
fn control_that_is_not_understood_is_refused() {
    let refused = |body: &str, said: &str| check_body("integer i, j", body, said);
    refused(
        "do 1 0 i=1,4\nj = 3",
        "opaque reads {i} writes {i}\nj = 3\nError: a.f90:3: not parsed: 'do 1 0 i=1,4'; all its \
        names count as read and written",
    );
    refused(
        "j = i f(i)",
        "opaque reads {j, i, i} writes {j, i, i}\nError: a.f90:3: not parsed: 'j = i f(i)'; all its \
        names count as read and written",
    );
}

/// Compilers take a comma before the items for granted, with a warning.
#[test]
fn commas_before_items_are_not_seen() {
    check_body(
        "integer n, m, u\ncharacter(30) a",
        "read(a, '(I30)'), n\nwrite(*,*), n, m\nif (n > 3) read(u) , m\nwrite (u, '(i3)'), (n, m = 1, 2)",
        "read internal a reads {} writes {n}\nwrite * reads {n, m} writes {}\nlogical if (n > 3)\nread u reads {} writes {m}\nwrite u reads {n, 1, 2} writes {m}",
    );
    check_body(
        "integer n\ncharacter(30) f",
        "read (f), n\nread ('(i3)'), n\nread (f) n",
        "read * reads {f} writes {n}\nread * reads {} writes {n}\nread internal f reads {} writes {n}",
    );
}

#[test]
fn assigned_goto_without_labels() {
    check_body(
        "integer i",
        "assign 20 to i\nif (i > 3) goto i\ngo to i\n10 i = 1\n20 i = 2",
        "opaque reads {} writes {i}\nlogical if (i > 3)\ngoto [20] by i\ngoto [20] by i\n10: i = 1\n20: i = 2\nWarning: a.f90:4: an assigned GOTO: all statements of s are kept together\nWarning: a.f90:5: an assigned GOTO: all statements of s are kept together",
    );
}

#[test]
fn cray_pointers_are_refused() {
    check_body(
        "integer i\npointer (p, i)",
        "i = 1",
        "opaque reads {external pointer(p, i)} writes {}\ni = 1\nError: a.f90:3: Cray pointers are not supported",
    );
}
