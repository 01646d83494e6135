//! Statements.

use super::{check_body, check_unit};

#[test]
fn loops() {
    check_body(
        "",
        "do i = 1, n\ncycle\nend do\ndo i = n, 1, -1\nexit\nend do\ndo while (i < 3)\ni = i + 1\nend do\ndo\nexit\nend do",
        "do i = 1, n\ncycle #0\ndo i = n, 1, (-1)\nexit #2\nwhile (i < 3)\ni = (i + 1)\ndo\nexit #6",
    );
    check_body(
        "",
        "a: do i = 1, n\nb: if (i == 2) then\nexit b\nelse\ncycle a\nend if b\nend do a",
        "do i = 1, n\nif (i == 2)\nexit #1\nelse\ncycle #0",
    );
}

#[test]
fn labelled_loops() {
    check_unit(
        "a.f",
        "      program p\n      do 10 i = 1, n\n      do 10 j = 1, n\n      k = j\n   10 k = i\n      do 20 i = 1, 2\n   20 continue\n      do 30 i = 1, 2\n   30 enddo\n      end\n",
        "do i = 1, n to 10\ndo j = 1, n to 10\nk = j\n10: k = i\ndo i = 1, 2 to 20\n20: continue\ndo i = 1, 2\n30: continue",
    );
}

#[test]
fn a_label_on_end_do_is_a_place_to_jump_to() {
    check_body(
        "",
        "do i = 1, 2\nif (i == 1) goto 5\nk = i\n5 end do",
        "do i = 1, 2\nlogical if (i == 1)\ngoto [5]\nk = i\n5: continue",
    );
}

#[test]
fn branches() {
    check_body(
        "",
        "if (a) goto 10\nif (a) then\nx = 1\nelse if (b) then\nx = 2\nelse\nx = 3\nend if\n10 continue",
        "logical if a\ngoto [10]\nif a\nx = 1\nelse if b\nx = 2\nelse\nx = 3\n10: continue",
    );
    check_body(
        "",
        "select case (k)\ncase (1, 3:4)\nx = 1\ncase default\nx = 2\nend select",
        "select k\ncase {1, {3, 4}}\nx = 1\ncase {}\nx = 2",
    );
    check_body(
        "",
        "go to (1, 2), k\n1 if (x) 1, 2, 3\n2 stop\n3 error stop 4",
        "goto [1, 2] by k or next\n1: goto [1, 2, 3] by x\n2: stop\n3: stop",
    );
    check_body(
        "integer m",
        "assign 5 to m\ngoto m, (5)\n5 continue",
        "opaque reads {} writes {m}\ngoto [5] by m\n5: continue\nWarning: a.f90:4: an assigned GOTO: all statements of s are kept together",
    );
}

#[test]
fn input_output() {
    check_body(
        "",
        "write(*, 10) x, (y, i = 1, n)\n10 format (f8.3)\nprint *, x\nread(5, *, end=20, iostat=k) a\n20 continue",
        "write * reads {x, y, 1, n} writes {i}\nwrite * reads {x} writes {}\nread 5 reads {} writes {k, a} jumps [20]\n20: continue",
    );
    check_body(
        "character*8 line",
        "read(line, '(i4)') i\nopen(unit=u, file=name, err=9)\nrewind(u)\nrewind u\nclose(u)\n9 inquire(file=name, exist=l)",
        "read internal line reads {} writes {i}\nopen u reads {name} writes {} jumps [9]\nposition u reads {} writes {}\nposition u reads {} writes {}\nclose u reads {} writes {}\n9: inquire none reads {name} writes {l}",
    );
    check_body(
        "namelist /g/ a, b",
        "read(5, nml=g)\nwrite(*, g)\nread *, x",
        "read 5 reads {} writes {a, b}\nwrite * reads {a, b} writes {}\nread * reads {} writes {x}",
    );
}

#[test]
fn allocation() {
    check_body(
        "real, allocatable :: a(:)",
        "allocate(a(0:n), stat=k)\ndeallocate(a)",
        "allocate {a[0:n]} stat k\ndeallocate {a}",
    );
    check_body(
        "real, allocatable :: a(:)",
        "allocate(a, source=b)",
        "opaque reads {b} writes {a}",
    );
}

#[test]
fn constructs_kept_whole() {
    check_body(
        "real a(3), b(3)",
        "where (a > 0)\nb = a\nelsewhere\nb = 1\nend where\nforall (i = 1:3) a(i) = b(i)",
        "opaque reads {(a > 0), a, 1} writes {b, b}\nopaque reads {{i, 1, 3}, b[i]} writes {a[i]}",
    );
}

#[test]
fn several_statements_on_a_line() {
    check_body(
        "",
        "a = 1; b = 2; if (a) c = 3",
        "a = 1\nb = 2\nlogical if a\nc = 3",
    );
}

#[test]
fn operators_and_literals() {
    check_body(
        "logical p, q\ncharacter*4 s",
        "p = .not. q .and. 1 .le. 2 .or. p .neqv. q\nx = -a**2 + 3_8 - 1.5D0\ns = 'a' // \"b\"\ny = (/ 1, 2 /)\nz = (1.0, 2.0)",
        "p = ((((not q) and (1 <= 2)) or p) neqv q)\nx = (((-(a ** 2)) + 3_8) - 1.5d0)\ns = ('a' // \"b\")\ny = {1, 2}\nz = {1.0, 2.0}",
    );
    check_body("type(t) u", "u%a(3)%b = v%c", "u%a%b[3] = v%c[]");
}
