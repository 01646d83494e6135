//! The problem classes: the sizes that the specification defines, small to large.

/// A problem class of the NAS parallel benchmarks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ProblemClass {
    /// Sample: a fraction of a second.
    S,
    /// Workstation.
    W,
    /// The smallest of the original classes: about a second.
    A,
    /// A minute.
    B,
    /// Several minutes.
    C,
}

impl ProblemClass {
    /// All that the fixtures have, small to large.
    pub const ALL: [ProblemClass; 5] = [
        ProblemClass::S,
        ProblemClass::W,
        ProblemClass::A,
        ProblemClass::B,
        ProblemClass::C,
    ];

    /// Its letter.
    pub fn letter(self) -> char {
        match self {
            ProblemClass::S => 'S',
            ProblemClass::W => 'W',
            ProblemClass::A => 'A',
            ProblemClass::B => 'B',
            ProblemClass::C => 'C',
        }
    }
}
