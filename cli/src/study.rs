//! The study: the folder that `prepare` writes and every later step reads, and the names of its files.

use crate::build::Language;
use crate::{files, section, trip_counts};
use anyhow::{Context, Result, bail};
use base_data::block_table::{BlockTable, SourceSpan};
use base_data::compute_data::Unit;
use base_data::ids::{BlockId, CallSiteId, Digest};
use base_data::program_data::{
    Allocation, Assumption, Mark, Op, ProgramData, RecordMethod, TimeDependentPlace,
};
use base_data::provenance::Provenance;
use base_data::rank_recording::ConditionCount;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

/// Version of `study.json`.
const FORMAT: u32 = 5;
/// The file that makes a folder a study.
pub const MARKER: &str = "study.json";

/// Contents of `study.json`.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Study {
    /// Version of this form.
    pub format: u32,
    /// Name of the program, for people.
    pub name: String,
    /// Digest over all sources.
    pub sources: Digest,
    /// Blocks, call sites, loops.
    pub table: BlockTable,
    /// Assumptions of the slice.
    pub assumptions: Vec<Assumption>,
    /// Where the sequence of calls may depend on time.
    pub time_dependent: Vec<TimeDependentPlace>,
    /// Calls that complete requests or probe for messages in an order that does not matter.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub order_independent: Vec<CallSiteId>,
    /// Whether code that was not analysed refers to a clock which the analysed sources may read, too.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub external_clock: bool,
    /// Compute blocks whose work depends on data that other ranks may send.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub message_dependent: Vec<BlockId>,
    /// Compute blocks whose work depends on which of several unequal procedures is called.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub callee_dependent: Vec<BlockId>,
    /// Limitations of predictions, one sentence each.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unpredicted: Vec<String>,
    /// The section to be predicted.
    pub section: Option<SourceSpan>,
    /// The reason for the section if the user did not choose it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub section_reason: String,
    /// Executable statements kept by the slice, and all.
    pub slice_share: (u64, u64),
    /// The cause of a large slice, as a sentence.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub slice_cause: String,
    /// Where the program allocates memory.
    #[serde(default)]
    pub allocations: Vec<Allocation>,
    /// Bytes of all storage of constant size.
    #[serde(default)]
    pub static_memory: u64,
    /// The compiler that FC named when it was prepared; empty where it was not set.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub compiler: String,
    /// The words of FFLAGS when it was prepared.
    #[serde(default)]
    pub flags: Vec<String>,
    /// Source files of each probe in the order of compilation.
    pub files: Vec<StudyFile>,
    /// Other link inputs of the build; empty without an intercepted build.
    pub link: Vec<String>,
    /// Whether a source contains `use mpi`.
    pub uses_module: bool,
    /// Whether a source contains `use mpi_f08`.
    #[serde(default)]
    pub uses_mpi_f08: bool,
    /// Its probes.
    pub probes: Vec<Probe>,
    /// Unit in which the compute and the observed probe measure.
    pub unit: Unit,
}

/// A source file of a probe.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StudyFile {
    /// Path below the probe's folder; of a source in another language than Fortran, which is the same for
    /// all probes, below the study's.
    pub path: String,
    /// Language.
    pub language: Language,
    /// The flags that a build compiled it with; `None` for those of FFLAGS.
    pub flags: Option<Vec<String>>,
}

/// The probes of a study.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Probe {
    /// The sliced program.
    Program,
    /// The timed program.
    Compute,
    /// The whole program with the marks of the program probe.
    Reference,
    /// The whole program with begins and ends of blocks, for real runs.
    Observed,
    /// The unchanged program: the reference for the code alignment of the compute probe.
    Plain,
    /// The whole program, which measures the values of a meta-program's directives. `prepare` does not write it.
    Profile,
}

impl Probe {
    /// All that `prepare` writes.
    pub const ALL: [Probe; 4] = [
        Probe::Program,
        Probe::Compute,
        Probe::Reference,
        Probe::Observed,
    ];

    /// Name of its folder and of its make target.
    pub fn folder(self) -> &'static str {
        match self {
            Probe::Program => "program",
            Probe::Compute => "compute",
            Probe::Reference => "reference",
            Probe::Observed => "observed",
            Probe::Plain => "plain",
            Probe::Profile => "profile",
        }
    }
}

/// A study with its checksum, as stored in the file.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct ChecksummedStudy {
    /// Digest of the study's JSON.
    checksum: Digest,
    /// The study.
    study: Study,
}

impl ChecksummedStudy {
    fn of(study: &Study) -> Result<Self> {
        let text = serde_json::to_vec(study).context("the study cannot be written as JSON")?;
        Ok(Self {
            checksum: Digest::of(&text),
            study: study.clone(),
        })
    }
}

/// Reads the study in `folder`.
pub fn read(folder: &Path) -> Result<Study> {
    let path = folder.join(MARKER);
    if !path.is_file() {
        bail!(
            "{} is not a study: it contains no {MARKER}; create one with `mpiete prepare PROJECT -o \
            {0}`",
            folder.display()
        );
    }
    let text =
        std::fs::read(&path).with_context(|| format!("{} cannot be read", path.display()))?;
    let sealed: ChecksummedStudy = serde_json::from_slice(&text).map_err(|error| {
        anyhow::anyhow!(
            "{}: {error}; create the study again with `mpiete prepare`",
            path.display()
        )
    })?;
    let study = sealed.study;
    // Checked before the checksum: a study of another version has other fields, and its checksum
    // would not match either.
    if study.format != FORMAT {
        bail!(
            "{} has format {}, this version reads {FORMAT}; create the study again with `mpiete \
            prepare`",
            path.display(),
            study.format
        );
    }
    if ChecksummedStudy::of(&study)?.checksum != sealed.checksum {
        bail!(
            "{} was altered after it was written: its checksum does not match; create the study \
            again with `mpiete prepare`",
            path.display()
        );
    }
    Ok(study)
}

impl Study {
    /// A study in this version's form.
    pub fn format() -> u32 {
        FORMAT
    }

    /// Provenance of base data made from this study.
    pub fn provenance(&self) -> Provenance {
        let table = serde_json::to_vec(&self.table).unwrap_or_default();
        Provenance {
            program: self.name.clone(),
            sources: Some(self.sources),
            block_map: Some(Digest::of(&table)),
            ..crate::origin::now()
        }
    }

    /// Adds to recorded program data what only the analysis knows, and the trip counts that the ranks' conditions show.
    ///
    /// # Errors
    /// The section was not executed on some rank. Merging the ranks' recordings has already rejected a section that was
    /// executed twice.
    pub fn complete(
        &self,
        data: &mut ProgramData,
        conditions: &[Vec<ConditionCount>],
    ) -> Result<()> {
        if let Some(section) = &self.section {
            // Ranks without the section have no times to predict; exit code 2, since the section or
            // the input is wrong.
            let begin = Op::Mark(Mark::SectionBegin);
            let without = data
                .classes
                .iter()
                .find(|class| !class.stream.contains(&begin));
            if let Some(class) = without {
                let (section, ranks) = (self.table.place(section), &class.ranks);
                bail!(
                    "section {section}{} is executed 0 times between MPI_Init and MPI_Finalize on ranks {ranks}; {}",
                    section::in_parentheses(&self.section_reason),
                    section::REMEDY
                );
            }
        }
        data.section.clone_from(&self.section);
        data.assumptions.clone_from(&self.assumptions);
        // Conditions are counted where the slice assumes them; the whole program evaluates them.
        if data.method == RecordMethod::Sliced {
            trip_counts::append_iteration_counts(&mut data.assumptions, conditions);
        }
        // The study lists places in the analysed sources. The recording may have found one in a
        // library, which must survive.
        let outside = data.clock_outside().cloned();
        data.time_dependent.clone_from(&self.time_dependent);
        data.time_dependent.extend(outside);
        data.slice_share = Some(self.slice_share);
        data.allocations.clone_from(&self.allocations);
        for requested in &mut data.requested_memory {
            requested.bytes += self.static_memory;
        }
        Ok(())
    }

    /// Whether a block's time depends on data. A block that the table lacks counts as such: its work terms are not known.
    pub fn is_data_dependent(&self, block: BlockId) -> bool {
        match self.table.blocks.get(block.index()) {
            Some(block) => block.data_dependent,
            None => true,
        }
    }
}

/// Where the program data for `ranks` ranks are kept.
pub fn program_data(folder: &Path, ranks: u32) -> PathBuf {
    folder.join(format!("program-n{ranks}.mpiete"))
}

/// Where the program data of the whole program on `ranks` ranks are kept, with how often loops ran.
pub fn reference_data(folder: &Path, ranks: u32) -> PathBuf {
    folder.join(format!("reference-n{ranks}.mpiete"))
}

/// Where the compute data measured with `ranks` ranks are kept: of `copies` copies at once, with `threads` threads per rank.
pub fn compute_data(folder: &Path, ranks: u32, copies: u32, threads: u32) -> PathBuf {
    let mut name = format!("compute-n{ranks}");
    if copies != 1 {
        // The usual case has the short name, which documents and makefiles use.
        name += &format!("-k{copies}");
    }
    if threads != 1 {
        name += &format!("-t{threads}");
    }
    folder.join(name + ".mpiete")
}

/// Where the estimate for `ranks` ranks is kept.
pub fn estimate(folder: &Path, ranks: u32) -> PathBuf {
    folder.join(format!("estimate-n{ranks}.mpiete"))
}

/// All compute data of a study, in order of name.
pub fn all_compute_data(folder: &Path) -> Result<Vec<PathBuf>> {
    data_files(folder, "compute-")
}

/// All program data of a study, in order of name.
pub fn all_program_data(folder: &Path) -> Result<Vec<PathBuf>> {
    data_files(folder, "program-")
}

/// Data files of a study whose names begin so.
fn data_files(folder: &Path, beginning: &str) -> Result<Vec<PathBuf>> {
    let entries = std::fs::read_dir(folder)
        .with_context(|| format!("{} cannot be read", folder.display()))?;
    let mut found = Vec::new();
    for entry in entries.flatten() {
        let name = entry.file_name();
        let name = name.to_string_lossy();
        if name.starts_with(beginning) && name.ends_with(".mpiete") {
            found.push(entry.path());
        }
    }
    found.sort();
    Ok(found)
}

/// Fails if another command has written the study again since `study` was read.
pub fn check_unchanged(folder: &Path, study: &Study) -> Result<()> {
    let found = read(folder)?;
    if ChecksummedStudy::of(&found)?.checksum != ChecksummedStudy::of(study)?.checksum {
        bail!(
            "{} was prepared again while this command used it; run the command again",
            folder.display()
        );
    }
    Ok(())
}

/// Writes `study.json`.
pub fn write(folder: &Path, study: &Study) -> Result<()> {
    let text = serde_json::to_vec_pretty(&ChecksummedStudy::of(study)?).context(
        "the study cannot \
        be written as JSON",
    )?;
    files::write_bytes(&folder.join(MARKER), &text)
}
