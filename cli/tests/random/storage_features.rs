//! Forms of storage: allocation anew by assignment, pointers and lists, DATA, BLOCK DATA and SAVE, names that modules
//! rename, sections as arguments, statement functions, texts, files by record.

use super::features::{Form, lines, piece, sent_value, unit};
use super::program_tree::Unit;
use super::statements::Generator;

impl Generator {
    pub fn storage_feature(&mut self, number: usize) -> Form {
        match self.chance.below(11) {
            0 => self.allocated_anew(),
            1 => self.list_of_pointers(number),
            2 => self.block_data(number),
            3 => self.saved_data(number),
            4 => self.renamed(number),
            5 => self.section_passed(number),
            6 => self.statement_function(),
            7 => self.texts(),
            8 => self.by_record(),
            9 => self.allocated_elsewhere(number),
            _ => self.components(number),
        }
    }

    fn allocated_anew(&mut self) -> Form {
        let changes = [
            "q = [q, modulo(n, 9)]",
            "if (size(q) > 1) q = q(2:)",
            "q = [(k, k = 1, 2 + modulo(n, 3))]",
            "q = q + 1",
            "q = [q, q]",
            "deallocate(q)\nallocate(q(0:2), source=u)",
            "call move_alloc(q, p)\nallocate(q(2))\nq = p(1)",
        ];
        let mut body = vec![piece("q = [4, 5, 6]")];
        body.extend((0..1 + self.chance.below(3)).map(|_| piece(self.chance.pick(&changes))));
        let asked = self.chance.pick(&[
            "size(q)",
            "q(ubound(q, 1))",
            "sum(q)",
            "lbound(q, 1) + 2 * ubound(q, 1)",
        ]);
        body.extend([piece(&format!("v = {asked}")), piece(&sent_value("v"))]);
        Form {
            declared: lines("  integer, allocatable :: q(:), p(:)"),
            body,
            ..Form::default()
        }
    }

    /// A list of nodes, walked through.
    fn list_of_pointers(&mut self, number: usize) -> Form {
        let declared = format!(
            "  type zqn{number}
    integer :: held = 2
    type(zqn{number}), pointer :: next => null()
  end type
  type(zqn{number}), pointer :: first, one"
        );
        let changed = self.chance.pick(&[
            "first%next%held = 40",
            "one => first%next\none%held = one%held + 50",
            "first => first%next",
            "nullify(first%next%next)",
        ]);
        let asked = self.chance.pick(&[
            "v = v + one%held",
            "v = v + 1",
            "if (associated(one%next)) v = one%next%held",
        ]);
        let body = vec![
            piece("allocate(first)\none => first"),
            piece(
                "do k = 1, 2 + modulo(n, 2)\n  allocate(one%next)\n  one => one%next\n  one%held = k + modulo(l, 5)\nend do",
            ),
            piece(changed),
            piece(&format!(
                "one => first\ndo while (associated(one))\n  {asked}\n  one => one%next\nend do"
            )),
            piece(&sent_value("v")),
        ];
        Form {
            declared: lines(&declared),
            body,
            ..Form::default()
        }
    }

    fn block_data(&mut self, number: usize) -> Form {
        let common = format!("  integer :: c(4), d\n  common /zqe{number}/ c, d");
        let data = Unit {
            head: lines(&format!(
                "block data zqy{number}\n  implicit none\n{common}\n  data c /1, 20, 300, 4000/, d /50/"
            )),
            ..unit("", vec![], "end block data")
        };
        let changed = self.chance.pick(&[
            "c(2) = c(3) + 1",
            "d = d + c(modulo(n, 4) + 1)",
            "c(1 + modulo(n, 2)) = d",
        ]);
        let asked = self.chance.pick(&["c(1 + modulo(n, 4))", "d", "c(2)"]);
        let body = vec![piece(changed), piece(&sent_value(asked))];
        Form {
            declared: lines(&common),
            body,
            beside: vec![data],
            ..Form::default()
        }
    }

    /// What a call leaves the next in variables with DATA or SAVE.
    fn saved_data(&mut self, number: usize) -> Form {
        let (used, included) = self.constants();
        let held = self.chance.pick(&[
            "  integer :: held(3), calls\n  data held /3 * 2/, calls /0/",
            "  integer, save :: held(3) = 2, calls = 0",
            "  integer :: held(3) = 2, calls = 0",
            "  save\n  integer :: held(3), calls\n  data calls, held(2), held(1), held(3) /0, 5, 6, 7/",
        ]);
        let changed = self.chance.pick(&[
            "held(2) = held(1) + held(2)",
            "held(1 + modulo(calls, 3)) = given",
            "if (calls > 1) held = 30",
        ]);
        let head = format!(
            "subroutine zqy{number}(given)\n{used}\n  implicit none\n{included}\n  integer :: given, ierr, big(32)\n{held}"
        );
        let mut body = vec![
            piece("calls = calls + 1"),
            piece(changed),
            piece(&sent_value("held(2) + 100 * calls")),
        ];
        if self.chance.one_in(2) {
            body.reverse();
        }
        let callee = unit(&head, body, "end subroutine");
        let calls = format!("do k = 1, 3\n  call zqy{number}(k + modulo(n, 3))\nend do");
        Form {
            body: vec![piece(&calls)],
            beside: vec![callee],
            ..Form::default()
        }
    }

    /// A module whose names are other ones here.
    fn renamed(&mut self, number: usize) -> Form {
        let module = format!(
            "module zqm{number}
  implicit none
  integer, save :: held = 6, other = 8
  integer, parameter :: fixed = 12
  interface combined
    module procedure zqy{number}
  end interface
contains
  integer function zqy{number}(one)
    integer :: one
    zqy{number} = one + other
    held = held + 5
  end function
end module"
        );
        let used = self.chance.pick(&[
            ", mine => held, other => fixed, third => other",
            ", only: mine => held, combined, other => fixed",
            ", only: mine => other, other => held, combined",
        ]);
        let changed = self.chance.pick(&[
            "mine = modulo(n, 7) + 20",
            "v = combined(modulo(l, 4))",
            "mine = mine + other",
        ]);
        let asked = self
            .chance
            .pick(&["mine", "v + other", "combined(4) + mine"]);
        let body = vec![
            piece(changed),
            piece(&format!("v = {asked}")),
            piece(&sent_value("v")),
        ];
        let module = Unit {
            head: lines(&module),
            ..Unit::default()
        };
        Form {
            used: vec![format!("  use zqm{number}{used}")],
            body,
            modules: vec![module],
            ..Form::default()
        }
    }

    /// Sections, whole arrays and elements as arguments.
    fn section_passed(&mut self, number: usize) -> Form {
        let shape = self
            .chance
            .pick(&["given(length)", "given(*)", "given(2, *)"]);
        let changed = if shape.contains("2, ") {
            "given(2, 1) = 60 + length"
        } else {
            "given(2) = 60 + length"
        };
        let callee = unit(
            &format!(
                "subroutine zqy{number}(given, length)\n  implicit none\n  integer :: length, {shape}"
            ),
            vec![piece(changed)],
            "end subroutine",
        );
        let given = self.chance.pick(&[
            "a(1:8:3)",
            "a(3:6)",
            "a",
            "a(4)",
            "a(8:1:-1)",
            "a([5, 2, 3, 1])",
        ]);
        let asked = self.chance.pick(&["a(4)", "a(2)", "a(7)", "sum(a) + a(5)"]);
        let given = if given.contains('[') {
            "a(8:1:-2)"
        } else {
            given
        };
        let body = vec![
            piece(&format!("call zqy{number}({given}, 2 + modulo(n, 2))")),
            piece(&format!("v = {asked}")),
            piece(&sent_value("v")),
        ];
        Form {
            body,
            beside: vec![callee],
            ..Form::default()
        }
    }

    fn statement_function(&mut self) -> Form {
        let what = self
            .chance
            .pick(&["given * 2 + u", "a(given) + m", "max(given, v)"]);
        let declared = format!("  integer :: stated, given\n  stated(given) = {what}");
        let changed = self
            .chance
            .pick(&["u = modulo(n, 20) + 30", "a(2) = 33", "m = 21\nv = 8"]);
        let body = vec![
            piece(changed),
            piece("v = stated(2)"),
            piece(&sent_value("v")),
        ];
        Form {
            declared: lines(&declared),
            body,
            ..Form::default()
        }
    }

    fn texts(&mut self) -> Form {
        let changes = [
            "tx = 'ab' // repeat('c', modulo(n, 4))",
            "tx(2:3) = 'xy'",
            "tx = adjustr(tx)",
            "tx = trim(tx) // tx(1:2)",
            "long = tx // ' end'\ntx = long(3:)",
            "if (tx > 'b') tx = 'zz z'",
        ];
        let mut body = vec![piece("tx = 'mn'")];
        body.extend((0..1 + self.chance.below(3)).map(|_| piece(self.chance.pick(&changes))));
        let asked = self.chance.pick(&[
            "len_trim(tx)",
            "index(tx, 'c')",
            "ichar(tx(2:2))",
            "scan(tx, 'xyz') + 10 * verify(tx, ' ')",
        ]);
        body.extend([piece(&format!("v = {asked}")), piece(&sent_value("v"))]);
        Form {
            declared: lines("  character(len=12) :: long"),
            body,
            ..Form::default()
        }
    }

    /// A file of which any record can be read, and one of text lines.
    fn by_record(&mut self) -> Form {
        let body = match self.chance.one_in(2) {
            true => piece(&format!(
                "open(31, status='scratch', access='direct', recl=16)
do k = 1, 3
  write(31, rec=k) k * 10 + modulo(n, 5), u
end do
write(31, rec=1 + modulo(n, 3)) 77, m
read(31, rec=2) v, ic
close(31)
{}",
                sent_value("v")
            )),
            false => piece(&format!(
                "open(newunit=m, status='scratch')
write(m, *) modulo(n, 9)
write(m, *) u, 12
rewind(m)
read(m, *) ic
read(m, *, end=50) v, ic
read(m, *, end=50) v
v = 3
50 close(m)
{}",
                sent_value("v + ic")
            )),
        };
        Form {
            body: vec![body],
            ..Form::default()
        }
    }

    /// A procedure allocates what its caller passes.
    fn allocated_elsewhere(&mut self, number: usize) -> Form {
        let filled = self.chance.pick(&[
            "given = [(k * 3, k = 1, length)]",
            "allocate(given(length))\n    given = length + 20",
            "if (.not. allocated(given)) allocate(given(2 * length), source=4)",
        ]);
        let contained = format!(
            "  subroutine zqy{number}(given, length)
    integer, allocatable :: given(:)
    integer :: length
    if (allocated(given)) deallocate(given)
    {filled}
  end subroutine"
        );
        let asked = self.chance.pick(&["size(q)", "q(1)", "sum(q)"]);
        let body = vec![
            piece(&format!("call zqy{number}(q, 2 + modulo(n, 4))")),
            piece(&format!("if (allocated(q)) v = {asked}")),
            piece(&sent_value("v")),
        ];
        Form {
            declared: lines("  integer, allocatable :: q(:)"),
            body,
            contained: lines(&contained),
            ..Form::default()
        }
    }

    /// Objects in objects, copied as wholes and changed in parts, with allocated components.
    fn components(&mut self, number: usize) -> Form {
        let declared = format!(
            "  type zqi{number}
    integer :: held = 2, list(3) = 4
    integer, allocatable :: more(:)
  end type
  type zqo{number}
    type(zqi{number}) :: inner(2)
    integer, pointer :: at => null()
  end type
  type(zqo{number}) :: one, other
  integer, target :: aimed"
        );
        let changes = [
            "one%inner(1)%held = modulo(n, 9) + 20",
            "one%inner(1 + modulo(n, 2))%list(2) = 31",
            "other = one",
            "one%inner(2) = other%inner(1)",
            "one%at => aimed\naimed = 44",
            "aimed = 9\none%at => aimed\none%at = 55",
            "one%inner(1)%more = [7, 8, u]",
            "other%inner%held = 17",
        ];
        let mut body = vec![piece(
            "aimed = 3\none%at => m\nallocate(one%inner(1)%more(2))\none%inner(1)%more = 6",
        )];
        body.extend((0..2 + self.chance.below(3)).map(|_| piece(self.chance.pick(&changes))));
        let asked = self.chance.pick(&[
            "one%inner(1)%held",
            "other%inner(2)%held + one%inner(2)%list(2)",
            "one%at",
            "size(one%inner(1)%more) + one%inner(1)%more(2)",
            "aimed",
        ]);
        body.extend([piece(&format!("v = {asked}")), piece(&sent_value("v"))]);
        let declared = declared + "\n  target :: m";
        Form {
            declared: lines(&declared),
            body,
            ..Form::default()
        }
    }
}
