//! Forms of loops that a count and a test of computed values end in one condition, in all spellings of it. The test never ends
//! one before its count does, which only a run can show; for the lines with [`MARK`] that is assumed. So the slice, which does
//! not compute the test, must make as many iterations.

use super::features::{Form, counted, lines, piece, sent_value};
use super::program_tree::ProgramNode;
use super::statements::Generator;

/// Stands on lines of conditions of which the tests of values are assumed not to end the loop.
pub const MARK: &str = "!goes on";

/// A condition as what goes on with a loop is made of.
enum Test {
    /// Whether it goes on, and whether it ends.
    Known(&'static str, &'static str),
    All(Vec<Test>),
    Any(Vec<Test>),
}

/// Counts to `m`, or from `u`.
const COUNTS: [(&str, &str); 6] = [
    ("v < m", "v >= m"),
    ("v + 0 <= m .and. v < m", "m <= v"),
    ("m > v", "m <= v"),
    ("m - 1 >= v", "v > m - 1"),
    (".not. v >= m", "v >= m"),
    ("u > 0", "0 >= u"),
];

/// Tests that the slice computes, which may end a loop earlier.
const KNOWN: [(&str, &str); 5] = [
    ("a(1 + modulo(v, 8)) == 2", "a(1 + modulo(v, 8)) /= 2"),
    ("k < 5", "k >= 5"),
    ("ic <= n", "ic > n"),
    ("modulo(v + j, 4) /= 3", "modulo(v + j, 4) == 3"),
    ("b(2) > v", "b(2) <= v"),
];

/// What it does not compute: always so.
const COMPUTED: [(&str, &str); 4] = [
    ("x > -1.0d0", "x <= -1.0d0"),
    ("lo", ".not. lo"),
    ("sum(w(1:3)) >= 0", "sum(w(1:3)) < 0"),
    ("w(2) + x > -1.0d0", ".not. w(2) + x > -1.0d0"),
];

/// The lines of a statement with the mark where it begins.
fn marked(statement: &str) -> Vec<String> {
    let mut all = lines(statement);
    all[0] += &format!(" {MARK}");
    all
}

impl Generator {
    pub fn convergence_loop_program(&mut self) -> Form {
        let loops = [self.converging_loop(10), self.converging_loop(20)];
        let mut body = vec![piece(
            "m = 1 + modulo(n, 6)\nk = modulo(n, 3)\na(1 + modulo(n, 8)) = 3",
        )];
        for piece_of_loop in loops {
            let set = piece("v = 0\nu = m\nw = 1.5d0");
            let (around, here) = (self.chance.one_in(3), self.chance.one_in(2));
            let list = vec![set, piece_of_loop, piece(&counted("v"))];
            body.push(match around {
                true => {
                    ProgramNode::around(vec!["do again = 1, 3".into()], list, vec!["end do".into()])
                }
                false => ProgramNode::around(vec![], list, vec![]),
            });
            if here {
                body.push(piece(&sent_value("v + ic + u")));
            }
        }
        body.push(piece(&sent_value("v + 10*u")));
        Form {
            declared: lines("  integer :: again"),
            body,
            ..Form::default()
        }
    }

    fn converging_loop(&mut self, label: u32) -> ProgramNode {
        let step = vec![
            "v = v + 1; u = u - 1".to_string(),
            "do j = 1, 40".into(),
            "  w(j) = w(j)*0.5d0 + v".into(),
            "end do".into(),
            "x = sum(w); lo = x > -0.5d0; j = modulo(n, 7)".into(),
        ];
        let more = vec![
            piece(&counted("v + u")),
            piece("if (modulo(v, 2) == 0) ic = ic + 1"),
        ];
        let test = self.converging_test();
        let (goes_on, ends) = (self.spelled(&test, true), self.spelled(&test, false));
        let ended = self.chance.pick(&["exit", "ic = ic + 2\n  exit"]);
        let leaves = match ended {
            "exit" => marked(&format!("if ({ends}) exit")),
            _ => [
                marked(&format!("if ({ends}) then")),
                lines(&format!("  {ended}\nend if")),
            ]
            .concat(),
        };
        let first = "x = 1; lo = .true.".to_string();
        let head = |line: &str| [vec![first.clone()], marked(line), step.clone()].concat();
        let plain = |line: &str| [vec![first.clone(), line.into()], step.clone()].concat();
        match self.chance.below(6) {
            0 | 1 => ProgramNode::around(
                head(&format!("do while ({goes_on})")),
                more,
                vec!["end do".into()],
            ),
            2 => ProgramNode::around(plain("do"), more, [leaves, vec!["end do".into()]].concat()),
            3 => ProgramNode::around([plain("do"), leaves].concat(), more, vec!["end do".into()]),
            4 => {
                let back = marked(&format!("if ({goes_on}) goto {label}"));
                ProgramNode::around(plain(&format!("{label} continue")), more, back)
            }
            _ => {
                let computed = self.chance.pick(&COMPUTED).0;
                let end = vec!["if (v >= m) exit".into(), "end do".into()];
                ProgramNode::around(head(&format!("do while ({computed})")), more, end)
            }
        }
    }

    /// A count that is enough, and others.
    fn converging_test(&mut self) -> Test {
        let (going, ending) = self.chance.pick(&COUNTS);
        let mut all = vec![Test::Known(going, ending), self.computed(), self.others(2)];
        let first = self.chance.below(3);
        all.rotate_left(first);
        match self.chance.below(3) {
            0 => {
                let last = all.pop().expect("three");
                Test::All(vec![Test::All(all), last])
            }
            _ => Test::All(all),
        }
    }

    fn computed(&mut self) -> Test {
        let (going, ending) = self.chance.pick(&COMPUTED);
        Test::Known(going, ending)
    }

    fn others(&mut self, depth: usize) -> Test {
        let known = |chance: &mut super::rng::Rng| {
            let (going, ending) = chance.pick(&KNOWN);
            Test::Known(going, ending)
        };
        match self.chance.below(if depth == 0 { 3 } else { 6 }) {
            0 | 1 => known(&mut self.chance),
            2 => self.computed(),
            3 => Test::All(vec![self.others(depth - 1), self.others(depth - 1)]),
            // What is not computed goes on, so all of it does.
            _ => Test::Any(vec![self.others(depth - 1), known(&mut self.chance)]),
        }
    }

    /// A test as a condition that holds if the loop goes on, or if it ends.
    fn spelled(&mut self, test: &Test, goes_on: bool) -> String {
        if self.chance.one_in(5) {
            return format!(".not. ({})", self.plainly(test, !goes_on));
        }
        self.plainly(test, goes_on)
    }

    fn plainly(&mut self, test: &Test, goes_on: bool) -> String {
        let (tests, operator) = match test {
            Test::Known(going, ending) => {
                return if goes_on {
                    (*going).into()
                } else {
                    (*ending).into()
                };
            }
            Test::All(tests) => (tests, if goes_on { ".and." } else { ".or." }),
            Test::Any(tests) => (tests, if goes_on { ".or." } else { ".and." }),
        };
        let sides: Vec<String> = tests
            .iter()
            .map(|one| format!("({})", self.spelled(one, goes_on)))
            .collect();
        sides.join(&format!(" {operator} &\n    "))
    }
}
