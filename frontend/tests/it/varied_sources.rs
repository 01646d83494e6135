//! Varied Fortran made from a seed: statements with what they are, in an order that compiles in spirit. How
//! they are laid out in lines is in [`crate::layouts`].

/// A statement before it is laid out.
#[derive(Clone, Debug, Default)]
pub struct Written {
    pub label: Option<u32>,
    /// Blanks outside quotes are where it may be broken.
    pub text: String,
    /// Kinds of the statement and, of a logical IF, of the statement in it; empty for declarations and ends.
    pub kinds: Vec<&'static str>,
    /// Whom it calls by CALL.
    pub calls: Vec<String>,
}

/// A program: its procedures and statements.
#[derive(Clone, Debug, Default)]
pub struct Varied {
    pub procedures: Vec<(&'static str, String)>,
    pub statements: Vec<Written>,
}

/// Scalars; some begin as keywords do.
const SCALARS: [&str; 8] = ["a", "b", "iff", "dox", "endval", "callme", "gotox", "real8"];
const ARRAYS: [&str; 3] = ["p", "q", "writes"];
const SUBROUTINES: [&str; 3] = ["s0", "printer", "dofull"];

/// Makes programs.
pub struct Maker {
    state: u64,
    out: Varied,
    label: u32,
    /// Labels that a GOTO of this procedure names and that still have to stand somewhere.
    open: Vec<u32>,
    named: u32,
}

impl Maker {
    pub fn new(seed: u64) -> Self {
        let state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
        Maker {
            state,
            out: Varied::default(),
            label: 0,
            open: Vec::new(),
            named: 0,
        }
    }

    /// A number below `bound` (xorshift64*).
    pub fn below(&mut self, bound: usize) -> usize {
        self.state ^= self.state >> 12;
        self.state ^= self.state << 25;
        self.state ^= self.state >> 27;
        (self.state.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33) as usize % bound
    }

    fn pick<'a>(&mut self, from: &[&'a str]) -> &'a str {
        from[self.below(from.len())]
    }

    /// A program with its subroutines and functions.
    pub fn program(mut self) -> Varied {
        self.unit("program", "varied", "program varied", 14);
        for name in SUBROUTINES {
            self.unit("subroutine", name, &format!("subroutine {name} (a, b)"), 8);
        }
        self.unit("function", "f2", "integer function f2 (a, b)", 5);
        self.out
    }

    fn unit(&mut self, kind: &'static str, name: &str, head: &str, statements: usize) {
        self.out.procedures.push((kind, name.to_string()));
        self.plain(head);
        self.plain("implicit none");
        self.plain("integer :: a, b, iff, dox, endval, callme, gotox, real8, i, j, k");
        self.plain("integer p(10), q(10), writes(10)");
        self.plain("integer, allocatable :: room(:)");
        self.plain("character*20 text");
        if kind != "function" {
            self.plain("integer, external :: f2");
        }
        self.plain("parameter (k = 3)");
        for _ in 0..statements {
            self.statement(2);
        }
        for label in std::mem::take(&mut self.open) {
            self.labelled(label, "continue", &["continue"]);
        }
        if kind == "function" {
            self.say("f2 = a", &["assign"]);
        }
        self.plain(&format!("end {kind} {name}"));
    }

    fn plain(&mut self, text: &str) {
        self.say(text, &[]);
    }

    fn say(&mut self, text: &str, kinds: &[&'static str]) {
        self.out.statements.push(Written {
            text: text.to_string(),
            kinds: kinds.to_vec(),
            ..Written::default()
        });
    }

    fn labelled(&mut self, label: u32, text: &str, kinds: &[&'static str]) {
        self.say(text, kinds);
        self.out.statements.last_mut().expect("one was added").label = Some(label);
    }

    fn new_label(&mut self) -> u32 {
        self.label += 10;
        self.label
    }

    fn scalar(&mut self) -> &'static str {
        self.pick(&SCALARS)
    }

    fn expression(&mut self, depth: usize) -> String {
        match self.below(if depth == 0 { 3 } else { 8 }) {
            0 => self.below(100).to_string(),
            1 | 2 => self.scalar().to_string(),
            3 => format!("{} ({})", self.pick(&ARRAYS), self.expression(depth - 1)),
            4 => format!("f2 ({}, {})", self.expression(depth - 1), self.scalar()),
            5 => format!("mod ({}, 7)", self.expression(depth - 1)),
            6 => format!(
                "( {} - {} )",
                self.expression(depth - 1),
                self.expression(depth - 1)
            ),
            _ => format!(
                "{} + {} * {}",
                self.scalar(),
                self.expression(depth - 1),
                self.scalar()
            ),
        }
    }

    fn condition(&mut self) -> String {
        let (left, right) = (self.expression(1), self.expression(1));
        let operator = self.pick(&[".gt.", "<=", ".eq.", "/=", ".lt."]);
        match self.below(3) {
            0 => format!("{left} {operator} {right} .and. {} > 0", self.scalar()),
            _ => format!("{left} {operator} {right}"),
        }
    }

    fn statement(&mut self, depth: usize) {
        match self.below(if depth == 0 { 8 } else { 14 }) {
            0..3 => self.assignment(),
            3 => self.call(),
            4 => self.input_output(),
            5 => self.logical_if(),
            6 => self.jump(),
            7 => self.whole(),
            8 => self.block_if(depth),
            9 => self.counted(depth),
            10 => self.labelled_do(depth),
            11 => self.unbounded(depth),
            12 => self.select(depth),
            _ => self.memory(),
        }
    }

    fn body(&mut self, depth: usize) {
        for _ in 0..1 + self.below(3) {
            self.statement(depth - 1);
        }
    }

    /// Text and kind of an assignment.
    fn assigned(&mut self) -> String {
        match self.below(4) {
            0 => format!(
                "{} ({}) = {}",
                self.pick(&ARRAYS),
                self.scalar(),
                self.expression(2)
            ),
            1 => self
                .pick(&["text = 'it''s & not ! the end'", "text = \"a ; b\" // 'c'"])
                .to_string(),
            _ => format!("{} = {}", self.scalar(), self.expression(3)),
        }
    }

    fn assignment(&mut self) {
        let text = self.assigned();
        self.say(&text, &["assign"]);
    }

    fn call(&mut self) {
        let (name, argument) = (self.pick(&SUBROUTINES), self.expression(2));
        self.say(&format!("call {name} ({argument}, b)"), &["call"]);
        self.out
            .statements
            .last_mut()
            .expect("one was added")
            .calls
            .push(name.to_string());
    }

    fn input_output(&mut self) {
        let (value, name) = (self.expression(2), self.scalar());
        match self.below(9) {
            0 => self.say(&format!("write (*, *) {value}, 'now'"), &["write"]),
            1 => self.say(&format!("print *, {value}"), &["write"]),
            2 => self.say(&format!("read (5, *) {name}, (p (i), i = 1, 3)"), &["read"]),
            3 => self.say("open (unit = 7, file = 'x.dat', status = 'old')", &["open"]),
            4 => self.say("close (7)", &["close"]),
            5 => self.say("rewind (7)", &["position"]),
            6 => self.say("inquire (unit = 7, number = a)", &["inquire"]),
            7 => self.say("backspace 7", &["position"]),
            _ => {
                let label = self.new_label();
                self.say(&format!("write (6, {label}) {value}"), &["write"]);
                self.labelled(label, "format (' value', i8)", &[]);
            }
        }
    }

    fn logical_if(&mut self) {
        let condition = self.condition();
        match self.below(4) {
            0 => self.say(&format!("if ({condition}) return"), &["if", "return"]),
            1 => {
                let label = self.target();
                self.say(&format!("if ({condition}) go to {label}"), &["if", "goto"]);
            }
            2 => {
                self.say(&format!("if ({condition}) call s0 (a, b)"), &["if", "call"]);
                self.out
                    .statements
                    .last_mut()
                    .expect("one was added")
                    .calls
                    .push("s0".into());
            }
            _ => {
                let text = self.assigned();
                self.say(&format!("if ({condition}) {text}"), &["if", "assign"]);
            }
        }
    }

    /// A label that stands later in the procedure.
    fn target(&mut self) -> u32 {
        if self.open.is_empty() || self.below(2) == 0 {
            let label = self.new_label();
            self.open.push(label);
        }
        let at = self.below(self.open.len());
        self.open[at]
    }

    fn jump(&mut self) {
        let (first, second, name) = (self.target(), self.target(), self.scalar());
        match self.below(5) {
            0 => self.say(&format!("goto {first}"), &["goto"]),
            1 => self.say(&format!("go to ({first}, {second}), {name}"), &["goto"]),
            2 => self.say(
                &format!("if ({name}) {first}, {second}, {first}"),
                &["goto"],
            ),
            3 => self.say("stop 'early'", &["stop"]),
            _ => self.say("continue", &["continue"]),
        }
    }

    /// What is kept whole.
    fn whole(&mut self) {
        match self.below(3) {
            0 => self.say("where (p > 0) q = p", &["opaque"]),
            1 => {
                self.say("where (p > 1)", &["opaque"]);
                self.plain("q = 0");
                self.plain("elsewhere");
                self.plain("q = 1");
                self.plain("end where");
            }
            _ => self.say("forall (i = 1:3) p (i) = q (i + 1)", &["opaque"]),
        }
    }

    fn block_if(&mut self, depth: usize) {
        let condition = self.condition();
        self.say(&format!("if ({condition}) then"), &["if"]);
        self.body(depth);
        if self.below(2) == 0 {
            let condition = self.condition();
            let word = self.pick(&["else if", "elseif"]);
            self.say(&format!("{word} ({condition}) then"), &["elseif"]);
            self.body(depth);
        }
        if self.below(2) == 0 {
            self.say("else", &["else"]);
            self.body(depth);
        }
        let end = self.pick(&["end if", "endif"]);
        self.plain(end);
    }

    fn counted(&mut self, depth: usize) {
        let (from, to) = (self.expression(1), self.expression(1));
        let step = self.pick(&["", ", 2", ", -1"]);
        self.say(&format!("do i = {from}, {to}{step}"), &["do"]);
        self.body(depth);
        let leave = self.pick(&["", "exit", "cycle"]);
        if !leave.is_empty() {
            self.say(&format!("if (a > b) {leave}"), &["if", leave]);
        }
        let end = self.pick(&["end do", "enddo"]);
        self.plain(end);
    }

    fn labelled_do(&mut self, depth: usize) {
        let label = self.new_label();
        self.say(&format!("do {label} i = 1, k"), &["do"]);
        if self.below(2) == 0 {
            self.say(&format!("do {label} j = 1, k"), &["do"]);
        }
        self.body(depth);
        self.labelled(label, "continue", &["continue"]);
    }

    fn unbounded(&mut self, depth: usize) {
        self.named += 1;
        let name = format!("loop{}", self.named);
        match self.below(2) {
            0 => {
                let condition = self.condition();
                self.say(&format!("do while ({condition})"), &["while"]);
                self.body(depth);
                self.plain("end do");
            }
            _ => {
                self.say(&format!("{name}: do"), &["while"]);
                self.body(depth);
                self.say(&format!("if (a > b) exit {name}"), &["if", "exit"]);
                self.plain(&format!("end do {name}"));
            }
        }
    }

    fn select(&mut self, depth: usize) {
        let value = self.expression(1);
        self.say(&format!("select case ({value})"), &["select"]);
        self.say("case (1, 3:5)", &["case"]);
        self.body(depth);
        self.say("case default", &["case"]);
        self.body(depth);
        self.plain("end select");
    }

    fn memory(&mut self) {
        match self.below(2) {
            0 => self.say("allocate (room (10), stat = a)", &["allocate"]),
            _ => self.say("deallocate (room)", &["deallocate"]),
        }
    }
}
