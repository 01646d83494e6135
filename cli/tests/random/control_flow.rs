//! Forms of control: chains of conditions, jumps of all sorts, masks, recursion, procedures in procedures, arguments
//! that may be absent.

use super::features::{Form, lines, piece, sent_value, unit};
use super::program_tree::ProgramNode;
use super::statements::Generator;

impl Generator {
    pub fn control_flow(&mut self, number: usize) -> Form {
        match self.chance.below(11) {
            0 | 1 => self.chain(),
            2 => self.chosen(),
            3 => self.jumping(),
            4 => self.arithmetic_if(),
            5 => self.masked(),
            6 => self.recursive(number),
            7 => self.host_associated(number),
            8 => self.optional_argument(),
            9 => self.alternate_return(number),
            _ => self.named_loops(),
        }
    }

    /// ELSE IF after ELSE IF; a branch may call, leave the procedure or change what the next condition would read.
    fn chain(&mut self) -> Form {
        let decided = self.chance.pick(&["modulo(n, 7)", "modulo(l, 7)", "u"]);
        let mut parts: Vec<(String, Vec<ProgramNode>)> = Vec::new();
        let branch = |generator: &mut Self, value: usize| {
            let does = match generator.chance.below(5) {
                0 => sent_value("u"),
                1 => "return".into(),
                2 => "m = 20".into(),
                _ => format!("v = {}", 30 + value),
            };
            vec![piece(&does)]
        };
        for value in 1..2 + self.chance.below(4) {
            let condition = self.chance.pick(&["m == ", "m < ", "m + v - 5 == "]);
            let inside = branch(self, value);
            parts.push((format!("else if ({condition}{value}) then"), inside));
        }
        parts.insert(0, (String::new(), branch(self, 0)));
        if self.chance.one_in(2) {
            let inside = branch(self, 9);
            parts.push(("else".into(), inside));
        }
        let chain = ProgramNode::Construct {
            head: vec!["if (m == 0) then".into()],
            parts,
            end: vec!["end if".into()],
        };
        let body = vec![
            piece(&format!("m = {decided}")),
            chain,
            piece(&sent_value("v")),
            piece(&sent_value("m")),
        ];
        Form {
            body,
            ..Form::default()
        }
    }

    /// SELECT CASE of numbers, texts and logical values, with ranges.
    fn chosen(&mut self) -> Form {
        let (of, cases) = match self.chance.below(3) {
            0 => (
                "modulo(l, 9) - 2",
                ["case (:-1)", "case (2, 4:5)", "case (6:)"],
            ),
            1 => (
                "tx(1:2)",
                ["case ('a':'b')", "case ('bb')", "case ('e', 'f')"],
            ),
            _ => ("modulo(n, 5)", ["case (3)", "case (0)", "case (1:2)"]),
        };
        let mut parts: Vec<(String, Vec<ProgramNode>)> = cases
            .iter()
            .zip(20..)
            .map(|(case, value)| (case.to_string(), vec![piece(&format!("v = {value}"))]))
            .collect();
        if self.chance.one_in(2) {
            parts.insert(
                self.chance.below(4),
                ("case default".into(), vec![piece("v = v + 9")]),
            );
        }
        let select = ProgramNode::Construct {
            head: vec![format!("select case ({of})")],
            parts,
            end: vec!["end select".into()],
        };
        let body = vec![
            piece("tx = achar(97 + modulo(n, 6))"),
            piece("if (modulo(n, 4) == 1) tx(2:2) = 'b'"),
            select,
            piece(&sent_value("v")),
        ];
        Form {
            body,
            ..Form::default()
        }
    }

    /// A computed GOTO, and jumps forth and back.
    fn jumping(&mut self) -> Form {
        let index = self.chance.pick(&["modulo(n, 5)", "modulo(l, 4)", "m"]);
        let body = piece(&format!(
            "ic = 0
7 goto (1, 2, 3), {index}
v = v + 1
goto 4
1 v = v + 10
2 v = v + 100
if (ic > 1) goto 4
ic = ic + 1
m = m - 1
goto 7
3 v = v + 1000
4 continue
{}",
            sent_value("v")
        ));
        Form {
            body: vec![body],
            ..Form::default()
        }
    }

    /// An arithmetic IF, in a loop with a label of its own.
    fn arithmetic_if(&mut self) -> Form {
        let (value, middle) = (
            self.chance
                .pick(&["k - m", "modulo(n, 5) - k", "x - 0.5d0 + k - 2"]),
            1 + self.chance.below(4),
        );
        let body = piece(&format!(
            "do 30 k = 1, {middle} + 2
if ({value}) 10, 20, 30
10 v = v + 1
goto 30
20 v = v + 50
30 continue
{}",
            sent_value("v + k")
        ));
        Form {
            body: vec![body],
            ..Form::default()
        }
    }

    /// WHERE and FORALL.
    fn masked(&mut self) -> Form {
        let mask = self.chance.pick(&["a > 3", "mod(a, 2) == 0", "b /= 7"]);
        let other = self.chance.pick(&[
            "elsewhere\n  a = 2 * b",
            "elsewhere (a == 4)\n  a = 9\nelsewhere\n  b = a + 1",
            "",
        ]);
        let all = self.chance.pick(&[
            "forall (k = 1:8, a(k) > 2) b(k) = a(9 - k) + k",
            "forall (k = 2:7) a(k) = a(k - 1) + b(k)",
            "do concurrent (k = 1:8)\n  b(k) = a(k) * 2\nend do",
            "where (a(1:4) == b(5:8)) b(1:4) = 3",
        ]);
        let asked = self.chance.pick(&[
            "sum(a) + 3 * b(3)",
            "a(4) + 5 * a(5)",
            "b(2)",
            "maxval(a) + count(a > b)",
        ]);
        let body = vec![
            piece("do k = 1, 8\n  a(k) = k * modulo(n, 3) + modulo(l, 2)\nend do"),
            piece(&format!("where ({mask})\n  a = a + 1\n{other}\nend where")),
            piece(all),
            piece(&format!("v = {asked}")),
            piece(&sent_value("v")),
        ];
        Form {
            body,
            ..Form::default()
        }
    }

    fn recursive(&mut self, number: usize) -> Form {
        let (used, included) = self.constants();
        let head = format!(
            "recursive subroutine zqy{number}(depth, total)\n{used}\n  implicit none\n{included}
  integer, value :: depth\n  integer :: total, ierr, big(32), own\n  integer, save :: calls = 0"
        );
        // By value only with an interface.
        let head = head.replace("  integer, value :: depth\n", "  integer :: depth\n");
        let changed = self.chance.pick(&[
            "total = total + own",
            "total = total + calls",
            "own = own + total",
        ]);
        let again = format!("if (own > 0) call zqy{number}(own - 1, total)");
        let mut body = vec![
            piece("own = depth"),
            piece("calls = calls + 1"),
            piece(changed),
            piece(&sent_value("total + own")),
            piece(&again),
        ];
        if self.chance.one_in(2) {
            body.swap(3, 4);
        }
        let callee = unit(&head, body, "end subroutine");
        let body = vec![
            piece(&format!("call zqy{number}(modulo(n, 4) + 1, v)")),
            piece(&sent_value("v")),
        ];
        Form {
            body,
            beside: vec![callee],
            ..Form::default()
        }
    }

    /// Procedures in this one change its variables.
    fn host_associated(&mut self, number: usize) -> Form {
        let own = self.chance.pick(&["", "    integer :: v"]);
        let contained = format!(
            "  subroutine zqy{number}(added)
    integer :: added
    {own}
    v = added + 3
    m = zqz{number}(m) + added
  end subroutine
  integer function zqz{number}(given)
    integer :: given
    u = u + 1
    zqz{number} = given * 2
  end function"
        );
        let asked = self.chance.pick(&["v", "u", "m"]);
        let body = vec![
            piece(&format!("call zqy{number}(modulo(n, 7))")),
            piece(&format!("if (zqz{number}(v) > 12) u = u + 20")),
            piece(&sent_value(asked)),
        ];
        Form {
            body,
            contained: lines(&contained),
            ..Form::default()
        }
    }

    fn optional_argument(&mut self) -> Form {
        let changed = self.chance.pick(&[
            "first = second * 2 + 8",
            "first = 60",
            "second = 9\n    first = second",
        ]);
        let contained = format!(
            "  subroutine optionally(first, second)
    integer :: first
    integer, optional :: second
    if (present(second)) then
      {changed}
    else
      first = first + 30
    end if
  end subroutine
  subroutine passing(one, other)
    integer :: one
    integer, optional :: other
    call optionally(one, other)
  end subroutine"
        );
        let called = self.chance.pick(&[
            "optionally(v)",
            "optionally(v, m)",
            "optionally(second=u, first=v)",
            "passing(v)",
            "passing(v, u)",
        ]);
        let body = vec![
            piece(&format!("call {called}")),
            piece(&sent_value("v + m + u")),
        ];
        Form {
            body,
            contained: lines(&contained),
            ..Form::default()
        }
    }

    /// Alternate returns.
    fn alternate_return(&mut self, number: usize) -> Form {
        let index = self
            .chance
            .pick(&["modulo(given, 3)", "modulo(given, 2) + 1", "3"]);
        let callee = unit(
            &format!("subroutine zqy{number}(given, *, *)\n  implicit none\n  integer :: given"),
            vec![
                piece("given = given + 1"),
                piece(&format!("return {index}")),
            ],
            "end subroutine",
        );
        let body = piece(&format!(
            "v = modulo(n, 11)
call zqy{number}(v, *10, *20)
v = v + 30
goto 30
10 v = v + 100
20 v = v * 3
30 continue
{}",
            sent_value("v")
        ));
        Form {
            body: vec![body],
            beside: vec![callee],
            ..Form::default()
        }
    }

    /// EXIT and CYCLE of loops and blocks that are not the innermost.
    fn named_loops(&mut self) -> Form {
        let leaves = self.chance.pick(&[
            "exit outer",
            "cycle outer",
            "exit inner",
            "exit held",
            "cycle",
        ]);
        let condition =
            self.chance
                .pick(&["k * j > 2 + modulo(n, 4)", "k == j", "v > 8 + modulo(l, 3)"]);
        let body = piece(&format!(
            "outer: do k = 1, 3
  held: block
    inner: do j = 1, 3
      if ({condition}) {leaves}
      v = v + k
    end do inner
    v = v + 20
  end block held
  v = v + 100
end do outer
{}",
            sent_value("v")
        ));
        Form {
            body: vec![body],
            ..Form::default()
        }
    }
}
