//! The recordings that tests of `base-data` keep of each version of the file format.

use anyhow::{Context, Result, anyhow};
use base_data::comm_data::CommData;
use base_data::compute_data::ComputeData;
use base_data::estimate_file::Estimate;
use base_data::format::{FORMAT_VERSION, FileContent, decode, encode};
use base_data::observation::Observation;
use base_data::platform_file::PlatformFile;
use base_data::program_data::ProgramData;
use base_data::program_text;
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::path::{Path, PathBuf};

/// Writes the recordings of the present version of the format. The texts in its folder are the source: the binary files are made
/// from them, and the texts are written again in the present order of fields.
///
/// # Errors
///
/// A text that is missing or is not what its type requires.
pub fn write() -> Result<()> {
    let recordings = crate::root().join("base-data/tests/recordings");
    let folder = recordings.join(format!("version-{FORMAT_VERSION}"));
    Recordings { folder }.write()
}

/// The recordings of a version.
struct Recordings {
    folder: PathBuf,
}

impl Recordings {
    fn write(&self) -> Result<()> {
        let text = self.text("program-data.txt")?;
        let program: ProgramData =
            program_text::read(&text).map_err(|error| anyhow!("program-data.txt: {error}"))?;
        self.write_binary(&program)?;
        self.write_from_json::<ComputeData>()?;
        self.write_from_json::<CommData>()?;
        self.write_from_json::<Estimate>()?;
        self.write_from_json::<Observation>()?;
        let text = self.text("platform.toml")?;
        let platform =
            PlatformFile::parse(&text).map_err(|error| anyhow!("platform.toml: {error}"))?;
        self.write_json("platform.json", &platform)
    }

    fn write_from_json<T: FileContent + Serialize + DeserializeOwned>(&self) -> Result<()> {
        let name = format!("{}.json", T::KIND);
        let content: T = serde_json::from_str(&self.text(&name)?).with_context(|| name.clone())?;
        self.write_json(&name, &content)?;
        self.write_binary(&content)
    }

    fn write_json(&self, name: &str, content: &impl Serialize) -> Result<()> {
        let text = serde_json::to_string_pretty(content)?;
        write_file(&self.folder.join(name), format!("{text}\n").as_bytes())
    }

    fn write_binary<T: FileContent>(&self, content: &T) -> Result<()> {
        let name = format!("{}.mpiete", T::KIND);
        let bytes = encode(content);
        // Later versions must read this file for years, so it is not written unless the present one reads it.
        decode::<T>(&bytes).map_err(|error| anyhow!("{name} cannot be read back: {error}"))?;
        write_file(&self.folder.join(name), &bytes)
    }

    fn text(&self, name: &str) -> Result<String> {
        let path = self.folder.join(name);
        std::fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))
    }
}

fn write_file(path: &Path, bytes: &[u8]) -> Result<()> {
    std::fs::write(path, bytes).with_context(|| format!("cannot write {}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_of_the_present_version_stay_as_they_are() {
        let recordings = crate::root().join("base-data/tests/recordings");
        let present = recordings.join(format!("version-{FORMAT_VERSION}"));
        let copy = tempfile::tempdir().expect("a folder");
        let mut texts = Vec::new();
        for entry in std::fs::read_dir(&present).expect("recordings") {
            let path = entry.expect("an entry").path();
            if path.extension().is_none_or(|ending| ending != "mpiete") {
                let name = path.file_name().expect("a name").to_owned();
                std::fs::copy(&path, copy.path().join(&name)).expect("copied");
                texts.push(name);
            }
        }
        let folder = copy.path().to_path_buf();
        Recordings { folder }.write().expect("written");
        for name in texts {
            // Fields were added to platforms since: their format has a version of its own.
            if name == "platform.json" {
                continue;
            }
            let before = std::fs::read_to_string(present.join(&name)).expect("read");
            let after = std::fs::read_to_string(copy.path().join(&name)).expect("read");
            assert_eq!(before, after, "{}", name.display());
        }
        for kind in [
            "program-data",
            "compute-data",
            "comm-data",
            "estimate",
            "observation",
        ] {
            assert!(
                copy.path().join(format!("{kind}.mpiete")).exists(),
                "{kind}"
            );
        }
    }
}
