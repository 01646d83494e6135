//! Forms of one storage under several names: pointers to parts of arrays, associated names, addresses, EQUIVALENCE of
//! types, lists of subscripts, blocks with variables of their own.

use super::features::{Form, lines, piece, sent_value};
use super::statements::Generator;

/// What the pointers of a form may aim at.
const AIMED_AT: &str =
    "  integer, target :: c(8)\n  integer, pointer :: p(:), q(:), one, two(:, :)";

impl Generator {
    pub fn aliasing(&mut self, number: usize) -> Form {
        match self.chance.below(10) {
            8 | 9 => self.unused_argument(number),
            0 | 1 => self.pointer_to_part(),
            2 => self.pointer_from_function(number),
            3 => self.by_address(),
            4 => self.associated(),
            5 => self.equivalence_of_types(number),
            6 => self.listed_subscripts(),
            _ => self.block_variables(),
        }
    }

    /// A pointer to each second element, backwards, with other bounds or as a matrix.
    fn pointer_to_part(&mut self) -> Form {
        let aimed = self.chance.pick(&[
            "p => c(2:8:2)",
            "p => c(8:1:-1)",
            "p(0:) => c(3:6)",
            "p => c(1 + modulo(n, 3):6)",
            "p(1:4) => c(5:8)",
            "allocate(p(5))\np = 3",
        ]);
        let second = self.chance.pick(&[
            "q => p",
            "q => p(2:)",
            "q => c",
            "q => p(ubound(p, 1):lbound(p, 1):-1)",
            "two(1:2, 1:4) => c\nq => two(2, :)",
            "one => p(2)\none = 50\nq => p",
        ]);
        let changed = self.chance.pick(&[
            "q(2) = 40 + modulo(n, 7)",
            "p(lbound(p, 1)) = 41",
            "c(6) = 42",
            "q = q + 1",
            "p(1 + modulo(n, 3)) = 43",
            "c(3:5) = [44, 45, 46]",
        ]);
        let asked = self.chance.pick(&[
            "c(4) + c(6)",
            "p(2)",
            "sum(q)",
            "size(q) + lbound(p, 1)",
            "c(1 + modulo(l, 8))",
            "q(1) + p(3)",
        ]);
        let body = vec![
            piece("do k = 1, 8\n  c(k) = 2 * k + 1\nend do"),
            piece(aimed),
            piece(second),
            piece(changed),
            piece(&format!("v = {asked}")),
            piece(&sent_value("v")),
        ];
        Form {
            declared: lines(AIMED_AT),
            body,
            ..Form::default()
        }
    }

    /// A function returns a pointer, and its target is changed.
    fn pointer_from_function(&mut self, number: usize) -> Form {
        let contained = format!(
            "  function zqy{number}(at) result(found)
    integer, intent(in) :: at
    integer, pointer :: found
    found => c(at)
    u = u + 1
  end function
  subroutine zqz{number}(found, from)
    integer, pointer :: found(:)
    integer :: from
    found => c(from:)
  end subroutine"
        );
        let changed = self.chance.pick(&[
            "one => zqyN(3)\none = 60",
            "one => zqyN(1 + modulo(n, 8))\none = one + 30",
            "call zqzN(p, 3)\np(2) = 61",
            "call zqzN(p, u)\nq => p(2:4)\nq = 62",
            "c(2) = zqyN(7) + 5",
        ]);
        let asked = self
            .chance
            .pick(&["c(4) + c(3)", "sum(c)", "c(2) + c(5)", "u + c(6)"]);
        let body = vec![
            piece("c = 5"),
            piece(&changed.replace('N', &number.to_string())),
            piece(&format!("v = {asked}")),
            piece(&sent_value("v")),
        ];
        Form {
            declared: lines(AIMED_AT),
            body,
            contained: lines(&contained),
            ..Form::default()
        }
    }

    /// C_LOC and C_F_POINTER.
    fn by_address(&mut self) -> Form {
        let taken = self.chance.pick(&["c_loc(c)", "c_loc(c(3))", "c_loc(m)"]);
        let (aimed, written) = match taken {
            "c_loc(m)" => ("call c_f_pointer(at, one)", "one = 70 + modulo(n, 9)"),
            _ => ("call c_f_pointer(at, p, [4])", "p(2) = 70 + modulo(n, 9)"),
        };
        let again = self
            .chance
            .pick(&["", "there = at\nat = c_null_ptr\nat = there"]);
        let asked = self.chance.pick(&[
            "c(2) + 10 * c(4) + m",
            "m + sum(c)",
            "merge(80, 81, c_associated(at)) + c(2)",
        ]);
        let body = vec![
            piece("c = 6"),
            piece(&format!("at = {taken}")),
            piece(again),
            piece(&format!("{aimed}\n{written}")),
            piece(&format!("v = {asked}")),
            piece(&sent_value("v")),
        ];
        let declared = format!("{AIMED_AT}\n  type(c_ptr) :: at, there\n  target :: m");
        Form {
            used: lines("  use, intrinsic :: iso_c_binding"),
            declared: lines(&declared),
            body,
            ..Form::default()
        }
    }

    /// ASSOCIATE: variables, elements whose index is evaluated once, and values.
    fn associated(&mut self) -> Form {
        let names = self.chance.pick(&[
            "x1 => a(k), y1 => a(4:7), z1 => k + 10",
            "x1 => m, y1 => b, z1 => a(k) * 2",
        ]);
        let does = self.chance.pick(&[
            "k = 5\nx1 = 90",
            "y1(2) = 91\nk = k + z1",
            "y1 = y1 + z1",
            "associate (w1 => y1(2:3), x2 => x1)\n  w1(1) = 92\n  x2 = x2 + 1\nend associate",
            "do k = 1, 4\n  y1(k) = k + x1\nend do",
        ]);
        let asked = self.chance.pick(&[
            "a(5) + b(2) + m",
            "sum(a) + sum(b)",
            "k + m + a(1)",
            "a(modulo(n, 4) + 4) + b(3)",
        ]);
        let body = vec![
            piece("k = 1 + modulo(n, 4)"),
            piece(&format!("associate ({names})\n{does}\nend associate")),
            piece(&format!("v = modulo({asked}, 997)")),
            piece(&sent_value("v")),
        ];
        Form {
            body,
            ..Form::default()
        }
    }

    /// Numbers of other types in one storage, or copied as they are.
    fn equivalence_of_types(&mut self, number: usize) -> Form {
        let declared = format!(
            "  integer :: e(4), f(6), g(4)
  double precision :: d(2)
  character(4) :: c4
  integer(8) :: wide
  equivalence (e(1), d(1)), (f(3), g)
  complex :: z
  common /zqe{number}/ d"
        );
        let changed = self.chance.pick(&[
            "d(1) = 1.5d0 + modulo(n, 3)",
            "e(2) = 1074266112 + 1048576 * modulo(n, 3)",
            "g(2) = 33 + modulo(n, 9)",
            "f(4:5) = 34",
            "e(1:2) = transfer(2.5d0, e(1:2))",
            "c4 = transfer(1684234849, c4)\nf(6) = ichar(c4(2:2)) + modulo(n, 4)",
            "wide = transfer(d(1), wide)\nf(5) = int(shiftr(wide, 52))",
            "z%re = 3.0 + modulo(n, 4)\nz%im = 2.0\nf(3) = int(abs(z * conjg(z)))",
        ]);
        let asked = self.chance.pick(&[
            "int(d(1))",
            "modulo(e(2), 9973)",
            "f(4) + g(3)",
            "g(1) + f(6)",
            "modulo(transfer(d(2), 1_8), 9973_8) + f(5)",
        ]);
        let body = vec![
            piece("f = 2\nd = 4.25d0\nz = (1.0, 1.0)"),
            piece(changed),
            piece(&format!("v = int({asked})")),
            piece(&sent_value("v")),
        ];
        Form {
            declared: lines(&declared),
            body,
            ..Form::default()
        }
    }

    /// Subscripts that are lists, in what is read and what is written, and loops that change their bounds.
    fn listed_subscripts(&mut self) -> Form {
        let changed = self.chance.pick(&[
            "a([3, 1, 7]) = [20, 21, 22]",
            "a(c(2:4)) = 30",
            "a(c(1:3)) = b(c(2:4)) + [1, 2, 3]",
            "c(2) = 8\na(c(2)) = 31",
            "m = 3\ndo k = 1, m\n  m = 5\n  a(k) = 40 + k\nend do\na(8) = k",
            "a(2:7) = a(1:6) + k\na(1:8:2) = cshift(a(1:8:2), 1)",
            "b(1:4) = pack(a, a > 2, [9, 9, 9, 9])\na(1:4) = reshape(spread(b(3:4), 1, 2), [4])",
        ]);
        let asked = self.chance.pick(&[
            "a(3) + a(7)",
            "sum(a(c(1:3)))",
            "a(5) + a(8)",
            "maxloc(a, 1) + a(2)",
            "dot_product(a, b)",
        ]);
        let body = vec![
            piece(
                "c = [5, 3, 1, 7, 2, 4, 6, 8]\na = [2, 3, 4, 5, 1, 1, 6, 2]\na(3) = modulo(n, 9)",
            ),
            piece(changed),
            piece(&format!("v = modulo({asked}, 997)")),
            piece(&sent_value("v")),
        ];
        Form {
            declared: lines("  integer :: c(8)"),
            body,
            ..Form::default()
        }
    }

    /// BLOCK: variables of its own, of other types and extents; what is outside is not touched.
    fn block_variables(&mut self) -> Form {
        let own = self.chance.pick(&[
            "integer :: v, more(u)",
            "integer :: more(2 + modulo(n, 3))",
            "integer, save :: more(3) = 4",
        ]);
        let does = self.chance.pick(&[
            "v = 80\nmore = 5",
            "more(2) = 6\nu = u + size(more)",
            "more = more + v\nm = more(2)",
        ]);
        let left = self.chance.pick(&["", "if (modulo(n, 2) == 0) exit held"]);
        let body = vec![
            piece("u = 3 + modulo(n, 2)"),
            piece(&format!(
                "held: block\n  {own}\n  more = 1; v = 2\n  {left}\n{does}\n  u = u + more(1)\nend block held"
            )),
            piece(&sent_value("v + 10 * u + 100 * m")),
        ];
        Form {
            body,
            ..Form::default()
        }
    }

    /// What is evaluated to be passed or sent, although it is never read: it ends the run if a value that it depends on is not
    /// correct. Variables that are not set are -7777.
    fn unused_argument(&mut self, number: usize) -> Form {
        let unread = self.chance.pick(&[
            "u / (m + 7777)",
            "modulo(u, m + 7777)",
            "c(1 + 100000 * (m - 2)) + 1",
            "one + u",
            "(one)",
            "sum(p) + size(p)",
            "q(2) * u",
            "two(1, 2) - 1",
            "zqzN(m) + u",
            "u + 2 ** (m - 1) / (m + 7777)",
            "merge(one, u, n > 100000)",
            "ichar(tx(1 + 100000 * (m - 2):1 + 100000 * (m - 2)))",
        ]);
        let contained = format!(
            "  subroutine zqy{number}(unread, asked)
    integer :: unread, asked
    asked = asked + 1
    {}
  end subroutine
  integer function zqz{number}(given)
    integer :: given
    zqz{number} = 5 / (given + 7777)
  end function
  integer function zqw{number}(unread)
    integer :: unread
    zqw{number} = 4
    {}
  end function",
            sent_value("asked"),
            sent_value("u")
        );
        let passed = self.chance.pick(&[
            "call zqyN(EXPRESSION, v)",
            "call mpi_allreduce(EXPRESSION, ic, 1, mpi_integer, mpi_sum, mpi_comm_world, ierr)",
            "call mpi_scatter([EXPRESSION], 1, mpi_integer, ic, 1, mpi_integer, 0, mpi_comm_self, ierr)",
            "v = zqwN(EXPRESSION)",
            "ic = zqwN(EXPRESSION)",
            "if (zqwN(EXPRESSION) > 100) v = 3",
            "do k = 1, 2\n  call zqyN(EXPRESSION, v)\nend do",
        ]);
        let passed = passed
            .replace("EXPRESSION", unread)
            .replace('N', &number.to_string());
        let body = vec![
            piece("m = 2 + 0 * n\nc = 9; k = 30; tx = 'abc'"),
            piece("one => k\np => c(2:5)\nallocate(q(3), source=8)\ntwo(1:2, 1:4) => c"),
            piece(&passed),
            piece(&sent_value("v")),
        ];
        let declared = format!("{AIMED_AT}\n  target :: k");
        Form {
            declared: lines(&declared),
            body,
            contained: lines(&contained),
            ..Form::default()
        }
    }
}
