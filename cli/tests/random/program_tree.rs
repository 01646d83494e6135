//! Programs as trees of pieces that can be left out: what the generator makes, the printer writes and the
//! shrinker takes apart. Knows nothing of what the lines mean.

/// A node of the program tree, which the shrinker can remove as a whole.
#[derive(Clone, Debug)]
pub enum ProgramNode {
    /// Lines that belong together.
    Lines(Vec<String>),
    /// Lines round others.
    Construct {
        /// First.
        head: Vec<String>,
        /// What stands inside; each part after a line of its own (`else`), which may be empty.
        parts: Vec<(String, Vec<ProgramNode>)>,
        /// Last.
        end: Vec<String>,
    },
}

impl ProgramNode {
    pub fn line(line: impl Into<String>) -> Self {
        ProgramNode::Lines(vec![line.into()])
    }

    /// Lines round one list of pieces.
    pub fn around(head: Vec<String>, body: Vec<ProgramNode>, end: Vec<String>) -> Self {
        ProgramNode::Construct {
            head,
            parts: vec![(String::new(), body)],
            end,
        }
    }

    fn print(&self, depth: usize, out: &mut String) {
        let mut put = |line: &str, depth: usize| {
            if !line.is_empty() {
                *out += &format!("{:1$}{line}\n", "", 2 * depth);
            }
        };
        match self {
            ProgramNode::Lines(lines) => lines.iter().for_each(|line| put(line, depth)),
            ProgramNode::Construct { head, parts, end } => {
                head.iter().for_each(|line| put(line, depth));
                for (line, body) in parts {
                    if !line.is_empty() {
                        *out += &format!("{:1$}{line}\n", "", 2 * depth);
                    }
                    body.iter().for_each(|piece| piece.print(depth + 1, out));
                }
                end.iter()
                    .for_each(|line| *out += &format!("{:1$}{line}\n", "", 2 * depth));
            }
        }
    }
}

/// A program unit.
#[derive(Clone, Debug, Default)]
pub struct Unit {
    /// Its statement, declarations, and what gives every variable its first value.
    pub head: Vec<String>,
    /// What it does.
    pub body: Vec<ProgramNode>,
    /// How it ends.
    pub end: Vec<String>,
}

/// A program and how it is run.
#[derive(Clone, Debug, Default)]
pub struct Program {
    /// Number of ranks.
    pub ranks: u32,
    pub units: Vec<Unit>,
}

impl Program {
    pub fn text(&self) -> String {
        named(&self.marked(), false)
    }

    /// The same with suffixes that distinguish names of one spelling.
    pub fn marked(&self) -> String {
        let mut out = String::new();
        for unit in &self.units {
            unit.head
                .iter()
                .for_each(|line| out += &format!("{line}\n"));
            unit.body.iter().for_each(|piece| piece.print(1, &mut out));
            unit.end.iter().for_each(|line| out += &format!("{line}\n"));
        }
        out
    }

    /// Pieces, those inside others too.
    pub fn pieces(&self) -> usize {
        self.units.iter().map(|unit| count(&unit.body)).sum()
    }

    /// The program without `count` neighbouring pieces from the one with number `first` on; what stands
    /// inside a construct may stay.
    pub fn without(&self, first: usize, count: usize, keep_inside: bool) -> Self {
        let mut number = 0;
        let mut program = self.clone();
        for unit in &mut program.units {
            unit.body = reduced(&unit.body, &mut number, first..first + count, keep_inside);
        }
        program
    }
}

/// A text in which names are followed by `@` and the number of what they stand for, without that or with it as a part of
/// the name.
pub fn named(text: &str, apart: bool) -> String {
    let mut parts = text.split('@');
    let mut out = parts.next().unwrap_or_default().to_string();
    for part in parts {
        let rest = part.trim_start_matches(|letter: char| letter.is_ascii_digit());
        if apart {
            out += "_";
            out += &part[..part.len() - rest.len()];
        }
        out += rest;
    }
    out
}

fn count(list: &[ProgramNode]) -> usize {
    let inside = |piece: &ProgramNode| match piece {
        ProgramNode::Lines(_) => 1,
        ProgramNode::Construct { parts, .. } => {
            1 + parts.iter().map(|(_, body)| count(body)).sum::<usize>()
        }
    };
    list.iter().map(inside).sum()
}

fn reduced(
    list: &[ProgramNode],
    number: &mut usize,
    gone: std::ops::Range<usize>,
    keep_inside: bool,
) -> Vec<ProgramNode> {
    let mut left = Vec::new();
    for piece in list {
        let goes = gone.contains(number);
        *number += 1;
        match piece {
            ProgramNode::Lines(_) if goes => {}
            ProgramNode::Lines(_) => left.push(piece.clone()),
            ProgramNode::Construct { head, parts, end } => {
                let of = |(line, body): &(String, Vec<ProgramNode>)| {
                    (
                        line.clone(),
                        reduced(body, number, gone.clone(), keep_inside),
                    )
                };
                let parts: Vec<_> = parts.iter().map(of).collect();
                if !goes {
                    left.push(ProgramNode::Construct {
                        head: head.clone(),
                        parts,
                        end: end.clone(),
                    });
                } else if keep_inside {
                    left.extend(parts.into_iter().flat_map(|(_, body)| body));
                }
            }
        }
    }
    left
}
