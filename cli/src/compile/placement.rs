//! Offsets at which functions begin in a line of the instruction cache, written into the assembly for each function.

use std::collections::BTreeMap;

/// Offset in bytes of each function, by symbol, from the beginning of a cache line. Other functions stay where the compiler
/// places them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Placement(BTreeMap<String, u64>);

impl Placement {
    /// Of functions and their places.
    pub fn new(places: BTreeMap<String, u64>) -> Self {
        Self(places)
    }

    /// Whether no function is moved.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// One line for each function.
    pub fn to_text(&self) -> String {
        self.0
            .iter()
            .map(|(function, place)| format!("{place} {function}\n"))
            .collect()
    }

    /// What [`Self::to_text`] wrote.
    pub fn from_text(text: &str) -> Option<Self> {
        let mut places = BTreeMap::new();
        for line in text.lines() {
            let (place, function) = line.split_once(' ')?;
            places.insert(function.to_string(), place.parse().ok()?);
        }
        Some(Self(places))
    }

    /// Assembly with these functions at their offsets. The bytes inserted before a function are not executed.
    pub fn apply(&self, assembly: &str) -> String {
        let mut text = String::with_capacity(assembly.len());
        for line in assembly.lines() {
            let label = line.strip_suffix(':').map(|label| label.trim_matches('"'));
            if let Some(place) = label.and_then(|label| self.0.get(label)) {
                // Aligned to a line of 64 bytes first, so that the offset does not depend on the
                // functions before. 0x90 is NOP.
                text += &format!("\t.p2align 6\n\t.skip {place}, 0x90\n");
            }
            text += line;
            text.push('\n');
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_are_moved_individually() {
        let placement = Placement::from_text("24 MAIN__\n0 work_\n").unwrap();
        assert_eq!(
            Placement::from_text(&placement.to_text()),
            Some(placement.clone())
        );
        let moved = placement
            .apply("\t.type\tMAIN__, @function\nMAIN__:\n.L3:\n\tjmp\t.L3\nmain:\nwork_:\n");
        let expected = "\t.type\tMAIN__, @function\n\t.p2align 6\n\t.skip 24, 0x90\nMAIN__:\n.L3:\n\tjmp\t.L3\nmain:\n\
                        \t.p2align 6\n\t.skip 0, 0x90\nwork_:\n";
        assert_eq!(moved, expected);
        assert_eq!(Placement::from_text("many MAIN__"), None);
    }
}
