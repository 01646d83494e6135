//! How fast sources are read and analysed: `frontend_speed FOLDER[,FOLDER…] …`, each argument one program,
//! its folders searched for INCLUDE files in this order. Prints `frontend.parse_ratio`, bytes per second
//! over the bare parser's on the same texts, and `frontend.analyze`, lines per second from bytes to blocks.
//!
//! Times are the shortest of several rounds: other work on the machine only makes them longer.
#![forbid(unsafe_code)]

use frontend::language::{self, Dialect};
use frontend::source::{Loader, Sources};
use frontend::{Options, analyze};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Rounds of each measurement.
const ROUNDS: usize = 15;

/// A program in memory: nothing of the disk is timed.
struct Program {
    sources: Sources,
    others: Vec<(PathBuf, Vec<u8>)>,
    folders: Vec<PathBuf>,
}

fn main() -> std::io::Result<()> {
    let programs: Vec<Program> = std::env::args()
        .skip(1)
        .map(|folders| Program::read(&folders))
        .collect::<Result<_, _>>()?;
    let read = || programs.iter().flat_map(Program::parse).collect::<Vec<_>>();
    let texts = read();
    // One thread, as the bare parser has.
    let alone = rayon::ThreadPoolBuilder::new()
        .num_threads(1)
        .build()
        .map_err(std::io::Error::other)?;
    let own = alone.install(|| shortest(read));
    let bare = shortest(|| language::parse_bare(&texts));
    println!(
        "frontend.parse_ratio {:.3} ratio",
        bare.as_secs_f64() / own.as_secs_f64()
    );
    let lines: u64 = programs.iter().map(Program::lines).sum();
    let whole = shortest(|| programs.iter().map(Program::analyze).count());
    println!(
        "frontend.analyze {:.0} lines/s",
        lines as f64 / whole.as_secs_f64()
    );
    Ok(())
}

fn shortest<T>(work: impl Fn() -> T) -> Duration {
    let once = |_| {
        let start = Instant::now();
        std::hint::black_box(work());
        start.elapsed()
    };
    (0..ROUNDS).map(once).min().unwrap_or_default()
}

impl Program {
    fn read(folders: &str) -> std::io::Result<Self> {
        let folders: Vec<PathBuf> = folders.split(',').map(PathBuf::from).collect();
        let (mut sources, mut others) = (Sources::default(), Vec::new());
        for folder in &folders {
            let entries = std::fs::read_dir(folder)?.collect::<Result<Vec<_>, _>>()?;
            let mut paths: Vec<PathBuf> = entries.into_iter().map(|entry| entry.path()).collect();
            paths.sort();
            for path in paths.into_iter().filter(|path| path.is_file()) {
                let text = std::fs::read(&path)?;
                match path.extension().and_then(|ending| ending.to_str()) {
                    Some("f" | "F" | "f90" | "F90") => {
                        _ = sources.add(&path.to_string_lossy(), &text);
                    }
                    _ => others.push((path, text)),
                }
            }
        }
        Ok(Self {
            sources,
            others,
            folders,
        })
    }

    fn load(&self, name: &str) -> Option<(String, Vec<u8>)> {
        let at = |folder: &PathBuf| {
            self.others
                .iter()
                .find(|(path, _)| *path == Path::new(folder).join(name))
        };
        let (path, text) = self.folders.iter().find_map(at)?;
        Some((path.to_string_lossy().into_owned(), text.clone()))
    }

    fn parse(&self) -> Vec<Vec<u8>> {
        let loader = |name: &str, _: &str| self.load(name);
        language::parse(
            &mut self.sources.clone(),
            &Dialect::default(),
            &loader as &Loader,
        )
    }

    fn analyze(&self) -> frontend::Analysis {
        let loader = |name: &str, _: &str| self.load(name);
        analyze(
            &mut self.sources.clone(),
            &Options::default(),
            &loader as &Loader,
        )
    }

    /// Lines of its files; included ones count once.
    fn lines(&self) -> u64 {
        self.analyze()
            .parse_statistics
            .files
            .iter()
            .map(|file| u64::from(file.lines))
            .sum()
    }
}
