//! Settings that the host passes to a rank in environment variables: one function writes them, another reads them.

use crate::measure::{Cutting, StoppingRule};
use std::path::PathBuf;
use std::time::Duration;

/// Path of the shared memory.
pub const SEGMENT: &str = "MPIETE_SEGMENT";
/// Path of the part of it that lies on disk, if there is one.
pub const SPILL: &str = "MPIETE_SPILL";
/// For the host: bytes that messages on their way may take at most, where its own choice does not
/// fit.
pub const HEAP: &str = "MPIETE_HEAP";
/// For the host: bytes that messages may take on disk when memory is full and no rank can progress, where
/// its own choice does not fit; 0 for none.
pub const DISK: &str = "MPIETE_DISK";
/// For the host: seconds that ranks may poll without progress before the run ends; 0 for ever.
pub const POLL_TIMEOUT: &str = "MPIETE_POLL_TIMEOUT";
/// `0` lets the ranks run on all processors instead of one.
pub const PIN: &str = "MPIETE_PIN";
/// Process id of the host, where rank 0 may be forked into all ranks at `MPI_Init`.
pub const FORK: &str = "MPIETE_FORK";
/// The program of the host's command, where rank 0 may be forked into all ranks.
pub const PROGRAM: &str = "MPIETE_PROGRAM";
/// `1` where the ranks that rank 0 is forked into run one by one, each alone.
pub const SOLO: &str = "MPIETE_SOLO";
/// Folder of the data that a solo rank receives (`replay_input`).
pub const REPLAY_INPUT: &str = "MPIETE_REPLAY_INPUT";
/// Folder of the message logs that ranks write, for a later replay.
pub const MESSAGE_LOG: &str = "MPIETE_MESSAGE_LOG";
/// This rank.
pub const RANK: &str = "MPIETE_RANK";
/// Number of this rank's program among those of the run, from 0.
pub const APPLICATION: &str = "MPIETE_APPLICATION";
/// The process that is this rank, in [`OWNER_DIGITS`] digits; 0 until there is one. The rank's process
/// writes it into its own environment, so that programs it starts find that they are no rank.
pub const OWNER: &str = "MPIETE_OWNER";
/// Digits of [`OWNER`]: those of the largest process id, and more.
pub const OWNER_DIGITS: usize = 10;
/// Process id of the host.
pub const HOST: &str = "MPIETE_HOST";
/// Folder of the libraries that the dynamic loader preloads.
pub const LIBRARIES: &str = "MPIETE_LIBRARIES";
/// For the host: `1` starts each rank as a process of its own.
pub const SPAWN: &str = "MPIETE_SPAWN";
/// Mode of the run: `token`, `record`, `measure` or `emulate`.
pub const MODE: &str = "MPIETE_MODE";
/// Folder the rank leaves its recording in.
pub const FOLDER: &str = "MPIETE_FOLDER";
/// When blocks are measured well enough: relative interval, samples, budget in nanoseconds, place in
/// [`Cutting::ALL`].
pub const STOPPING_RULE: &str = "MPIETE_STOPPING_RULE";

/// What programs and scripts read to learn their rank without MPI, as MPICH's `mpiexec` sets it.
pub const LAUNCHER_RANKS: [&str; 2] = ["PMI_RANK", "MPI_LOCALRANKID"];
const LAUNCHER_SIZES: [&str; 2] = ["PMI_SIZE", "MPI_LOCALNRANKS"];

/// The variables of MPICH's `mpiexec` for a rank, with all ranks on one node.
pub fn launcher_variables(rank: u32, ranks: u32) -> Vec<(&'static str, String)> {
    let own = LAUNCHER_RANKS.map(|name| (name, rank.to_string()));
    let common = LAUNCHER_SIZES.map(|name| (name, ranks.to_string()));
    own.into_iter().chain(common).collect()
}

/// Variables with which a launcher's processes reach it: PMI of MPICH, its relatives and Slurm; PMIx of Open MPI and Slurm. Ranks
/// get none of the host's: a process inside a run that has one was started by another launcher there.
pub const LAUNCHER_CONNECTIONS: [&str; 3] = ["PMI_FD", "PMI_PORT", "PMIX_NAMESPACE"];
/// Variables in which those launchers give the number of ranks.
const LAUNCHED_SIZES: [&str; 3] = ["PMI_SIZE", "OMPI_COMM_WORLD_SIZE", "SLURM_STEP_NUM_TASKS"];

/// How a launcher other than the host has started this process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OtherLauncher {
    /// The variable that shows it.
    pub variable: &'static str,
    /// Ranks that it has started, if it says so.
    pub ranks: Option<u32>,
}

impl OtherLauncher {
    /// From environment variables; `None` if there is no such launcher.
    pub fn read(get: impl Fn(&str) -> Option<String>) -> Option<Self> {
        let variable = LAUNCHER_CONNECTIONS
            .into_iter()
            .find(|name| get(name).is_some())?;
        let ranks = LAUNCHED_SIZES
            .into_iter()
            .find_map(|name| get(name)?.parse().ok());
        Some(Self { variable, ranks })
    }
}

/// Variables that describe a rank to its process ([`Settings::variables`], [`LIBRARIES`]).
pub const OF_RANK: [&str; 15] = [
    SEGMENT,
    SPILL,
    FORK,
    PROGRAM,
    SOLO,
    REPLAY_INPUT,
    MESSAGE_LOG,
    RANK,
    APPLICATION,
    OWNER,
    HOST,
    LIBRARIES,
    MODE,
    FOLDER,
    STOPPING_RULE,
];

/// Mode of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mode {
    /// The program runs, one rank at a time.
    #[default]
    Token,
    /// The ranks record their event streams.
    Record,
    /// The ranks measure their blocks.
    Measure,
    /// The ranks run in the virtual time of an engine, and record their event streams.
    Emulate,
}

impl Mode {
    /// Its word in the environment.
    pub fn word(self) -> &'static str {
        match self {
            Mode::Token => "token",
            Mode::Record => "record",
            Mode::Measure => "measure",
            Mode::Emulate => "emulate",
        }
    }

    fn from_word(word: &str) -> Option<Self> {
        [Mode::Token, Mode::Record, Mode::Measure, Mode::Emulate]
            .into_iter()
            .find(|mode| mode.word() == word)
    }
}

/// Settings of one rank.
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    /// Path of the shared memory.
    pub segment: PathBuf,
    /// Path of the part of it that lies on disk.
    pub spill: Option<PathBuf>,
    /// This rank.
    pub rank: u32,
    /// Number of its program among those of the run, from 0.
    pub application: u32,
    /// Mode of the run.
    pub mode: Mode,
    /// Folder the rank leaves its recording in.
    pub folder: PathBuf,
    /// When blocks are measured well enough.
    pub rule: StoppingRule,
    /// Process id of the host, if this process may become all ranks at `MPI_Init`.
    pub fork: Option<u32>,
    /// The program that the host started, if this process may become all ranks.
    pub program: Option<PathBuf>,
    /// Whether the ranks that it becomes run one by one, each alone.
    pub solo: bool,
    /// Folder of its replay input, if it is a representative.
    pub replay_input: Option<PathBuf>,
    /// Folder that it keeps what calls bring in.
    pub message_log: Option<PathBuf>,
}

impl Settings {
    /// As environment variables.
    pub fn variables(&self) -> Vec<(&'static str, String)> {
        let rule = &self.rule;
        let (interval, samples) = (rule.relative_interval, rule.minimum_samples);
        let [budget, minimum_time] = [rule.budget, rule.minimum_time].map(|time| time.as_nanos());
        let fork = self.fork.map(|host| (FORK, host.to_string()));
        let spill = self
            .spill
            .as_ref()
            .map(|path| (SPILL, path.to_string_lossy().into_owned()));
        let all = [
            (SEGMENT, self.segment.to_string_lossy().into_owned()),
            (RANK, self.rank.to_string()),
            (APPLICATION, self.application.to_string()),
            // In full length, since the rank overwrites the digits in place.
            (OWNER, "0".repeat(OWNER_DIGITS)),
            (HOST, std::process::id().to_string()),
            (MODE, self.mode.word().to_string()),
            (FOLDER, self.folder.to_string_lossy().into_owned()),
            (
                STOPPING_RULE,
                format!(
                    "{interval},{samples},{budget},{minimum_time},{}",
                    rule.cutting as usize
                ),
            ),
        ];
        let solo = if self.solo {
            Some((SOLO, "1".to_string()))
        } else {
            None
        };
        let path = |name, path: &Option<PathBuf>| {
            path.as_ref()
                .map(|path| (name, path.to_string_lossy().into_owned()))
        };
        let folders = [
            path(PROGRAM, &self.program),
            path(REPLAY_INPUT, &self.replay_input),
            path(MESSAGE_LOG, &self.message_log),
        ]
        .into_iter()
        .flatten();
        all.into_iter()
            .chain(fork)
            .chain(spill)
            .chain(solo)
            .chain(folders)
            .collect()
    }

    /// From environment variables; `Ok(None)` if no host started this process.
    pub fn read(get: impl Fn(&str) -> Option<String>) -> Result<Option<Self>, String> {
        let Some(segment) = get(SEGMENT) else {
            return Ok(None);
        };
        let required = |name: &str| {
            get(name).ok_or_else(|| format!("the environment variable {name} is missing"))
        };
        let bad = |name: &str, value: &str| {
            format!("the environment variable {name} cannot be '{value}'")
        };
        let rank = required(RANK)?;
        let mode = required(MODE)?;
        let rule = required(STOPPING_RULE)?;
        let application = required(APPLICATION)?;
        Ok(Some(Self {
            segment: PathBuf::from(segment),
            spill: get(SPILL).map(PathBuf::from),
            rank: rank.parse().map_err(|_| bad(RANK, &rank))?,
            application: application
                .parse()
                .map_err(|_| bad(APPLICATION, &application))?,
            mode: Mode::from_word(&mode).ok_or_else(|| bad(MODE, &mode))?,
            folder: PathBuf::from(required(FOLDER)?),
            rule: parse_stopping_rule(&rule).ok_or_else(|| bad(STOPPING_RULE, &rule))?,
            fork: get(FORK)
                .map(|host| host.parse().map_err(|_| bad(FORK, &host)))
                .transpose()?,
            program: get(PROGRAM).map(PathBuf::from),
            solo: get(SOLO).is_some(),
            replay_input: get(REPLAY_INPUT).map(PathBuf::from),
            message_log: get(MESSAGE_LOG).map(PathBuf::from),
        }))
    }
}

fn parse_stopping_rule(text: &str) -> Option<StoppingRule> {
    let mut parts = text.split(',');
    let rule = StoppingRule {
        relative_interval: parts.next()?.parse().ok()?,
        minimum_samples: parts.next()?.parse().ok()?,
        budget: Duration::from_nanos(parts.next()?.parse().ok()?),
        minimum_time: Duration::from_nanos(parts.next()?.parse().ok()?),
        cutting: *Cutting::ALL.get(parts.next()?.parse::<usize>().ok()?)?,
    };
    if parts.next().is_none() {
        Some(rule)
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings() -> Settings {
        Settings {
            segment: "/proc/1/fd/3".into(),
            spill: Some("/proc/1/fd/4".into()),
            rank: 7,
            application: 1,
            mode: Mode::Measure,
            folder: "/a b".into(),
            rule: StoppingRule {
                relative_interval: 0.02,
                minimum_samples: 5,
                cutting: Cutting::Outermost,
                budget: Duration::from_millis(1500),
                minimum_time: Duration::from_millis(100),
            },
            fork: Some(17),
            program: Some("/c/d e".into()),
            solo: true,
            replay_input: Some("/fed from".into()),
            message_log: Some("/kept in".into()),
        }
    }

    #[test]
    fn settings_round_trip_through_environment() {
        let variables = settings().variables();
        let get = |name: &str| {
            variables
                .iter()
                .find(|(n, _)| *n == name)
                .map(|(_, v)| v.clone())
        };
        assert_eq!(Settings::read(get), Ok(Some(settings())));
        assert!(variables.iter().all(|(name, _)| OF_RANK.contains(name)));
    }

    #[test]
    fn other_launchers_are_recognised_by_their_connections() {
        let read = |given: &[(&str, &str)]| {
            OtherLauncher::read(|name| {
                let found = given.iter().find(|(given, _)| *given == name);
                found.map(|(_, value)| value.to_string())
            })
        };
        let of_host = launcher_variables(1, 2);
        let of_host: Vec<_> = of_host.iter().map(|(n, v)| (*n, v.as_str())).collect();
        assert_eq!(read(&of_host), None);
        let mpich = read(&[("PMI_FD", "8"), ("PMI_SIZE", "4")]);
        let open_mpi = read(&[("PMIX_NAMESPACE", "a"), ("OMPI_COMM_WORLD_SIZE", "3")]);
        let pmi2 = read(&[("PMI_PORT", "host:1")]);
        let found = [mpich, open_mpi, pmi2].map(|found| found.map(|one| (one.variable, one.ranks)));
        let expected = [
            Some(("PMI_FD", Some(4))),
            Some(("PMIX_NAMESPACE", Some(3))),
            Some(("PMI_PORT", None)),
        ];
        assert_eq!(found, expected);
    }

    #[test]
    fn missing_settings_are_none_and_partial_settings_fail() {
        assert_eq!(Settings::read(|_| None), Ok(None));
        let error = Settings::read(|name| (name == SEGMENT).then(|| "x".to_string())).unwrap_err();
        assert!(error.contains(RANK), "{error}");
    }
}
