//! Meta-programs: a language for what a program computes and communicates, after MegaScript (Yuyama et al. 2005). A
//! user describes a program that need not exist; the description becomes program data and compute data, which the
//! estimator treats like all others.
//!
//! The path: text becomes tokens (`lexer`) and a syntax tree ([`syntax`]), which is checked (`analysis`) and executed
//! rank by rank (`interpreter`). Statements without MPI calls amount to expected costs ([`costs`]) or random work
//! (`work`); the others become the rank's stream (`streams`), and equal streams one class (`classes`).
//!
//! The crate does no I/O.
#![forbid(unsafe_code)]

mod analysis;
mod arguments;
mod block_costs;
mod classes;
mod communicators;
mod conversion;
mod cost_curves;
mod costs;
mod decisions;
mod description;
mod fault;
mod flow;
mod groups;
mod interpreter;
mod iterations;
mod layout;
mod lexer;
mod operands;
mod parser;
pub mod profile;
mod random;
mod rank_vectors;
mod rolling;
mod streams;
pub mod syntax;
mod syntax_builders;
mod tables;
mod value;
mod work;

pub use arguments::Arguments;
pub use block_costs::VariantCosts;
pub use conversion::{MetaData, Units};
pub use costs::{COST_METHODS, CostMethod, Costs};
pub use description::describe;
pub use fault::{MetaError, Span};
pub use layout::format_source;

use analysis::Analysis;
use conversion::{Checked, Refusal};
use fault::Fault;
use interpreter::Together;
use profile::{Profile, ProfileValues};
use rank_vectors::RankSets;
use std::collections::BTreeMap;
use syntax::{Directive, SyntaxTree};

/// Why a meta-program cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// Something at a place of the source.
    #[error(transparent)]
    Place(#[from] MetaError),
    /// Something without a place.
    #[error("{file}: {message}")]
    Whole {
        /// The file, as the caller named it.
        file: String,
        /// What is wrong, and the remedy.
        message: String,
    },
}

/// A meta-program.
#[derive(Clone, Debug)]
pub struct MetaProgram {
    file: String,
    text: String,
    tree: SyntaxTree,
}

/// Expected costs by rank.
#[derive(Clone, Debug, PartialEq)]
pub struct RankCosts {
    /// Number of ranks.
    pub ranks: u32,
    /// Ranks of equal costs that follow each other: the last of them, and the costs of each.
    pub costs: Vec<(u32, Costs)>,
}

impl MetaProgram {
    /// Reads and checks a meta-program; messages name the file as it is given here.
    ///
    /// # Errors
    /// The first place that is wrong.
    pub fn parse(file: &str, text: &str) -> Result<Self, MetaError> {
        let located = |fault: Fault| fault.locate(file, text);
        let tree = parser::parse(text).map_err(located)?;
        Analysis::of(&tree).map_err(located)?;
        Ok(Self {
            file: file.into(),
            text: text.into(),
            tree,
        })
    }

    /// The syntax tree.
    pub fn tree(&self) -> &SyntaxTree {
        &self.tree
    }

    /// Its profiling directives in the order of the source, each once, with their places.
    pub fn directives(&self) -> Vec<(&Directive, Span)> {
        profile::directives(&self.tree)
    }

    /// Whether its result depends on the number of ranks, and no PARALLEL names that. Without one, it is that of one rank.
    pub fn needs_ranks(&self) -> bool {
        // `parse` has checked the tree: there is no error.
        Analysis::of(&self.tree).is_ok_and(|analysis| analysis.needs_ranks())
    }

    /// An error at a place of the meta-program.
    pub fn error(&self, span: Span, message: String) -> MetaError {
        Fault::new(span, message).locate(&self.file, &self.text)
    }

    /// Values of its directives from a profile. `time_unit` is the number of nanoseconds that count as 1.
    ///
    /// # Errors
    /// A directive that the profile does not contain.
    pub fn profile_values(
        &self,
        profile: &Profile,
        time_unit: f64,
    ) -> Result<ProfileValues, MetaError> {
        let located = |fault: Fault| fault.locate(&self.file, &self.text);
        ProfileValues::of(&self.tree, profile, time_unit).map_err(located)
    }

    fn checked<T>(
        &self,
        arguments: &Arguments,
        execute: impl FnOnce(&Checked<'_>) -> Result<T, Refusal>,
    ) -> Result<T, Error> {
        let located = |refusal: Refusal| match refusal {
            Refusal::At(fault) => Error::Place(fault.locate(&self.file, &self.text)),
            Refusal::Whole(message) => Error::Whole {
                file: self.file.clone(),
                message,
            },
        };
        // It borrows the tree, so it is not stored beside it. `parse` has checked the tree: this finds no error.
        let analysis = Analysis::of(&self.tree).map_err(|fault| located(fault.into()))?;
        arguments
            .check(&analysis)
            .map_err(|message| located(Refusal::Whole(message)))?;
        let checked = Checked {
            file: &self.file,
            text: &self.text,
            tree: &self.tree,
            analysis: &analysis,
            arguments,
        };
        execute(&checked).map_err(located)
    }

    /// The expected costs of every rank, for so many ranks, or as many as a PARALLEL names.
    ///
    /// # Errors
    /// A value that is not known or has no meaning, and a meta-program that does not end.
    pub fn costs(&self, arguments: &Arguments, ranks: Option<u32>) -> Result<RankCosts, Error> {
        self.checked(arguments, |checked| {
            // Expected values draw no random numbers: the seed has no effect.
            let mut interpreter = checked.interpreter(ranks, 0);
            let mut by_rank: BTreeMap<u32, Costs> = BTreeMap::new();
            let mut sets = RankSets::of(vec![interpreter.first_ranks()]);
            while let Some(ranks) = sets.next() {
                // A BREAK outside a FOR is rejected, so `flow.stays` is 1 and `flow.stay` is the whole amount.
                let beginning = interpreter.begin_together(&ranks);
                let flow = interpreter.amount::<Costs>(&checked.tree.body.statements);
                match interpreter.end_together(beginning, flow)? {
                    Together::Done(flow) => {
                        by_rank.extend(ranks.iter().map(|&rank| (rank, flow.stay)));
                    }
                    Together::Parted(parting) => sets.part(parting),
                }
            }
            let mut costs: Vec<(u32, Costs)> = Vec::new();
            for (rank, own) in by_rank {
                match costs.last_mut() {
                    Some((end, known)) if *known == own => *end = rank,
                    _ => costs.push((rank, own)),
                }
            }
            let ranks = interpreter.final_ranks();
            Ok(RankCosts { ranks, costs })
        })
    }

    /// The number of ranks that a PARALLEL names, or 1 without any; `None` if a value that determines it is not known.
    pub fn parallel_ranks(&self, arguments: &Arguments) -> Option<u32> {
        let ranks = self.checked(arguments, |checked| {
            let mut interpreter = checked.interpreter(None, 0);
            interpreter.begin_ranks(&[0]);
            let result = interpreter.amount::<Costs>(&checked.tree.body.statements);
            // An unknown value behind the PARALLEL, such as that of a directive, does not change the number of ranks.
            Ok(match (interpreter.known_ranks(), result) {
                (Some(ranks), _) => Some(ranks),
                (None, Ok(_)) => Some(1),
                (None, Err(_)) => None,
            })
        });
        ranks.ok().flatten()
    }

    /// Program data and compute data for so many ranks, or as many as a PARALLEL names. The seed determines
    /// random outcomes.
    ///
    /// # Errors
    /// See [`MetaProgram::costs`]; also partners that are missing, and too many different calls.
    pub fn base_data(
        &self,
        arguments: &Arguments,
        ranks: Option<u32>,
        units: Units,
        seed: u64,
    ) -> Result<MetaData, Error> {
        self.checked(arguments, |checked| checked.base_data(ranks, units, seed))
    }
}
