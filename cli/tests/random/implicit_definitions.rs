//! Forms of what is set although no statement says so: default values of components, dummies that are only given
//! back, allocation that ends, finalisers, further entries; and calls of which the text does not say whom they call.

use super::features::{Form, lines, piece, sent_value, unit};
use super::program_tree::Unit;
use super::statements::Generator;

impl Generator {
    pub fn implicit_definition(&mut self, number: usize) -> Form {
        match self.chance.below(9) {
            0 => self.intent_out(number),
            1 => self.deallocated_on_the_way(number),
            2 => self.reallocated(number),
            3 => self.partial_result(number),
            4 => self.finalised(number),
            5 => self.entry_statement(number),
            6 => self.procedure_pointer(number),
            7 => self.passed_on(number),
            _ => self.bound(number),
        }
    }

    /// INTENT(OUT) gives components their default values, whatever the procedure does. An assignment copies all components of an
    /// object.
    fn intent_out(&mut self, number: usize) -> Form {
        let declared = format!(
            "  type zqn{number}
    integer :: held = 11, list(3) = 12, free
    integer, allocatable :: more(:)
  end type
  type(zqn{number}) :: one, other(2)"
        );
        let does = self.chance.pick(&[
            "",
            "given%held = 31",
            "given%list(2) = given%list(1) + 5",
            "if (n > 3) given%held = 32",
        ]);
        let contained = format!(
            "  subroutine zqy{number}(given)
    type(zqn{number}), intent(out) :: given
    {does}
  end subroutine"
        );
        let called = self
            .chance
            .pick(&["zqyN(one)", "zqyN(other(1 + modulo(n, 2)))"])
            .replace("zqyN", &format!("zqy{number}"));
        let asked = self.chance.pick(&[
            "one%held + other(1)%held",
            "one%list(2) + other(2)%list(2)",
            "merge(60, 70, allocated(one%more))",
            "other(1)%list(3) + one%list(1)",
        ]);
        let body = vec![
            piece("one%held = modulo(n, 9) + 20\none%list = 40\none%more = [1, 2]"),
            piece("other(:)%held = 50\nother(1)%list = 51\nother(2)%list(2:3) = 52"),
            piece("other(2) = one"),
            piece(&format!("call {called}")),
            piece(&format!("v = {asked}")),
            piece(&sent_value("v")),
        ];
        Form {
            declared: lines(&declared),
            body,
            contained: lines(&contained),
            ..Form::default()
        }
    }

    /// An allocated array that is given to INTENT(OUT), leaves its scope or is moved is there no longer.
    fn deallocated_on_the_way(&mut self, number: usize) -> Form {
        let does = self.chance.pick(&[
            "",
            "if (modulo(n, 2) == 0) given = [8, 9]",
            "allocate(given(3), source=6)",
        ]);
        let contained = format!(
            "  subroutine zqy{number}(given)
    integer, allocatable, intent(out) :: given(:)
    {does}
  end subroutine
  subroutine zqz{number}(given)
    integer, allocatable, intent(inout), optional :: given(:)
    integer, allocatable :: own(:)
    own = [1, 2, 3]
    if (present(given)) call move_alloc(own, given)
    if (allocated(own)) v = v + 30
  end subroutine"
        );
        let changed = self.chance.pick(&[
            "call zqyN(q)",
            "call zqzN(q)",
            "call zqzN()",
            "call move_alloc(p, q)",
        ]);
        let asked = self.chance.pick(&[
            "if (allocated(q)) v = v + size(q) + 40",
            "if (.not. allocated(p)) v = v + 60",
        ]);
        let body = vec![
            piece("q = [4, 5, 6, 7]\np = [3, modulo(n, 5)]"),
            piece(&changed.replace('N', &number.to_string())),
            piece(asked),
            piece("allocate(q(2), stat=ic)\nif (ic /= 0) v = v + 7"),
            piece(&sent_value("v")),
        ];
        Form {
            declared: lines("  integer, allocatable :: q(:), p(:)"),
            body,
            contained: lines(&contained),
            ..Form::default()
        }
    }

    /// Variables of procedures and blocks are made anew, or stay.
    fn reallocated(&mut self, number: usize) -> Form {
        let kept = self.chance.pick(&["", ", save"]);
        let declared =
            format!("  type zqn{number}\n    integer :: held = 11, list(2) = 12\n  end type");
        let contained = format!(
            "  subroutine zqy{number}(given)
    integer :: given
    type(zqn{number}){kept} :: own
    own%held = own%held + given
    own%list(2) = own%list(2) + own%held
    v = modulo(own%list(2), 97)
  end subroutine"
        );
        let calls = match self.chance.below(3) {
            0 => format!("do k = 1, 3\n  call zqy{number}(k + modulo(n, 3))\nend do"),
            1 => format!(
                "call zqy{number}(2)\nif (modulo(n, 2) == 0) call zqy{number}(5)\ncall zqy{number}(1)"
            ),
            _ => format!(
                "do k = 1, 3
  block
    type(zqn{number}){kept} :: own
    own%held = own%held + modulo(n, 4)
    v = own%held
  end block
end do"
            ),
        };
        let body = vec![piece(&calls), piece(&sent_value("v"))];
        Form {
            declared: lines(&declared),
            body,
            contained: lines(&contained),
            ..Form::default()
        }
    }

    /// A function whose result is an object or an array, of which it sets parts.
    fn partial_result(&mut self, number: usize) -> Form {
        let declared = format!(
            "  type zqn{number}\n    integer :: held = 11, list(3) = 12\n  end type\n  type(zqn{number}) :: one"
        );
        let does = self.chance.pick(&[
            "made%held = given",
            "made%list(given) = 20",
            "if (given > 2) made%list = 21",
        ]);
        let contained = format!(
            "  function zqy{number}(given) result(made)
    integer, intent(in) :: given
    type(zqn{number}) :: made
    {does}
    u = u + 1
  end function
  function zqz{number}(given) result(list)
    integer, intent(in) :: given
    integer :: list(given)
    list = 3
    list(given) = 40 + u
  end function
  elemental integer function zqw{number}(given)
    integer, intent(in) :: given
    zqw{number} = 2 * given + 1
  end function"
        );
        let asked = self.chance.pick(&[
            "one = zqyN(1 + modulo(n, 3))\nv = one%held + 3 * one%list(2)",
            "a(1:4) = zqzN(4) + [1, 2, 3, 4]\nv = a(1 + modulo(n, 4))",
            "v = sum(zqzN(1 + modulo(n, 5))) + size(zqzN(u))",
            "a = zqwN(b)\na(2:3) = zqwN(a(3:4))\nv = a(2) + a(8)",
            "one = zqyN(3)\none%list = zqwN(one%list)\nv = one%list(3) + u",
        ]);
        let body = vec![
            piece(&asked.replace('N', &number.to_string())),
            piece(&sent_value("v")),
            piece(&sent_value("u")),
        ];
        Form {
            declared: lines(&declared),
            body,
            contained: lines(&contained),
            ..Form::default()
        }
    }

    /// What is called where an object ends counts.
    fn finalised(&mut self, number: usize) -> Form {
        let module = format!(
            "module zqm{number}
  implicit none
  integer, save :: ended = 1
  type ending
    integer :: held = 2
  contains
    final :: at_end
  end type
contains
  subroutine at_end(one)
    type(ending), intent(inout) :: one
    ended = ended + one%held
  end subroutine
  subroutine scoped(given)
    integer, intent(in) :: given
    type(ending) :: own
    own%held = given
  end subroutine
  subroutine given_back(one)
    type(ending), intent(out) :: one
    one%held = 4
  end subroutine
end module"
        );
        let changed = self.chance.pick(&[
            "allocate(one)\none%held = modulo(n, 7)\ndeallocate(one)",
            "call scoped(3 + modulo(n, 4))",
            "allocate(one)\none%held = 9\ncall given_back(one)",
            "allocate(q)\nq%held = 8\ndeallocate(q)",
        ]);
        let body = vec![
            piece(changed),
            piece("v = modulo(ended, 97)"),
            piece(&sent_value("v")),
        ];
        let module = Unit {
            head: lines(&module),
            ..Unit::default()
        };
        Form {
            used: vec![format!("  use zqm{number}")],
            declared: lines("  type(ending), allocatable :: one\n  type(ending), pointer :: q"),
            body,
            modules: vec![module],
            ..Form::default()
        }
    }

    /// ENTRY: two ways into one procedure, with other dummies and the same variables.
    fn entry_statement(&mut self, number: usize) -> Form {
        let (used, included) = self.constants();
        let head = format!(
            "subroutine zqy{number}(given)\n{used}\n  implicit none\n{included}
  integer :: given, other, answer, ierr, big(32)\n  integer, save :: held = 3"
        );
        let first = self.chance.pick(&[
            "held = held + given",
            "held = 20",
            "if (given > 2) held = given",
        ]);
        let leaves = self
            .chance
            .pick(&["return", "given = held", "if (held > 4) return"]);
        let second = self
            .chance
            .pick(&["answer = held + other", "held = held * 2\nanswer = held"]);
        let text = format!("{first}\n{leaves}\nreturn\nentry zqz{number}(other, answer)\n{second}");
        let callee = unit(&head, vec![piece(&text)], "end subroutine");
        let called = self.chance.pick(&[
            "m = modulo(n, 5)\ncall zqyN(m)\ncall zqzN(u, v)",
            "call zqzN(k, v)\ncall zqyN(u)\ncall zqzN(v, v)",
            "do k = 1, 3\n  call zqzN(k, v)\n  call zqyN(v)\nend do",
        ]);
        let body = vec![
            piece(&called.replace('N', &number.to_string())),
            piece("v = modulo(v, 997)"),
            piece(&sent_value("v")),
        ];
        Form {
            body,
            beside: vec![callee],
            ..Form::default()
        }
    }

    /// A pointer to one of two procedures.
    fn procedure_pointer(&mut self, number: usize) -> Form {
        let declared = "  abstract interface
    subroutine changing(given)
      integer, intent(inout) :: given
    end subroutine
  end interface
  procedure(changing), pointer :: does";
        let contained = format!(
            "  subroutine zqy{number}(given)
    integer, intent(inout) :: given
    given = given + 20
    u = u + 1
  end subroutine
  subroutine zqz{number}(given)
    integer, intent(inout) :: given
    given = given * 3
    m = 30
  end subroutine"
        );
        let aimed = self.chance.pick(&["modulo(n, 2) == 0", "l > 3", "u == 4"]);
        let again = self
            .chance
            .pick(&["", "nullify(does)\ndoes => zqzN", "call does(m)"]);
        let again = again.replace('N', &number.to_string());
        let body = vec![
            piece(&format!(
                "does => zqy{number}\nif ({aimed}) does => zqz{number}"
            )),
            piece(&again),
            piece("if (associated(does)) call does(v)"),
            piece(&sent_value("modulo(v + 100 * u + 10 * m, 9001)")),
        ];
        Form {
            declared: lines(declared),
            body,
            contained: lines(&contained),
            ..Form::default()
        }
    }

    /// Procedures as arguments: they change what stands around them.
    fn passed_on(&mut self, number: usize) -> Form {
        let contained = format!(
            "  subroutine zqy{number}(does, given)
    external :: does
    integer :: given
    call does(given)
    given = given + m
  end subroutine
  subroutine zqz{number}(given)
    integer :: given
    m = given + 20
  end subroutine
  subroutine zqw{number}(given)
    integer :: given
    given = u + 40
  end subroutine"
        );
        let called = self
            .chance
            .pick(&["zqyN(zqzN, v)", "zqyN(zqwN, v)", "zqyN(zqzN, u)"]);
        let also = self
            .chance
            .pick(&["", "if (modulo(n, 2) == 0) call zqyN(zqwN, k)"]);
        let body = vec![
            piece(&format!("call {called}\n{also}").replace('N', &number.to_string())),
            piece(&sent_value("v + 3 * m + k")),
        ];
        Form {
            body,
            contained: lines(&contained),
            ..Form::default()
        }
    }

    /// Bindings that a further type overrides, operators and assignments of the program's own.
    fn bound(&mut self, number: usize) -> Form {
        let module = format!(
            "module zqm{number}
  implicit none
  integer, save :: seen = 0
  type plain
    integer :: held = 2
  contains
    procedure :: change => change_plain
  end type
  type, extends(plain) :: further
    integer :: more = 3
  contains
    procedure :: change => change_further
  end type
  interface operator(+)
    module procedure added
  end interface
  interface assignment(=)
    module procedure from_number
  end interface
contains
  subroutine change_plain(self, by)
    class(plain), intent(inout) :: self
    integer, intent(in) :: by
    self%held = self%held + by
  end subroutine
  subroutine change_further(self, by)
    class(further), intent(inout) :: self
    integer, intent(in) :: by
    self%more = self%more * by
    self%held = self%more + 1
    seen = seen + 1
  end subroutine
  integer function added(one, other)
    type(plain), intent(in) :: one
    integer, intent(in) :: other
    added = one%held * 10 + other
  end function
  subroutine from_number(one, number)
    type(plain), intent(inout) :: one
    integer, intent(in) :: number
    one%held = one%held + number
    seen = seen + 10
  end subroutine
end module"
        );
        let changed = self.chance.pick(&[
            "call any%change(4 + modulo(n, 3))",
            "p = 7 + modulo(n, 5)",
            "p = 3\nv = p + 2",
            "select type (any)\ntype is (further)\n  any%more = 31\nclass default\n  any%held = 32\nend select",
            "call p%change(u)\nany%held = any%held + p%held",
        ]);
        let asked = self
            .chance
            .pick(&["any%held", "p%held + seen", "p + seen", "v + seen"]);
        let body = vec![
            piece(
                "if (modulo(n, 2) == 0) then\n  allocate(further :: any)\nelse\n  allocate(plain :: any)\nend if",
            ),
            piece(changed),
            piece(&format!("v = modulo({asked}, 997)")),
            piece(&sent_value("v")),
        ];
        let module = Unit {
            head: lines(&module),
            ..Unit::default()
        };
        Form {
            used: vec![format!("  use zqm{number}")],
            declared: lines("  class(plain), allocatable :: any\n  type(plain) :: p"),
            body,
            modules: vec![module],
            ..Form::default()
        }
    }
}
