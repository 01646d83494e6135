//! The codes that the user names: where they are, how they are built and run.

use crate::process::BadInput;
use anyhow::Result;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The file that lists the codes of a folder.
const LIST: &str = "real-codes.toml";

/// The file as it is written.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct List {
    #[serde(default)]
    code: Vec<Code>,
}

/// A code: a table `[[code]]`. Commands run in a shell, in a copy of its folder.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Code {
    /// The name in the table of results.
    pub name: String,
    /// The checkout, relative to the folder of the list. It stays as it is.
    pub folder: PathBuf,
    /// The command that writes inputs and settings of the build, before each build.
    pub set_up: Option<String>,
    /// The command that compiles.
    pub build: String,
    /// The program that the build makes, in the copy.
    pub binary: PathBuf,
    /// `--program` of mpiete: one of several programs of the build.
    pub program: Option<String>,
    /// The folder with the input files, in which the program runs.
    #[serde(default = "here")]
    pub run_in: PathBuf,
    /// Arguments of the program; `{ranks}` in them is the number of ranks.
    #[serde(default)]
    pub arguments: Vec<String>,
    /// The file of `run_in` that rank 0 reads as standard input.
    pub stdin: Option<PathBuf>,
    /// Variables of every command.
    #[serde(default)]
    pub environment: BTreeMap<String, String>,
    /// Numbers of ranks, of [`super::rows::RANKS`].
    #[serde(default = "all_ranks")]
    pub ranks: Vec<u32>,
    /// `--assume` of mpiete.
    #[serde(default)]
    pub assume: Vec<String>,
    /// Whether the code was chosen when the work on mpiete was done, so that nothing was repaired for it.
    #[serde(default)]
    pub chosen_after: bool,
}

impl Code {
    /// The arguments on a number of ranks.
    pub(super) fn arguments_on(&self, ranks: u32) -> Vec<String> {
        let mut arguments = Vec::new();
        for argument in &self.arguments {
            arguments.push(argument.replace("{ranks}", &ranks.to_string()));
        }
        arguments
    }
}

fn here() -> PathBuf {
    PathBuf::from(".")
}

fn all_ranks() -> Vec<u32> {
    super::rows::RANKS.to_vec()
}

/// The codes that a folder with a file `real-codes.toml` lists, or such a file of another name.
///
/// # Errors
///
/// [`BadInput`] if it cannot be read, if two codes have one name, or if a code's folder or number of ranks cannot be used.
pub fn listed(path: &Path) -> Result<Vec<Code>> {
    let file = if path.is_dir() {
        path.join(LIST)
    } else {
        path.to_path_buf()
    };
    let shown = file.display();
    let text = std::fs::read_to_string(&file)
        .map_err(|error| BadInput(format!("cannot read {shown}: {error}")))?;
    let list: List =
        toml::from_str(&text).map_err(|error| BadInput(format!("{shown}: {error}")))?;
    let base = std::path::absolute(file.parent().unwrap_or(Path::new(".")))?;
    let mut codes: Vec<Code> = Vec::new();
    for mut code in list.code {
        code.folder = base.join(&code.folder);
        if let Some(problem) = problem(&code, &codes) {
            return Err(BadInput(format!("{shown}: code '{}': {problem}", code.name)).into());
        }
        codes.push(code);
    }
    if codes.is_empty() {
        return Err(BadInput(format!("{shown} lists no code: add a table [[code]]")).into());
    }
    Ok(codes)
}

/// Why a code cannot be used after those before it.
fn problem(code: &Code, before: &[Code]) -> Option<String> {
    if before.iter().any(|other| other.name == code.name) {
        return Some("another one has this name".to_string());
    }
    if !code.folder.is_dir() {
        return Some(format!("{} is no folder", code.folder.display()));
    }
    let ranks = super::rows::RANKS;
    if code.ranks.is_empty() || code.ranks.iter().any(|count| !ranks.contains(count)) {
        return Some(format!("ranks are some of {ranks:?}"));
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn codes(text: &str) -> Result<Vec<Code>> {
        let folder = tempfile::tempdir().expect("a folder");
        std::fs::create_dir(folder.path().join("a")).expect("made");
        std::fs::write(folder.path().join(LIST), text).expect("written");
        listed(folder.path())
    }

    #[test]
    fn optional_settings_have_defaults() {
        let list = "[[code]]\nname = 'A'\nfolder = 'a'\nbuild = 'make'\nbinary = 'a.out'\n";
        let codes = codes(list).expect("a list");
        assert_eq!(codes.len(), 1);
        assert!(codes[0].folder.is_absolute());
        assert_eq!(codes[0].ranks, [1, 2]);
        assert_eq!(codes[0].run_in, Path::new("."));
    }

    #[test]
    fn arguments_contain_the_number_of_ranks() {
        let list = "[[code]]\nname = 'A'\nfolder = 'a'\nbuild = 'make'\nbinary = 'a.out'\narguments = ['1', 'in.{ranks}']\n";
        let codes = codes(list).expect("a list");
        assert_eq!(codes[0].arguments_on(2), ["1", "in.2"]);
    }

    #[test]
    fn unusable_lists_are_bad_input() {
        let code = "[[code]]\nname = 'A'\nbuild = 'make'\nbinary = 'a.out'\nfolder = ";
        let cases = [
            (String::new(), "lists no code"),
            (format!("{code}'b'"), "code 'A'"),
            (format!("{code}'a'\nranks = [3]"), "ranks are some of"),
            (format!("{code}'a'\nrank = [1]"), "unknown field `rank`"),
            (
                format!("{code}'a'\n{code}'a'\n"),
                "another one has this name",
            ),
        ];
        for (list, expected) in cases {
            let error = codes(&list).expect_err(expected);
            assert!(error.is::<BadInput>(), "{expected}");
            assert!(error.to_string().contains(expected), "{error}");
        }
    }
}
