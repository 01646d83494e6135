//! Random Fortran text of loops, branches, jumps and calls, each program twice: as a user would write
//! it, and with every executable statement counted by hand.

use std::fmt::Write;

/// Deepest nesting of constructs.
const DEEPEST: u32 = 4;

/// A program of `procedures` subroutines, and the same with counts by hand. It prints after each call
/// how many statements were counted.
pub fn program(seed: u64, procedures: u32) -> (String, String) {
    let mut text = Text {
        random: seed.wrapping_mul(2) | 1,
        ..Text::default()
    };
    text.declare("program p\n  integer :: n, e, r");
    text.statement("e = 0");
    text.statement("call mpi_comm_rank(0, r, e)");
    for number in 0..procedures {
        text.statement(&format!("call s{number}({number})"));
        text.statement("call report_statements(n)");
        text.statement("print *, n");
    }
    text.declare("end program");
    for number in 0..procedures {
        text.subroutine(number);
    }
    (text.plain, text.counted)
}

#[derive(Default)]
struct Text {
    random: u64,
    plain: String,
    counted: String,
    /// Loops and other constructs around.
    depth: u32,
    loops: u32,
    label: u32,
}

impl Text {
    fn below(&mut self, end: u64) -> u64 {
        self.random = self
            .random
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.random >> 33) % end
    }

    /// Text that is no executable statement.
    fn declare(&mut self, line: &str) {
        for text in [&mut self.plain, &mut self.counted] {
            writeln!(text, "{line}").unwrap();
        }
    }

    fn count(&mut self) {
        self.counted.push_str("call mpiete_count(1)\n");
    }

    fn statement(&mut self, line: &str) {
        self.count();
        self.declare(line);
    }

    fn subroutine(&mut self, number: u32) {
        self.label = 10;
        self.declare(&format!(
            "subroutine s{number}(m)\n  integer :: m, a, b, e, i0, i1, i2, i3, v(999)"
        ));
        for start in ["a = m", "b = 0", "e = 0", "v = 0"] {
            self.statement(start);
        }
        self.list();
        // Not taken, so only the IF itself counts.
        self.statement("if (a + b + e + v(10) < -1000000) print *, a, b");
        self.declare("end subroutine");
    }

    fn list(&mut self) {
        for _ in 0..2 + self.below(4) {
            self.any();
        }
    }

    fn any(&mut self) {
        let choices = if self.depth < DEEPEST { 12 } else { 6 };
        match self.below(choices) {
            0 => self.statement("a = a + b + 1"),
            1 => self.statement("b = mod(b + a, 7)"),
            2 => self.statement("call mpi_barrier(0, e)"),
            3 => self.logical_if("b = b + 1"),
            4 => self.logical_if("call mpi_barrier(0, e)"),
            5 => self.leave(),
            6 | 7 => self.counted_do(),
            8 => self.block_if(),
            9 => self.select(),
            10 => self.jump(),
            _ => self.two_on_a_line(),
        }
    }

    /// `if (…) statement`, which by hand is a block IF.
    fn logical_if(&mut self, action: &str) {
        let condition = format!("if (mod(a + {}, 3) == 0)", self.below(3));
        self.count();
        writeln!(self.plain, "{condition} {action}").unwrap();
        writeln!(
            self.counted,
            "{condition} then\ncall mpiete_count(1)\n{action}\nend if"
        )
        .unwrap();
    }

    fn leave(&mut self) {
        if self.loops == 0 {
            return self.statement("a = 1");
        }
        let word = if self.below(2) == 0 { "cycle" } else { "exit" };
        self.logical_if(word);
    }

    fn inside(&mut self) {
        self.depth += 1;
        self.list();
        self.depth -= 1;
    }

    fn counted_do(&mut self) {
        let (variable, last) = (self.loops, self.below(4));
        self.statement(&format!("do i{variable} = 1, {last}"));
        self.count();
        self.loops += 1;
        self.inside();
        self.loops -= 1;
        self.declare("end do");
    }

    fn block_if(&mut self) {
        self.statement("if (mod(a, 2) == 0) then");
        self.inside();
        self.declare("else if (b > 3) then");
        self.inside();
        if self.below(2) == 0 {
            self.declare("else");
            self.inside();
        }
        self.declare("end if");
    }

    fn select(&mut self) {
        self.statement("select case (mod(abs(a), 3))");
        for case in ["case (0)", "case (1)", "case default"] {
            self.declare(case);
            self.inside();
        }
        self.declare("end select");
    }

    /// A jump over some statements, and back at most once.
    fn jump(&mut self) {
        let (back, over) = (self.label, self.label + 1);
        self.label += 2;
        self.statement(&format!("v({back}) = 0"));
        self.declare(&format!("{back} continue"));
        self.logical_if(&format!("goto {over}"));
        self.inside();
        self.statement(&format!("v({back}) = v({back}) + 1"));
        self.logical_if(&format!("goto {over}"));
        self.count();
        writeln!(self.plain, "if (v({back}) == 1) goto {back}").unwrap();
        writeln!(
            self.counted,
            "if (v({back}) == 1) then\ncall mpiete_count(1)\ngoto {back}\nend if"
        )
        .unwrap();
        // A labelled statement that is jumped to: its count stands after the label.
        writeln!(self.plain, "{over} e = 0").unwrap();
        writeln!(self.counted, "{over} continue\ncall mpiete_count(1)\ne = 0").unwrap();
    }

    fn two_on_a_line(&mut self) {
        self.plain
            .push_str("a = a + 1; call mpi_barrier(0, e); if (b > a) a = b; b = a - 1\n");
        self.counted.push_str(
            "call mpiete_count(4)\na = a + 1\ncall mpi_barrier(0, e)\nif (b > a) then\n\
             call mpiete_count(1)\na = b\nend if\nb = a - 1\n",
        );
    }
}
