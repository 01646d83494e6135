//! The cases of `tests/ui`: programs, and the probes that the instrumenter writes for them.
//!
//! `UI_CASE=NAME` restricts the run to cases whose path contains NAME; `UPDATE_EXPECT=1` writes the expected files.

use crate::compiled::{Planner, probe};
use crate::counters::{counted_timed, counters_alone};
use instrumenter::plan;
use npb_fixtures::ui::{self, Source};
use std::path::Path;

/// The probe without line directives, which `probes` tests by their meaning.
fn render(source: &Source, output: &str) -> Result<String, String> {
    let planner: Planner = match output {
        "counters" => counters_alone,
        "timed" => plan::compute::timed,
        "timed-and-counted" => counted_timed,
        "sliced" => plan::program::sliced,
        _ => return Err(format!("there is no output `{output}`")),
    };
    if let Some((option, _)) = source.options.first() {
        return Err(format!("there is no option --{option}"));
    }
    let mut found = String::new();
    let probe = probe(&source.file, &source.text, planner);
    // The head of the case says the same as that of the source.
    let text = probe.lines().skip_while(|line| line.starts_with("! "));
    for line in text {
        if !line.starts_with("# ") {
            found.push_str(line);
            found.push('\n');
        }
    }
    Ok(found)
}

fn check(area: &str) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/ui");
    let accept = format!("cargo test -p instrumenter --test it ui::{area}");
    ui::check(&folder.join(area), &accept, &render);
}

#[test]
fn counters() {
    check("counters");
}

#[test]
fn probes() {
    check("probes");
}
