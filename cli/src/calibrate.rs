//! `mpiete calibrate`: writes the network probe, or fits its samples.

use crate::args::CalibrateArgs;
use crate::{files, origin};
use anyhow::{Result, bail};
use base_data::provenance::Provenance;
use instrumenter::comm_probe;
use machine::calibrate::{Calibration, Run};
use std::path::{Path, PathBuf};

/// Writes the probe, or communication data.
pub fn calibrate(arguments: &CalibrateArgs) -> Result<()> {
    match &arguments.write_probe {
        Some(folder) => write_probe(folder, arguments),
        None if arguments.samples.is_empty() => bail!(
            "there is nothing to fit; write the network probe with --write-probe DIR, run it on two PUs of the target (DIR/README says \
             how), and give its output"
        ),
        None => fit_samples(arguments),
    }
}

fn write_probe(folder: &Path, arguments: &CalibrateArgs) -> Result<()> {
    let mut settings = comm_probe::Settings::default();
    settings.largest = arguments.largest.unwrap_or(settings.largest);
    settings.step = arguments.step.or(settings.step);
    files::write_program(folder, &comm_probe::generate(&settings))?;
    files::print_line(format!(
        "network probe written to {0}; on two PUs of the target: cd {0} && make run > samples.txt, then mpiete calibrate samples.txt",
        folder.display()
    ))?;
    Ok(())
}

fn fit_samples(arguments: &CalibrateArgs) -> Result<()> {
    let read = |path: &PathBuf| {
        let text = files::read_bytes(path)?;
        Ok((
            path.display().to_string(),
            // Logs of jobs may contain other bytes beside the samples.
            String::from_utf8_lossy(&text).into_owned(),
        ))
    };
    let texts = arguments
        .samples
        .iter()
        .map(read)
        .collect::<Result<Vec<(String, String)>>>()?;
    let borrowed: Vec<(&str, &str)> = texts
        .iter()
        .map(|(path, text)| (path.as_str(), text.as_str()))
        .collect();
    let default = Run::default();
    let run = Run {
        link: arguments.link.unwrap_or(default.link),
        ranks: arguments.ranks,
        ranks_per_node: arguments.ranks_per_node,
    };
    let Calibration {
        mut data,
        rejected,
        warnings,
    } = machine::calibrate::calibrate(&borrowed, &run)?;
    for warning in &warnings {
        report!("mpiete: {warning}");
    }
    let names: Vec<&str> = borrowed.iter().map(|(path, _)| *path).collect();
    data.provenance = Provenance {
        method: format!("fitted to {}", names.join(", ")),
        ..origin::now()
    };
    files::write(&arguments.output, &data)?;
    files::print_line(format!(
        "{} samples, {} fits, written to {}",
        data.samples.len(),
        data.fits.len(),
        arguments.output.display()
    ))?;
    for reason in rejected {
        files::print_line(format!("no fit: {reason}"))?;
    }
    Ok(())
}
