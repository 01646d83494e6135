//! How fast large programs are analysed: `large_speed FOLDER[,FOLDER…] …`, each argument one kernel, whose INCLUDE files are searched
//! in its folders in this order. Programs of two sizes are made from copies of the kernels' procedures under distinct names, which
//! call each other. Prints `frontend.analyze_large`, lines per second of 200,000 lines from bytes to blocks;
//! `frontend.analyze_growth`, time per line of these over that of 2,000 lines; and `frontend.analyze_large_gigabytes`, the largest
//! memory of the process.
//!
//! Times are the shortest of several rounds: other work on the machine only makes them longer.
#![forbid(unsafe_code)]

use frontend::source::{Form, Reading, Sources};
use frontend::{Options, analyze};
use std::collections::BTreeSet;
use std::io::{Error, Result};
use std::path::{Path, PathBuf};
use std::time::Instant;

/// Lines of the large program, and of the one that it is compared with.
const LARGE: usize = 200_000;
const SMALL: usize = 2_000;
/// Rounds of each measurement.
const LARGE_ROUNDS: usize = 3;
const SMALL_ROUNDS: usize = 15;

fn main() -> Result<()> {
    let mut kernels = Vec::new();
    for (number, folders) in std::env::args().skip(1).enumerate() {
        kernels.push(Kernel::read(number, &folders)?);
    }
    if kernels.is_empty() {
        return Err(Error::other("name the folders of a kernel"));
    }
    let small = seconds_per_line(&Program::of_lines(&kernels, SMALL), SMALL_ROUNDS);
    let large = seconds_per_line(&Program::of_lines(&kernels, LARGE), LARGE_ROUNDS);
    println!("frontend.analyze_large {:.0} lines/s", 1.0 / large);
    println!("frontend.analyze_growth {:.3} ratio", large / small);
    if let Some(gigabytes) = peak_gigabytes() {
        println!("frontend.analyze_large_gigabytes {gigabytes:.3} GB");
    }
    Ok(())
}

fn seconds_per_line(program: &Program, rounds: usize) -> f64 {
    let mut shortest = f64::INFINITY;
    for _ in 0..rounds {
        let mut sources = program.sources.clone();
        let start = Instant::now();
        std::hint::black_box(analyze(&mut sources, &Options::default(), &|_, _| None));
        shortest = shortest.min(start.elapsed().as_secs_f64());
    }
    shortest / program.lines as f64
}

/// The largest resident memory of this process so far, where the system reports it.
fn peak_gigabytes() -> Option<f64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    let kilobytes: f64 = line.split_whitespace().nth(1)?.parse().ok()?;
    Some(kilobytes * 1024.0 / 1e9)
}

/// A program whose procedures are copied.
struct Kernel {
    /// Its position among the kernels: part of the names of copies.
    number: usize,
    files: Vec<KernelFile>,
    /// Its main program, procedures and COMMON blocks, in lower case.
    names: BTreeSet<String>,
    main: String,
}

struct KernelFile {
    name: String,
    form: Form,
    /// INCLUDE lines of its own files are replaced by these.
    lines: Vec<String>,
}

impl Kernel {
    fn read(number: usize, folders: &str) -> Result<Self> {
        let folders: Vec<PathBuf> = folders.split(',').map(PathBuf::from).collect();
        let mut files = Vec::new();
        for path in sorted(&folders[0])? {
            let form = match path.extension().and_then(|ending| ending.to_str()) {
                Some("f") => Form::Fixed,
                Some("f90") => Form::Free,
                _ => continue,
            };
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            let mut lines = Vec::new();
            add_lines(&path, &folders, &mut lines)?;
            files.push(KernelFile {
                name: name.into_owned(),
                form,
                lines,
            });
        }
        let mut kernel = Kernel {
            number,
            files,
            names: BTreeSet::new(),
            main: String::new(),
        };
        kernel.find_names();
        Ok(kernel)
    }

    fn find_names(&mut self) {
        for file in &self.files {
            for line in &file.lines {
                let statement = line.to_ascii_lowercase();
                let words: Vec<&str> = words(&statement).collect();
                if file.is_comment(line) || words.first() == Some(&"end") {
                    continue;
                }
                for pair in words.windows(2) {
                    match pair[0] {
                        "subroutine" | "function" => drop(self.names.insert(pair[1].into())),
                        "program" => {
                            self.names.insert(pair[1].into());
                            self.main = pair[1].into();
                        }
                        "common" => drop(self.names.insert(pair[1].into())),
                        _ => {}
                    }
                }
            }
        }
    }

    /// The name of a procedure's or COMMON block's copy.
    fn name(&self, name: &str, copy: usize) -> String {
        format!("{name}_{}_{copy}", self.number)
    }

    /// The text of one file in a copy, whose main program is a subroutine that calls `others` at its end.
    fn text(&self, file: &KernelFile, copy: usize, others: &[String]) -> String {
        let mut text = String::new();
        for line in &file.lines {
            if file.is_comment(line) {
                text.push_str(line);
            } else {
                let lower = line.to_ascii_lowercase();
                if lower.contains("call mpi_finalize") {
                    for other in others {
                        text.push_str(&format!("      call {other}\n"));
                    }
                }
                text.push_str(&self.renamed(line, copy));
            }
            text.push('\n');
        }
        text
    }

    /// A line with the names of a copy.
    fn renamed(&self, line: &str, copy: usize) -> String {
        let mut renamed = String::new();
        let mut rest = line;
        while !rest.is_empty() {
            let is_in_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
            let end = rest.find(|c| !is_in_word(c)).unwrap_or(rest.len());
            let (word, behind) = rest.split_at(end);
            let lower = word.to_ascii_lowercase();
            if self.names.contains(&lower) {
                renamed.push_str(&self.name(&lower, copy));
            } else if lower == "program" {
                renamed.push_str("subroutine");
            } else {
                renamed.push_str(word);
            }
            let start = behind.find(is_in_word).unwrap_or(behind.len());
            let (between, next) = behind.split_at(start);
            renamed.push_str(between);
            rest = next;
        }
        renamed
    }
}

impl KernelFile {
    fn is_comment(&self, line: &str) -> bool {
        match self.form {
            Form::Fixed => line.starts_with(['c', 'C', '*', '!']),
            Form::Free => line.trim_start().starts_with('!'),
        }
    }
}

/// The words of a statement; each ends where something else than a letter, a digit or an underscore stands.
fn words(statement: &str) -> impl Iterator<Item = &str> {
    statement
        .split(|c: char| !c.is_ascii_alphanumeric() && c != '_')
        .filter(|word| !word.is_empty())
}

/// Files of a folder, by name.
fn sorted(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut paths = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_file() {
            paths.push(path);
        }
    }
    paths.sort();
    Ok(paths)
}

/// Adds the lines of a file, with those of included files that the folders contain.
fn add_lines(path: &Path, folders: &[PathBuf], lines: &mut Vec<String>) -> Result<()> {
    for line in std::fs::read_to_string(path)?.lines() {
        let statement = line.trim();
        let included = match statement.strip_prefix("include '") {
            Some(name) => folders
                .iter()
                .map(|folder| folder.join(name.trim_end_matches('\'')))
                .find(|path| path.is_file()),
            None => None,
        };
        match included {
            Some(path) => add_lines(&path, folders, lines)?,
            None => lines.push(line.to_string()),
        }
    }
    Ok(())
}

/// A program in memory: nothing of the disk is timed.
struct Program {
    sources: Sources,
    lines: usize,
}

impl Program {
    /// Copies of kernels until there are so many lines. Their main programs call each other as a binary tree.
    fn of_lines(kernels: &[Kernel], least: usize) -> Self {
        let mut chosen = Vec::new();
        let mut lines = 0;
        for copy in 0.. {
            for kernel in kernels {
                if lines < least {
                    chosen.push((kernel, copy));
                    lines += kernel
                        .files
                        .iter()
                        .map(|file| file.lines.len())
                        .sum::<usize>();
                }
            }
            if lines >= least {
                break;
            }
        }
        let mut program = Program {
            sources: Sources::default(),
            lines: 0,
        };
        let name = |&(kernel, copy): &(&Kernel, usize)| kernel.name(&kernel.main, copy);
        let first = format!("program large\n  call {}\nend program\n", name(&chosen[0]));
        program.add("large.f90", Form::Free, &first);
        for (position, &(kernel, copy)) in chosen.iter().enumerate() {
            let mut others = Vec::new();
            for other in [2 * position + 1, 2 * position + 2] {
                others.extend(chosen.get(other).map(name));
            }
            for file in &kernel.files {
                let path = format!("{}-{copy}/{}", kernel.main, file.name);
                program.add(&path, file.form, &kernel.text(file, copy, &others));
            }
        }
        program
    }

    fn add(&mut self, path: &str, form: Form, text: &str) {
        let reading = Reading {
            form: Some(form),
            // Names of copies are longer.
            last_column: Some(0),
            ..Reading::default()
        };
        self.lines += text.lines().count();
        self.sources.add_as(path, text.as_bytes(), reading);
    }
}
