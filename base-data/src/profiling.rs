//! What profiling directives of meta-programs measure (MegaScript: Yuyama et al. 2005): the language names it, and the
//! instrumenter inserts it.

/// What is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quantity {
    /// Time between two places.
    Time,
    /// Value of a variable.
    Variable,
    /// Bytes of a message.
    Message,
}

/// How several values become one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reduction {
    /// The first; the least and the largest are kept beside it.
    Of,
    /// Their mean.
    Average,
    /// The largest.
    Maximum,
    /// The least.
    Minimum,
    /// The first.
    Head,
    /// The last.
    Tail,
}

/// Where a value is taken: a place among several.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Position {
    /// The n-th inside the block.
    Inside(u32),
    /// The n-th before it, counted backwards.
    Before(u32),
    /// The n-th behind it.
    After(u32),
}
