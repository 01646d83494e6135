//! How single values are spelled in the text form, both ways: enumerations, operands, datatypes,
//! formula steps. One list per enumeration
//! makes both ways, so that they cannot grow apart.

use crate::block_table::BlockKind;
use crate::ids::{FormulaId, TableId};
use crate::mpi::{BasicDatatype, Datatype, ReduceOp};
use crate::program_data::{
    AssumptionOrigin, CollectiveKind, Completion, FormulaStep, ObservedMatch, Operand, Peer,
    RecordMethod, SendMode, Tag,
};

/// A value with one word.
pub(super) trait Spelled: Sized {
    /// All words, for messages.
    const WORDS: &'static str;
    fn word(self) -> &'static str;
    fn from_word(word: &str) -> Option<Self>;
}

macro_rules! spelling {
    ($($type:ident { $first:ident = $first_word:literal $(, $variant:ident = $word:literal)* $(,)? })+) => {$(
        impl Spelled for $type {
            const WORDS: &'static str = concat!($first_word $(, ", ", $word)*);

            fn word(self) -> &'static str {
                match self {
                    $type::$first => $first_word,
                    $($type::$variant => $word,)*
                }
            }

            fn from_word(word: &str) -> Option<Self> {
                match word {
                    $first_word => Some($type::$first),
                    $($word => Some($type::$variant),)*
                    _ => None,
                }
            }
        }
    )+};
}

spelling! {
    RecordMethod { Sliced = "sliced", Unsliced = "unsliced", Virtual = "virtual", Given = "given" }
    BlockKind { Compute = "compute", Communication = "communication", Wait = "wait" }
    AssumptionOrigin { Proposed = "proposed", User = "user", Recording = "recording", BoundedRun = "bounded-run" }
    SendMode {
        Standard = "standard",
        Synchronous = "synchronous",
        Ready = "ready",
        Buffered = "buffered",
    }
    Completion { All = "all", Any = "any", Some = "some" }
    CollectiveKind {
        Barrier = "barrier",
        Broadcast = "broadcast",
        Reduce = "reduce",
        Allreduce = "allreduce",
        Gather = "gather",
        Scatter = "scatter",
        Allgather = "allgather",
        Alltoall = "alltoall",
        ReduceScatter = "reduce-scatter",
        Scan = "scan",
        ExclusiveScan = "exclusive-scan",
    }
}

impl CollectiveKind {
    /// Its word in texts: `exclusive-scan`.
    pub fn name(self) -> &'static str {
        self.word()
    }
}

/// Forms of an operand, for messages.
pub(super) const OPERAND_FORM: &str = "7, rank, rank+1, rank-1, rank^4, formula:0 or table:0";

pub(super) fn operand(operand: Operand) -> String {
    match operand {
        Operand::Constant(value) => value.to_string(),
        Operand::RankPlus(0) => "rank".into(),
        Operand::RankPlus(offset) => format!("rank{offset:+}"),
        Operand::RankXor(mask) => format!("rank^{mask}"),
        Operand::Formula(id) => format!("formula:{id}"),
        Operand::Table(id) => format!("table:{id}"),
    }
}

pub(super) fn parse_operand(word: &str) -> Option<Operand> {
    if let Some(number) = word.strip_prefix("formula:") {
        return Some(Operand::Formula(FormulaId(number.parse().ok()?)));
    }
    if let Some(number) = word.strip_prefix("table:") {
        return Some(Operand::Table(TableId(number.parse().ok()?)));
    }
    let Some(change) = word.strip_prefix("rank") else {
        return Some(Operand::Constant(word.parse().ok()?));
    };
    match change.chars().next() {
        None => Some(Operand::RankPlus(0)),
        Some('^') => Some(Operand::RankXor(change[1..].parse().ok()?)),
        // The sign is part of the number.
        Some('+' | '-') => Some(Operand::RankPlus(change.parse().ok()?)),
        Some(_) => None,
    }
}

pub(super) fn peer(peer: Peer) -> String {
    match peer {
        Peer::Rank(rank) => operand(rank),
        Peer::Null => "null".into(),
        Peer::Any => "any".into(),
    }
}

pub(super) fn parse_peer(word: &str) -> Option<Peer> {
    match word {
        "null" => Some(Peer::Null),
        "any" => Some(Peer::Any),
        _ => parse_operand(word).map(Peer::Rank),
    }
}

pub(super) fn tag(tag: Tag) -> String {
    match tag {
        Tag::Value(value) => operand(value),
        Tag::Any => "any".into(),
    }
}

pub(super) fn parse_tag(word: &str) -> Option<Tag> {
    if word == "any" {
        Some(Tag::Any)
    } else {
        parse_operand(word).map(Tag::Value)
    }
}

pub(super) fn observed(found: &ObservedMatch) -> String {
    format!("{}:{}", found.source, found.tag)
}

pub(super) fn parse_observed(word: &str) -> Option<ObservedMatch> {
    let (source, tag) = word.split_once(':')?;
    Some(ObservedMatch {
        source: source.parse().ok()?,
        tag: tag.parse().ok()?,
    })
}

pub(super) fn reduce_op(op: ReduceOp) -> &'static str {
    match op {
        ReduceOp::Sum => "sum",
        ReduceOp::Product => "product",
        ReduceOp::Maximum => "maximum",
        ReduceOp::Minimum => "minimum",
        ReduceOp::LogicalAnd => "logical-and",
        ReduceOp::LogicalOr => "logical-or",
        ReduceOp::LogicalXor => "logical-xor",
        ReduceOp::BitAnd => "bit-and",
        ReduceOp::BitOr => "bit-or",
        ReduceOp::BitXor => "bit-xor",
        ReduceOp::MaximumLocation => "maximum-location",
        ReduceOp::MinimumLocation => "minimum-location",
        ReduceOp::User { commutes: true } => "user",
        ReduceOp::User { commutes: false } => "user-ordered",
    }
}

pub(super) fn parse_reduce_op(word: &str) -> Option<ReduceOp> {
    const ALL: [ReduceOp; 14] = [
        ReduceOp::Sum,
        ReduceOp::Product,
        ReduceOp::Maximum,
        ReduceOp::Minimum,
        ReduceOp::LogicalAnd,
        ReduceOp::LogicalOr,
        ReduceOp::LogicalXor,
        ReduceOp::BitAnd,
        ReduceOp::BitOr,
        ReduceOp::BitXor,
        ReduceOp::MaximumLocation,
        ReduceOp::MinimumLocation,
        ReduceOp::User { commutes: true },
        ReduceOp::User { commutes: false },
    ];
    ALL.into_iter().find(|&op| reduce_op(op) == word)
}

/// Forms of a basic datatype, for messages.
pub(super) const BASIC_FORM: &str =
    "byte, character, integer4, unsigned4, real8, complex16, logical4 or pair8+4";

pub(super) fn basic(element: BasicDatatype) -> String {
    match element {
        BasicDatatype::Byte => "byte".into(),
        BasicDatatype::Character => "character".into(),
        BasicDatatype::Integer(bytes) => format!("integer{bytes}"),
        BasicDatatype::Unsigned(bytes) => format!("unsigned{bytes}"),
        BasicDatatype::Real(bytes) => format!("real{bytes}"),
        BasicDatatype::Complex(bytes) => format!("complex{bytes}"),
        BasicDatatype::Logical(bytes) => format!("logical{bytes}"),
        BasicDatatype::Pair(value, index) => format!("pair{value}+{index}"),
    }
}

pub(super) fn parse_basic(word: &str) -> Option<BasicDatatype> {
    let digits = word
        .find(|c: char| c.is_ascii_digit())
        .unwrap_or(word.len());
    // No name of a type contains a digit, so the first one begins the size.
    let (name, size) = word.split_at(digits);
    let bytes = || size.parse().ok();
    match name {
        "byte" if size.is_empty() => Some(BasicDatatype::Byte),
        "character" if size.is_empty() => Some(BasicDatatype::Character),
        "integer" => Some(BasicDatatype::Integer(bytes()?)),
        "unsigned" => Some(BasicDatatype::Unsigned(bytes()?)),
        "real" => Some(BasicDatatype::Real(bytes()?)),
        "complex" => Some(BasicDatatype::Complex(bytes()?)),
        "logical" => Some(BasicDatatype::Logical(bytes()?)),
        "pair" => {
            let (value, index) = size.split_once('+')?;
            Some(BasicDatatype::Pair(
                value.parse().ok()?,
                index.parse().ok()?,
            ))
        }
        _ => None,
    }
}

/// `real8` for a basic type, otherwise `real8*10@0 real8*10@160 extent 320`: runs of an element,
/// how many, at which byte.
pub(super) fn datatype(datatype: &Datatype) -> String {
    // One element with another extent is not basic and needs the long form.
    if let [(element, 1, 0)] = datatype.runs.as_slice()
        && *datatype == Datatype::basic(*element)
    {
        return basic(*element);
    }
    let run = |(element, count, at): &(BasicDatatype, u64, i64)| {
        format!("{}*{count}@{at} ", basic(*element))
    };
    format!(
        "{}extent {}",
        datatype.runs.iter().map(run).collect::<String>(),
        datatype.extent
    )
}

pub(super) fn parse_run(word: &str) -> Option<(BasicDatatype, u64, i64)> {
    let (element, place) = word.split_once('*')?;
    let (count, at) = place.split_once('@')?;
    Some((parse_basic(element)?, count.parse().ok()?, at.parse().ok()?))
}

pub(super) fn formula_step(step: FormulaStep) -> String {
    match step {
        FormulaStep::Rank => "rank".into(),
        FormulaStep::Ranks => "ranks".into(),
        FormulaStep::Number(number) => number.to_string(),
        FormulaStep::Add => "+".into(),
        FormulaStep::Subtract => "-".into(),
        FormulaStep::Multiply => "*".into(),
        FormulaStep::Divide => "/".into(),
        FormulaStep::Modulo => "mod".into(),
        FormulaStep::Xor => "xor".into(),
    }
}

pub(super) fn parse_formula_step(word: &str) -> Option<FormulaStep> {
    Some(match word {
        "rank" => FormulaStep::Rank,
        "ranks" => FormulaStep::Ranks,
        "+" => FormulaStep::Add,
        "-" => FormulaStep::Subtract,
        "*" => FormulaStep::Multiply,
        "/" => FormulaStep::Divide,
        "mod" => FormulaStep::Modulo,
        "xor" => FormulaStep::Xor,
        _ => FormulaStep::Number(word.parse().ok()?),
    })
}
