//! Output files of a run: from its beginning on an observation that is marked as incomplete, at its
//! end every rank's part in a folder beside it, from which `mpiete observe --gather` makes the
//! complete one. A partially written file never has the observation's name.

use crate::entry_lock;
use crate::mpi::Mpi;
use crate::observer::Observer;
use base_data::format;
use base_data::ids::Rank;
use base_data::observation::ObservedRank;
use base_data::provenance::Provenance;
use base_data::rank_recording::{RankObservation, RankRecording};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::SystemTime;
use token_runtime::observed_run::{self, Settings};
use token_runtime::termination;

/// Where the observation goes, and what it says of its run from the beginning.
pub struct Output {
    settings: Settings,
    provenance: Provenance,
    ranks: u32,
}

/// Nanoseconds since 1970.
pub fn since_1970(time: SystemTime) -> i64 {
    let since = time
        .duration_since(SystemTime::UNIX_EPOCH)
        .unwrap_or_default();
    i64::try_from(since.as_nanos()).unwrap_or(0)
}

impl Output {
    /// As the environment of this process says.
    pub fn of_this_process(mpi: &Mpi) -> Self {
        let settings = Settings::read(|name| std::env::var_os(name));
        let mut words = std::env::args_os().map(|word| word.to_string_lossy().into_owned());
        let provenance = Provenance {
            tool_version: env!("CARGO_PKG_VERSION").into(),
            date: settings.date.clone(),
            program: words.next().unwrap_or_default(),
            arguments: words.collect(),
            ranks: mpi.ranks,
            mpi_library: mpi.name.clone(),
            ..Provenance::default()
        };
        Self {
            settings,
            provenance,
            ranks: mpi.ranks,
        }
    }

    /// Whether one rank at a time is to compute.
    pub fn wants_one_at_a_time(&self) -> bool {
        self.settings.one_at_a_time
    }

    /// Writes an observation that has seen nothing yet.
    ///
    /// # Errors
    ///
    /// It cannot be written, as a sentence.
    pub fn announce(&self) -> Result<(), String> {
        self.write_missing("the run did not reach MPI_Finalize on all ranks".into()).map_err(|error| {
            let file = self.settings.output.display();
            format!("{file} cannot be written ({error}); name another file with `mpiete observe -o FILE`")
        })
    }

    /// Writes an observation that says what is missing; if even that is not possible, the one that
    /// is there stays and is incomplete, too.
    pub fn write_incomplete(&self, sentence: String) {
        eprintln!("mpiete: the observation is incomplete: {sentence}");
        if let Err(error) = self.write_missing(sentence) {
            eprintln!(
                "mpiete: {} cannot be written: {error}",
                self.settings.output.display()
            );
        }
    }

    fn write_missing(&self, sentence: String) -> std::io::Result<()> {
        let unfinished =
            observed_run::unfinished(self.ranks, self.provenance.clone(), vec![sentence]);
        observed_run::write_whole(&self.settings.output, &format::encode(&unfinished))
    }
}

/// What the first rank does when MPI is over.
pub struct Gather {
    folder: PathBuf,
    output: Output,
}

/// Writes this rank's part, collectively. Gives what is left to do, on the first rank of a run whose
/// parts are all there.
pub fn leave(observer: Box<Observer>) -> Option<Gather> {
    let Observer { mpi, output, .. } = &*observer;
    let (rank, ranks) = (mpi.rank, mpi.ranks);
    let folder = match rank {
        0 => observed_run::parts_folder(&output.settings.output).map_err(|error| error.to_string()),
        _ => Ok(PathBuf::new()),
    };
    let gather_members = mpi.text_of_first(
        &folder
            .as_ref()
            .map_or_else(|_| String::new(), |f| f.to_string_lossy().into()),
    );
    if gather_members.is_empty() {
        if let Err(error) = folder {
            output.write_incomplete(format!("the ranks' parts cannot be put beside it: {error}"));
        }
        return None;
    }
    let folder = PathBuf::from(gather_members);
    let (part, mpi, output) = part(observer);
    let written = termination::write(&termination::recording_path(&folder, rank), &part);
    drop(part);
    // Of the ranks that failed, the highest says so in the file.
    let failed = mpi.largest_of_all(if written.is_err() { rank as i32 + 1 } else { 0 });
    if failed == 0 {
        return if rank == 0 {
            Some(Gather { folder, output })
        } else {
            None
        };
    }
    if rank == 0 {
        // Nothing can be made of these parts, and what says so needs room.
        let _ = std::fs::remove_dir_all(&folder);
    }
    mpi.barrier();
    if let Err(error) = written {
        let sentence = format!(
            "rank {rank} of {ranks} cannot write its part into {}: {error}",
            folder.display()
        );
        match failed == rank as i32 + 1 {
            true => output.write_incomplete(sentence),
            false => eprintln!("mpiete: {sentence}"),
        }
    }
    None
}

/// What this rank has observed.
fn part(observer: Box<Observer>) -> (RankObservation, Mpi, Output) {
    let missing = missing(&observer);
    let Observer {
        mpi,
        output,
        stream,
        times,
        entered_at,
        unsupported,
        ..
    } = *observer;
    let mut recording = RankRecording {
        rank: Some(Rank(mpi.rank)),
        finalized: true,
        unit: times.unit(),
        ..Default::default()
    };
    stream.finish(&mut recording, native::loaded_objects::locate);
    let part = RankObservation {
        recording,
        times: ObservedRank {
            host: host(),
            ..times.finish()
        },
        entered: entered_at,
        mpi_library: mpi.name.clone(),
        one_at_a_time: output.wants_one_at_a_time() || mpi.is_token_runtime(),
        left_out: unsupported
            .into_iter()
            .map(|(name, times)| (name.to_string(), times))
            .collect(),
        missing,
    };
    (part, mpi, output)
}

fn missing(observer: &Observer) -> Vec<String> {
    let overlapped = if entry_lock::overlapped() {
        Some(
            "two threads were inside MPI at once; calls of the second are not in the stream"
                .to_string(),
        )
    } else {
        None
    };
    observer.stopped.iter().cloned().chain(overlapped).collect()
}

fn host() -> String {
    std::fs::read_to_string("/proc/sys/kernel/hostname")
        .unwrap_or_default()
        .trim()
        .to_string()
}

impl Gather {
    /// Has the parts put together by the tool, without this library in it.
    pub fn run(self) {
        let Self { folder, output } = self;
        let Settings {
            output: file,
            tool,
            study,
            ..
        } = &output.settings;
        let mut command = Command::new(tool);
        command
            .args(["observe", "--gather"])
            .arg(&folder)
            .arg("-o")
            .arg(file);
        if let Some(study) = study {
            command.arg("--study").arg(study);
        }
        command
            .arg("--")
            .arg(&output.provenance.program)
            .args(&output.provenance.arguments);
        command
            .env_remove("LD_PRELOAD")
            .stdin(Stdio::null())
            .stdout(std::io::stderr());
        match command.status() {
            Ok(status) if status.success() => {}
            // It has said why, and written it into the observation.
            Ok(_) => eprintln!(
                "mpiete: the ranks' parts are kept; {}",
                remedy(&folder, &output)
            ),
            Err(error) => output.write_incomplete(format!(
                "the ranks' parts were not put together, since {} cannot be started ({error}); {}",
                tool.display(),
                remedy(&folder, &output)
            )),
        }
    }
}

/// What a person can do.
fn remedy(folder: &Path, output: &Output) -> String {
    let (folder, file) = (folder.display(), output.settings.output.display());
    let program = &output.provenance.program;
    format!("put them together with `mpiete observe --gather {folder} -o {file} -- {program}`")
}
