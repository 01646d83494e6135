//! The two sides of a comparison, and the conditions under which they can be compared.

use super::error::CompareError;
use super::names;
use base_data::compute_data::Unit;
use base_data::estimate_file::Estimate;
use base_data::observation::Observation;
use base_data::program_data::{Mark, Op, ProgramData};
use serde::Serialize;

/// One of each side: A, the first that the user named, and B.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Both<T> {
    /// Of A.
    pub a: T,
    /// Of B.
    pub b: T,
}

impl<T> Both<T> {
    /// The same done to both.
    pub fn map<U>(self, mut each: impl FnMut(T) -> U) -> Both<U> {
        Both {
            a: each(self.a),
            b: each(self.b),
        }
    }

    /// The same done to both; the first failure ends it.
    ///
    /// # Errors
    /// That of `each`.
    pub fn try_map<U, E>(self, mut each: impl FnMut(T) -> Result<U, E>) -> Result<Both<U>, E> {
        Ok(Both {
            a: each(self.a)?,
            b: each(self.b)?,
        })
    }

    /// Both by reference.
    pub fn as_ref(&self) -> Both<&T> {
        Both {
            a: &self.a,
            b: &self.b,
        }
    }

    /// Both, with the same place of `other`.
    pub fn zip<U>(self, other: Both<U>) -> Both<(T, U)> {
        Both {
            a: (self.a, other.a),
            b: (self.b, other.b),
        }
    }
}

/// A file to compare.
#[derive(Clone, Copy, Debug)]
pub struct ComparedFile<'a> {
    /// The file's name, as reports print it.
    pub name: &'a str,
    /// Its content.
    pub content: Content<'a>,
}

/// Content of a compared file.
#[derive(Clone, Copy, Debug)]
pub enum Content<'a> {
    /// Streams without times.
    Program(&'a ProgramData),
    /// A prediction.
    Estimate(&'a Estimate),
    /// A run.
    Observation(&'a Observation),
}

/// Kinds of content.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum ContentKind {
    /// Program data: streams without times.
    Program,
    /// An estimate.
    Estimate,
    /// An observation.
    Observation,
}

/// Name of a side.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SideName {
    /// The file's name.
    pub file: String,
    /// Its kind of content.
    pub kind: ContentKind,
    /// The program, without folders; may be empty.
    pub program: String,
    /// Computers it ran on, or the platform it was estimated for; may be empty.
    pub machine: String,
}

impl<'a> ComparedFile<'a> {
    /// Its streams with their tables.
    pub fn program(&self) -> &'a ProgramData {
        match self.content {
            Content::Program(program) => program,
            Content::Estimate(estimate) => &estimate.program,
            Content::Observation(observation) => &observation.program,
        }
    }

    /// Its kind of content.
    pub fn kind(&self) -> ContentKind {
        match self.content {
            Content::Program(_) => ContentKind::Program,
            Content::Estimate(_) => ContentKind::Estimate,
            Content::Observation(_) => ContentKind::Observation,
        }
    }

    /// What its times count; `None` if it has none.
    pub(super) fn unit(&self) -> Option<Unit> {
        match self.content {
            Content::Program(_) => None,
            Content::Estimate(estimate) => Some(estimate.unit),
            Content::Observation(observation) => Some(observation.unit),
        }
    }

    /// Whether times inside MPI are those of a run in which ranks took turns.
    pub(super) fn one_at_a_time(&self) -> bool {
        match self.content {
            Content::Program(_) | Content::Estimate(_) => false,
            Content::Observation(observation) => observation.one_at_a_time,
        }
    }

    /// Whether its times cover only the section that its streams mark.
    pub(super) fn covers_section_only(&self) -> bool {
        match self.content {
            Content::Program(_) | Content::Observation(_) => false,
            Content::Estimate(estimate) => {
                estimate.program.section.is_some() || self.marks_section()
            }
        }
    }

    /// Whether its streams contain marks of a section.
    pub(super) fn marks_section(&self) -> bool {
        self.has(|op| matches!(op, Op::Mark(Mark::SectionBegin | Mark::SectionEnd)))
    }

    /// Whether its streams contain compute blocks.
    pub(super) fn has_blocks(&self) -> bool {
        self.has(|op| matches!(op, Op::Block { .. }))
    }

    fn has(&self, wanted: fn(&Op) -> bool) -> bool {
        self.program()
            .classes
            .iter()
            .flat_map(|class| &class.stream)
            .any(wanted)
    }

    /// Its names in reports.
    pub(super) fn names(&self) -> SideName {
        let machine = match self.content {
            Content::Program(_) => String::new(),
            Content::Estimate(estimate) => estimate.platform.clone(),
            Content::Observation(observation) => hosts(observation),
        };
        let program = names::own_name(&self.program().provenance.program).into();
        SideName {
            file: self.name.into(),
            kind: self.kind(),
            program,
            machine,
        }
    }

    /// Refuses a run of which something is missing.
    fn check_complete(&self) -> Result<(), CompareError> {
        let Content::Observation(observation) = self.content else {
            return Ok(());
        };
        let mut missing = observation.missing.clone();
        let timed = |rank: &u32| {
            observation
                .ranks
                .get(*rank as usize)
                .is_some_and(|times| !times.durations.is_empty())
        };
        // A run that says itself what is missing needs no list of ranks.
        if missing.is_empty() {
            let without = (0..observation.program.ranks).filter(|rank| !timed(rank));
            missing.extend(without.map(|rank| format!("rank {rank} has no times")));
        }
        if missing.is_empty() {
            return Ok(());
        }
        Err(CompareError::Incomplete {
            name: self.name.into(),
            missing,
        })
    }
}

/// The computers of a run, each once.
fn hosts(observation: &Observation) -> String {
    let mut hosts: Vec<&str> = Vec::new();
    for host in observation.ranks.iter().map(|rank| rank.host.as_str()) {
        if !host.is_empty() && !hosts.contains(&host) {
            hosts.push(host);
        }
    }
    hosts.join(", ")
}

fn names(sides: &Both<ComparedFile<'_>>) -> (String, String) {
    (sides.a.name.into(), sides.b.name.into())
}

/// Refuses what cannot stand side by side.
pub(super) fn check(sides: &Both<ComparedFile<'_>>) -> Result<(), CompareError> {
    sides.a.check_complete()?;
    sides.b.check_complete()?;
    let ranks = (sides.a.program().ranks, sides.b.program().ranks);
    if ranks.0 != ranks.1 {
        return Err(CompareError::Ranks {
            names: names(sides),
            ranks,
        });
    }
    check_units(sides)
}

/// Refuses statements against time.
pub(super) fn check_units(sides: &Both<ComparedFile<'_>>) -> Result<(), CompareError> {
    match (sides.a.unit(), sides.b.unit()) {
        (Some(a), Some(b)) if a != b => Err(CompareError::Units {
            names: names(sides),
            units: (a, b),
        }),
        _ => Ok(()),
    }
}

/// Refuses programs that have no source file in common; asked where the streams differ.
pub(super) fn check_related(sides: &Both<ComparedFile<'_>>) -> Result<(), CompareError> {
    let files = sides.as_ref().map(|side| &side.program().table.files);
    let name = |path: &str| names::own_name(path).to_lowercase();
    let known = |path: &str| files.b.iter().any(|file| name(&file.path) == name(path));
    // Recordings without sources name no files, so nothing speaks against a common program.
    if files.a.is_empty() || files.b.is_empty() || files.a.iter().any(|file| known(&file.path)) {
        return Ok(());
    }
    let program =
        |side: &ComparedFile<'_>| names::own_name(&side.program().provenance.program).to_string();
    let programs = (program(&sides.a), program(&sides.b));
    Err(CompareError::OtherProgram {
        names: names(sides),
        programs,
    })
}

/// Refuses to cut what has no times.
pub(super) fn check_uncut(
    sides: &Both<ComparedFile<'_>>,
    is_cut: bool,
) -> Result<(), CompareError> {
    let untimed = [&sides.a, &sides.b]
        .into_iter()
        .find(|side| side.kind() == ContentKind::Program);
    match untimed {
        Some(side) if is_cut => Err(CompareError::NoTimes {
            name: side.name.into(),
        }),
        Some(_) | None => Ok(()),
    }
}

/// Why times inside MPI are not compared; empty if they are.
pub(super) fn computation_only(sides: &Both<ComparedFile<'_>>) -> String {
    if sides.a.unit() == Some(Unit::Statements) {
        return "statements are counted, and MPI calls have none".into();
    }
    match [&sides.a, &sides.b]
        .into_iter()
        .find(|side| side.one_at_a_time())
    {
        Some(side) => {
            format!(
                "the ranks of {} computed one at a time, so its times inside MPI are not \
                meaningful",
                side.name
            )
        }
        None => String::new(),
    }
}
