//! `mpiete convert`: base data as files of other tools, and back.

use crate::args::{ConvertArgs, SKELETON};
use crate::view::numbers;
use crate::{clock_dependence, estimate, files, traces};
use anyhow::{Context, Result, bail};
use base_data::compute_data::ComputeData;
use base_data::program_data::ProgramData;
use estimator::Inputs;
use estimator::export::ExportError;
use estimator::formats::{TraceFormat, format};
use instrumenter::skeleton;
use std::io::Write;
use std::path::{Path, PathBuf};

/// Reads base data and writes them in another format.
pub fn convert(arguments: &ConvertArgs) -> Result<()> {
    let (program, compute, _) = estimate::load_inputs(&arguments.files, arguments.ranks)?;
    clock_dependence::report_note(&program);
    match (format(&arguments.to), &arguments.output) {
        (None, Some(folder)) if arguments.to == SKELETON => {
            let inputs = Inputs {
                program: &program,
                compute: &compute,
            };
            write_skeleton(&inputs, folder)
        }
        (Some(format), output) => export(
            format,
            &Inputs {
                program: &program,
                compute: &compute,
            },
            output.as_deref(),
        ),
        (None, Some(output)) => write_own_files(&program, compute, output),
        (None, None) => bail!(
            "--to {} writes no text; name the file or folder with -o",
            arguments.to
        ),
    }
}

/// Writes another tool's file.
fn export(format: &TraceFormat, inputs: &Inputs<'_>, output: Option<&Path>) -> Result<()> {
    let write = |out: &mut dyn Write| {
        (format.export)(inputs, out).map_err(|error| match error {
            // The error of a full disk names the file; a closed pipe is no error.
            ExportError::Output(error) => error.into(),
            error @ (ExportError::Program(_) | ExportError::Format { .. }) => {
                anyhow::Error::new(error)
            }
        })
    };
    let Some(path) = output.filter(|path| !files::is_standard_output(path)) else {
        let mut out = std::io::BufWriter::new(std::io::stdout().lock());
        let remarks = write(&mut out)?;
        out.flush()?;
        traces::print_remarks(format.name, &remarks);
        return Ok(());
    };
    let remarks = files::write_with(path, write)?;
    traces::print_remarks(format.name, &remarks);
    // SimGrid's replay takes an index file that lists the trace files of all ranks.
    if format.name == "ti" {
        let index = with_suffix(path, "index");
        let name = path
            .file_name()
            .context("-o names no file")?
            .to_string_lossy()
            .into_owned();
        files::write_bytes(&index, format!("{name}\n").as_bytes())?;
        return files::print_line(format!(
            "written to {}, index file {}",
            path.display(),
            index.display()
        ));
    }
    files::print_line(format!("written to {}", path.display()))
}

/// Writes a program with the messages, and the trace that it executes.
fn write_skeleton(inputs: &Inputs<'_>, folder: &Path) -> Result<()> {
    let traces = format("ti").context("there is no format of traces")?;
    let mut trace = Vec::new();
    // The trace comes first: nothing is written of a program that it cannot hold.
    let remarks = (traces.export)(inputs, &mut trace)?;
    files::write_program(folder, &skeleton::generate(inputs.program.ranks))?;
    files::write_bytes(&folder.join(skeleton::TRACE), &trace)?;
    traces::print_remarks(traces.name, &remarks);
    files::print_line(format!(
        "skeleton written to {0}; on the cluster: cd {0} && make run",
        folder.display()
    ))
}

/// Writes program data, and compute data beside them.
fn write_own_files(program: &ProgramData, compute: Vec<ComputeData>, output: &Path) -> Result<()> {
    files::write(output, program)?;
    let mut sets = compute.into_iter();
    let Some(mut data) = sets.next() else {
        return files::print_line(format!(
            "program data of {}, written to {}",
            numbers::ranks(program.ranks),
            output.display()
        ));
    };
    for other in sets {
        data.merge(other)
            .map_err(|reason| anyhow::anyhow!("compute data do not fit together: {reason}"))?;
    }
    let times = output.with_extension("compute.mpiete");
    files::write(&times, &data)?;
    files::print_line(format!(
        "program data of {}, written to {}; compute data, written to {}",
        numbers::ranks(program.ranks),
        output.display(),
        times.display()
    ))
}

/// The path with another ending appended.
fn with_suffix(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".");
    name.push(ending);
    name.into()
}
