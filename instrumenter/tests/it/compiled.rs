//! Probes of a source, compiled with stand-ins for MPI and the token runtime, and run.

use frontend::options::Options;
use frontend::source::Sources;
use instrumenter::{ProbePlan, instrument};
use std::path::Path;
use std::process::Command;

/// Makes a plan.
pub type Planner = fn(&frontend::Analysis) -> ProbePlan;

/// The only file of a probe.
pub fn probe(name: &str, source: &str, planner: Planner) -> String {
    probe_with(name, source, &Options::default(), planner)
}

/// The only file of a probe under some options.
pub fn probe_with(name: &str, source: &str, options: &Options, planner: Planner) -> String {
    let mut sources = Sources::default();
    sources.add(name, source.as_bytes());
    let analysis = frontend::analyze(&mut sources, options, &|_, _| None);
    let files = instrument(&sources, &analysis, &planner(&analysis)).unwrap();
    String::from_utf8(files[0].text.clone()).unwrap()
}

/// Compiles `source` with the stand-ins and runs it; gives what it prints.
pub fn run(folder: &Path, name: &str, source: &str) -> String {
    let (file, binary) = (folder.join(name), folder.join("program"));
    std::fs::write(&file, source).unwrap();
    let stand_ins = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/stand_ins.f90");
    let mut compiler = Command::new("gfortran");
    compiler
        .args(["-Wall", "-fno-allow-argument-mismatch", "-fcheck=all", "-J"])
        .arg(folder);
    let compiled = compiler
        .arg("-o")
        .arg(&binary)
        .arg(&file)
        .arg(stand_ins)
        .output()
        .expect("gfortran is installed");
    let messages = String::from_utf8_lossy(&compiled.stderr);
    assert!(compiled.status.success(), "{messages}\n{source}");
    let output = Command::new(&binary).current_dir(folder).output().unwrap();
    assert!(
        output.status.success(),
        "{}\n{source}",
        String::from_utf8_lossy(&output.stderr)
    );
    String::from_utf8_lossy(&output.stdout).into_owned()
}
