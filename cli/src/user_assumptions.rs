//! User assumptions: `--assume`, and `mpiete.toml` beside the sources. The frontend determines which assumptions a statement
//! permits.

use crate::args::ProjectArgs;
use crate::trip_counts;
use anyhow::{Context, Result, bail};
use base_data::program_data::{AssumedOutcome, AssumptionOrigin, ProgramData};
use base_data::toml_words;
use frontend::options::{AssumptionRequest, Proposals};
use frontend::source::is_named;
use serde::Deserialize;
use std::path::{Path, PathBuf};

/// Name of the file beside the sources.
const CONFIG_FILE: &str = "mpiete.toml";

/// The outcomes that users can assume, as arguments spell them; capital letters stand for a value.
pub const OUTCOMES: [&str; 4] = ["taken", "not-taken", "trips=N", "goto=LABEL"];

/// The forms of an argument of `--assume`, in one sentence.
fn argument_forms() -> String {
    let forms = OUTCOMES.map(|outcome| format!("FILE:LINE={outcome}"));
    let (last, others) = forms.split_last().expect("there are outcomes");
    format!("{} or {last}", others.join(", "))
}

/// Assumptions about a program.
#[derive(Debug, Default)]
pub struct UserAssumptions {
    /// Assumptions; those of the command line replace those of the file.
    pub assumptions: Vec<AssumptionRequest>,
    /// Procedures without source that only compute.
    pub data_only: Vec<String>,
    /// Libraries for which the user vouches where symbols prove nothing.
    pub trusted: Vec<String>,
    /// Assumptions that the analysis may add.
    pub proposals: Proposals,
    /// The recording with trip counts.
    pub recording: Option<ProgramData>,
}

/// `mpiete.toml`.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct ConfigFile {
    #[serde(default)]
    assume: Vec<toml::Spanned<AssumptionEntry>>,
    #[serde(default)]
    externals: Externals,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct AssumptionEntry {
    at: String,
    outcome: String,
    count: Option<i64>,
    label: Option<u32>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Externals {
    #[serde(default)]
    data_only: Vec<String>,
    #[serde(default)]
    trusted: Vec<String>,
}

/// Reads the arguments and the file beside the sources.
///
/// # Errors
/// An argument that is not FILE:LINE=OUTCOME, or a malformed file.
pub fn load(arguments: &ProjectArgs) -> Result<UserAssumptions> {
    let path = folder(arguments).join(CONFIG_FILE);
    let (config, text) = read(&path)?;
    let given = arguments
        .assumptions
        .assume
        .iter()
        .map(|text| parse_argument(text))
        .collect::<Result<Vec<_>>>()?;
    let same = |one: &AssumptionRequest, other: &AssumptionRequest| {
        one.line == other.line && is_same_file(&one.file, &other.file)
    };
    if let Some(again) = first_duplicate(&given) {
        bail!(
            "--assume {}:{} is given twice; keep one",
            again.file,
            again.line
        );
    }
    let mut assumptions = given.clone();
    let mut of_this_file: Vec<AssumptionRequest> = Vec::new();
    for one in &config.assume {
        let line = line_of(&text, one.span().start);
        let place = format!("{}:{line}", path.display());
        let request = parse_entry(one.get_ref(), &place)?;
        of_this_file.push(request.clone());
        if first_duplicate(&of_this_file).is_some() {
            bail!(
                "{place}: {} is given twice; keep one [[assume]] for it",
                one.get_ref().at
            );
        }
        // An argument is a deliberate exception from the file, so this is no contradiction.
        if !given.iter().any(|other| same(other, &request)) {
            assumptions.push(request);
        }
    }
    let mut recording = None;
    if let Some(path) = &arguments.assumptions.trips_from {
        let data = trip_counts::read(path)?;
        let recorded = trip_counts::requests(path, &data)?;
        // Recordings have the lowest precedence: the user may assume another trip count than the
        // recorded one.
        let is_new = |one: &AssumptionRequest| !assumptions.iter().any(|other| same(other, one));
        let recorded: Vec<AssumptionRequest> = recorded.into_iter().filter(is_new).collect();
        assumptions.extend(recorded);
        recording = Some(data);
    }
    Ok(UserAssumptions {
        recording,
        assumptions,
        data_only: config.externals.data_only,
        trusted: config.externals.trusted,
        proposals: if arguments.assumptions.strict {
            Proposals::None
        } else {
            Proposals::All
        },
    })
}

/// Whether two names may mean the same file: the shorter one may lack folders that the other has.
fn is_same_file(one: &str, other: &str) -> bool {
    is_named(one, other) || is_named(other, one)
}

/// The first assumption about the same line as an earlier one.
fn first_duplicate(all: &[AssumptionRequest]) -> Option<&AssumptionRequest> {
    for (number, one) in all.iter().enumerate() {
        if all[..number]
            .iter()
            .any(|earlier| earlier.line == one.line && earlier.file == one.file)
        {
            return Some(one);
        }
    }
    None
}

/// The folder of the first source; of a build, the one it runs in.
fn folder(arguments: &ProjectArgs) -> PathBuf {
    match arguments.sources.first() {
        Some(path) if path.is_dir() => path.clone(),
        Some(path) => path.parent().unwrap_or(Path::new("")).to_path_buf(),
        None => PathBuf::new(),
    }
}

/// The content of the file, and its text.
fn read(path: &Path) -> Result<(ConfigFile, String)> {
    if !path.is_file() {
        return Ok((ConfigFile::default(), String::new()));
    }
    let text = std::fs::read_to_string(path)
        .with_context(|| format!("{} cannot be read", path.display()))?;
    let config = toml::from_str(&text).map_err(|error| {
        let (line, what) = toml_words::wrong(&text, &error);
        anyhow::anyhow!(
            "{}:{line}: {what}; it may contain [[assume]] with at, outcome, count and label, and \
            [externals] with data_only and trusted",
            path.display()
        )
    })?;
    Ok((config, text))
}

/// The line of an offset.
fn line_of(text: &str, offset: usize) -> usize {
    text[..offset].matches('\n').count() + 1
}

/// What is assumed at `place` of the file.
fn parse_entry(config: &AssumptionEntry, place: &str) -> Result<AssumptionRequest> {
    let outcome = match (config.outcome.as_str(), config.count, config.label) {
        ("trips", Some(count), None) => match u64::try_from(count) {
            Ok(count) => Ok(AssumedOutcome::Trips(count)),
            Err(_) => bail!(
                "{place}: {}: count is {count}; a loop runs 0 times or more",
                config.at
            ),
        },
        ("trips", None, _) => bail!("{place}: {}: trips needs a count: count = 50", config.at),
        ("goto", None, Some(label)) => Ok(AssumedOutcome::Label(label)),
        ("goto", _, None) => bail!("{place}: {}: goto needs a label: label = 20", config.at),
        (_, Some(_), _) => bail!(
            "{place}: {}: count belongs to outcome = \"trips\"",
            config.at
        ),
        (_, _, Some(_)) => bail!(
            "{place}: {}: label belongs to outcome = \"goto\"",
            config.at
        ),
        (word, None, None) => outcome(word),
    };
    request(&config.at, outcome.ok()).with_context(|| {
        format!(
            "{place}: at = \"{}\", outcome = \"{}\" is not an assumption; write at = \"FILE:LINE\" \
            and outcome = \"taken\", \"not-taken\", \"trips\" or \"goto\"",
            config.at, config.outcome
        )
    })
}

fn parse_argument(text: &str) -> Result<AssumptionRequest> {
    let parts = text.split_once('=');
    parts
        .and_then(|(place, word)| request(place, outcome(word).ok()))
        .with_context(|| format!("--assume {text}: write {}", argument_forms()))
}

fn request(place: &str, outcome: Option<AssumedOutcome>) -> Option<AssumptionRequest> {
    let (file, line) = place.rsplit_once(':')?;
    let line = line.trim().parse().ok().filter(|&line| line > 0)?;
    Some(AssumptionRequest {
        file: file.into(),
        line,
        outcome: outcome?,
        origin: AssumptionOrigin::User,
    })
}

fn outcome(word: &str) -> Result<AssumedOutcome> {
    Ok(match word.split_once('=') {
        None if word == "taken" => AssumedOutcome::Taken,
        None if word == "not-taken" => AssumedOutcome::NotTaken,
        Some(("trips", count)) => AssumedOutcome::Trips(count.parse()?),
        Some(("goto", label)) => AssumedOutcome::Label(label.trim_start_matches('0').parse()?),
        None | Some(_) => bail!("no outcome"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn documented_forms_are_parsed() {
        for form in OUTCOMES {
            let argument = form.replace('N', "3").replace("LABEL", "20");
            let parsed = parse_argument(&format!("s.f:1={argument}"));
            assert!(parsed.is_ok(), "{argument}");
        }
    }

    #[test]
    fn files_of_one_name_in_different_folders_differ() {
        assert!(is_same_file("x.f", "src/x.f"));
        assert!(is_same_file("./src/x.f", "src/x.f"));
        assert!(!is_same_file("a/x.f", "b/x.f"));
        assert!(!is_same_file("x.f", "ax.f"));
    }

    #[test]
    fn outcomes_are_parsed() {
        let outcome = |text: &str| {
            parse_argument(text)
                .map(|request| (request.line, request.outcome))
                .ok()
        };
        assert_eq!(
            outcome("a/solve.f90:12=taken"),
            Some((12, AssumedOutcome::Taken))
        );
        assert_eq!(
            outcome("solve.f90:12=not-taken"),
            Some((12, AssumedOutcome::NotTaken))
        );
        assert_eq!(
            outcome("solve.f90:12=trips=40"),
            Some((12, AssumedOutcome::Trips(40)))
        );
        assert_eq!(
            outcome("solve.f90:12=goto=0020"),
            Some((12, AssumedOutcome::Label(20)))
        );
        for wrong in [
            "solve.f90=taken",
            "solve.f90:0=taken",
            "solve.f90:12",
            "s.f:1=trips=-1",
            "s.f:1=Taken",
        ] {
            assert_eq!(outcome(wrong), None, "{wrong}");
        }
    }
}
