//! Offsets in a line of the instruction cache at which functions and their innermost loops begin, written into the assembly.

use crate::code_loops;
use std::collections::BTreeMap;

/// Padding before a loop. The assembler computes its length, since that of the jumps before it is not known earlier. NOPs of several
/// bytes, which cost less, exist since binutils 2.31.
const MACRO: &str = "\
.macro mpiete_offset place, function, start
\t.if .gasversion. >= 23100
\t.nops (\\place - (. - \\function + \\start)) & 63
\t.else
\t.skip (\\place - (. - \\function + \\start)) & 63, 0x90
\t.endif
.endm
";

/// Offsets in a function.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FunctionPlacement {
    /// Where the function begins, in bytes from the beginning of a line.
    pub start: u64,
    /// Where each innermost loop begins; `None` for a loop that stays where the compiler places it.
    pub loops: Vec<Option<u64>>,
}

/// Offsets of functions, by symbol. Other functions stay where the compiler places them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Placement(BTreeMap<String, FunctionPlacement>);

impl Placement {
    /// Of functions and their offsets.
    pub fn new(functions: BTreeMap<String, FunctionPlacement>) -> Self {
        Self(functions)
    }

    /// Whether no function is moved.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// One line for each function: its offset, those of its loops or `-`, its symbol.
    pub fn to_text(&self) -> String {
        let mut text = String::new();
        for (function, places) in &self.0 {
            text += &format!("{} ", places.start);
            for place in &places.loops {
                match place {
                    Some(place) => text += &format!("{place},"),
                    None => text += "-,",
                }
            }
            text += &format!(" {function}\n");
        }
        text
    }

    /// What [`Self::to_text`] wrote.
    pub fn from_text(text: &str) -> Option<Self> {
        let mut functions = BTreeMap::new();
        for line in text.lines() {
            let mut words = line.splitn(3, ' ');
            let start = words.next()?.parse().ok()?;
            let mut loops = Vec::new();
            for place in words.next()?.split_terminator(',') {
                loops.push(match place {
                    "-" => None,
                    place => Some(place.parse().ok()?),
                });
            }
            functions.insert(
                words.next()?.to_string(),
                FunctionPlacement { start, loops },
            );
        }
        Some(Self(functions))
    }

    /// Assembly with these functions and loops at their offsets. The bytes before a function are not executed, those before a loop
    /// once each time it is entered.
    pub fn apply(&self, assembly: &str) -> String {
        let before_lines = self.padding_of_loops(assembly);
        let mut text = String::with_capacity(assembly.len());
        text += MACRO;
        for (number, line) in assembly.lines().enumerate() {
            if let Some(places) = code_loops::label(line).and_then(|label| self.0.get(label)) {
                // Aligned to a line of 64 bytes first, so that the offset does not depend on the
                // functions before. 0x90 is NOP.
                text += &format!("\t.p2align 6\n\t.skip {}, 0x90\n", places.start);
            }
            if let Some(padding) = before_lines.get(&number) {
                text += padding;
            }
            text += line;
            text.push('\n');
        }
        text
    }

    /// The lines that move loops, each with the number of the line before which it is inserted.
    fn padding_of_loops(&self, assembly: &str) -> BTreeMap<usize, String> {
        let mut padding = BTreeMap::new();
        for function in code_loops::of_assembly(assembly) {
            let Some(places) = self.0.get(&function.name) else {
                continue;
            };
            // Other numbers of loops: another function of the same name, in another file.
            if places.loops.len() != function.loops.len() {
                continue;
            }
            for (line, place) in function.loops.iter().zip(&places.loops) {
                let Some(place) = place else { continue };
                let (name, start) = (&function.name, places.start);
                padding.insert(*line, format!("\tmpiete_offset {place}, {name}, {start}\n"));
            }
        }
        padding
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_and_loops_are_moved_individually() {
        let placement = Placement::from_text("24 8, MAIN__\n0  work_\n").unwrap();
        assert_eq!(
            Placement::from_text(&placement.to_text()),
            Some(placement.clone())
        );
        let moved = placement
            .apply("\t.type\tMAIN__, @function\nMAIN__:\n.L3:\n\tjmp\t.L3\nmain:\nwork_:\n");
        let expected = "\t.type\tMAIN__, @function\n\t.p2align 6\n\t.skip 24, 0x90\nMAIN__:\n\
                        \tmpiete_offset 8, MAIN__, 24\n.L3:\n\tjmp\t.L3\nmain:\n\
                        \t.p2align 6\n\t.skip 0, 0x90\nwork_:\n";
        assert_eq!(moved.strip_prefix(MACRO), Some(expected));
        assert_eq!(Placement::from_text("many - MAIN__"), None);
    }

    #[test]
    fn other_functions_of_the_same_name_keep_their_loops() {
        let placement = Placement::from_text("24 8,- MAIN__\n").unwrap();
        let moved = placement.apply("MAIN__:\n.L3:\n\tjmp\t.L3\n");
        assert!(!moved.contains("\tmpiete_offset"), "{moved}");
    }
}
