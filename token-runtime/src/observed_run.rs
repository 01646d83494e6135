//! An observed run between those who take part in it: `mpiete observe`, which starts it, the
//! observer in its ranks, and `mpiete observe --gather`, which puts together what they left.

use base_data::observation::Observation;
use base_data::program_data::{Communicator, ProgramData, RankClass, RecordMethod};
use base_data::provenance::Provenance;
use base_data::rank_set::RankSet;
use std::ffi::OsString;
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

/// The file to write.
pub const OUTPUT: &str = "MPIETE_OBSERVE_OUTPUT";
/// The program that puts the parts together.
pub const TOOL: &str = "MPIETE_OBSERVE_TOOL";
/// The study whose marks the program carries.
pub const STUDY: &str = "MPIETE_OBSERVE_STUDY";
/// Set if one rank of a computer is to compute at a time.
pub const ONE_AT_A_TIME: &str = "MPIETE_OBSERVE_ONE_AT_A_TIME";
/// When the run was started, as provenance writes it.
pub const DATE: &str = "MPIETE_OBSERVE_DATE";

/// The file that is written by default.
pub const DEFAULT_OUTPUT: &str = "observation.mpiete";

/// Settings of the observer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settings {
    /// The file to write.
    pub output: PathBuf,
    /// The program that puts the parts together.
    pub tool: PathBuf,
    /// The study whose marks the program carries; looked for beside the program if `None`.
    pub study: Option<PathBuf>,
    /// When the run was started.
    pub date: String,
    /// Whether one rank of a computer is to compute at a time.
    pub one_at_a_time: bool,
}

impl Settings {
    /// As environment variables.
    pub fn variables(&self) -> Vec<(&'static str, OsString)> {
        let mut variables = vec![
            (OUTPUT, self.output.clone().into()),
            (TOOL, self.tool.clone().into()),
            (DATE, self.date.clone().into()),
        ];
        if self.one_at_a_time {
            variables.push((ONE_AT_A_TIME, "1".into()));
        }
        variables.extend(self.study.iter().map(|study| (STUDY, study.clone().into())));
        variables
    }

    /// From environment variables. A program that was linked with the observer starts without them
    /// and writes to its working directory.
    pub fn read(get: impl Fn(&str) -> Option<OsString>) -> Self {
        Self {
            output: get(OUTPUT).unwrap_or_else(|| DEFAULT_OUTPUT.into()).into(),
            tool: get(TOOL).unwrap_or_else(|| "mpiete".into()).into(),
            study: get(STUDY).map(PathBuf::from),
            date: get(DATE)
                .map(|date| date.to_string_lossy().into_owned())
                .unwrap_or_default(),
            one_at_a_time: get(ONE_AT_A_TIME).is_some(),
        }
    }
}

/// An observation that holds nothing but why.
pub fn unfinished(ranks: u32, provenance: Provenance, missing: Vec<String>) -> Observation {
    let all = RankSet::all(ranks);
    let communicator = |group| Communicator {
        parent: None,
        sequence: 0,
        group,
    };
    let program = ProgramData {
        provenance,
        ranks,
        method: RecordMethod::Unsliced,
        communicators: vec![communicator(all.clone()), communicator(RankSet::default())],
        classes: vec![RankClass {
            ranks: all,
            stream: Vec::new(),
        }],
        ..ProgramData::default()
    };
    Observation {
        program,
        missing,
        ..Observation::default()
    }
}

/// Writes a file whole or not at all, readable for all users.
pub fn write_whole(path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    let mut file = tempfile::NamedTempFile::new_in(folder_of(path))?;
    file.write_all(bytes)?;
    // A temporary file is readable for its owner only.
    file.as_file()
        .set_permissions(std::fs::Permissions::from_mode(0o644))?;
    // Before it gets its name: after a failure of the machine the name must not stand for an empty file.
    file.as_file().sync_all()?;
    file.persist(path)?;
    Ok(())
}

/// A fresh folder beside `output` for what the ranks leave.
pub fn parts_folder(output: &Path) -> std::io::Result<PathBuf> {
    let name = output.file_name().unwrap_or_default().to_string_lossy();
    let only_own = std::fs::Permissions::from_mode(0o700);
    let mut builder = tempfile::Builder::new();
    let builder = builder.permissions(only_own);
    let folder = builder
        .prefix(&format!(".{name}.parts-"))
        .tempdir_in(folder_of(output))?;
    std::path::absolute(folder.keep())
}

fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(parent) if parent != Path::new("") => parent,
        Some(_) | None => Path::new("."),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use base_data::format;

    #[test]
    fn settings_round_trip() {
        let settings = Settings {
            output: "/a b/o.mpiete".into(),
            tool: "/bin/mpiete".into(),
            study: Some("/study".into()),
            date: "2026-01-02T03:04:05Z".into(),
            one_at_a_time: true,
        };
        let variables = settings.variables();
        let get = |name: &str| {
            variables
                .iter()
                .find(|(n, _)| *n == name)
                .map(|(_, value)| value.clone())
        };
        assert_eq!(Settings::read(get), settings);
        assert_eq!(Settings::read(|_| None).output, Path::new(DEFAULT_OUTPUT));
    }

    #[test]
    fn unfinished_observation_states_its_reason() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("o.mpiete");
        let unfinished = unfinished(3, Provenance::default(), vec!["all of it".into()]);
        write_whole(&path, &format::encode(&unfinished)).unwrap();
        let read: Observation = format::decode(&std::fs::read(&path).unwrap()).unwrap();
        assert_eq!(read, unfinished);
        assert!(parts_folder(&path).unwrap().starts_with(folder.path()));
    }
}
