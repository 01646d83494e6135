//! `mpiete sweep`: estimates every combination of numbers of ranks, platforms and network parameters, and reports how the program
//! scales.
//!
//! Parameters change the platform, never the program data: each number of ranks has its own recording. With the feature
//! `mpi` the points are shared among the processes of an MPI run ([`processes`]).

mod base;
mod outcome;
mod points;
mod processes;
mod run;
pub mod vary;

pub use outcome::{Row, Sweep};

use crate::args::{SweepArgs, SweepFormat};
use crate::{files, view};
use anyhow::{Result, bail};
use base::SweepInput;
use points::{Point, point_name, points};
use processes::ProcessGroup;
use run::PointResult;
use std::collections::BTreeMap;
use vary::{Setting, Value, Variation};

/// Estimates all points and writes the sweep.
pub fn sweep(arguments: &SweepArgs) -> Result<()> {
    let team = ProcessGroup::join();
    // All processes must succeed before they communicate: one that failed alone would leave the
    // others waiting for ever.
    let Some(plan) = team.agree(Plan::of(arguments))? else {
        return Ok(());
    };
    let (variations, points) = (&plan.variations, &plan.points);
    let made = team.base(|| plan.given.base(&node_occupancies(points), arguments))?;
    let Some(base) = made else { return Ok(()) };
    let found = run::run(points, &team.share(points.len()), &base, arguments);
    let Some(found) = team.gather(found)? else {
        return Ok(());
    };
    let found = first_failure(variations, points, found)?;
    let program = base
        .programs
        .values()
        .next()
        .map(|program| program.provenance.program.clone());
    let swept = Sweep::new(
        program.unwrap_or_default(),
        variations,
        points,
        found,
        arguments.efficiency,
    );
    files::write_text(
        arguments.output.as_deref(),
        &rendered(&swept, arguments.format),
    )
}

/// The points to estimate, known before anything runs.
struct Plan {
    given: SweepInput,
    variations: Vec<Variation>,
    points: Vec<Point>,
}

impl Plan {
    fn of(arguments: &SweepArgs) -> Result<Self> {
        check(arguments)?;
        let given = SweepInput::of(&arguments.project)?;
        let mut variations = vary::parse(&arguments.vary)?;
        take_known_ranks(&mut variations, &given, arguments);
        let points = points(&variations, arguments.ranks, arguments)?;
        Ok(Self {
            given,
            variations,
            points,
        })
    }
}

fn check(arguments: &SweepArgs) -> Result<()> {
    if let Some(output) = &arguments.output {
        files::check_text_output(output)?;
    }
    if !(arguments.efficiency > 0.0 && arguments.efficiency <= 1.0) {
        bail!(
            "--efficiency {} is not between 0 and 1; 0.5 is half",
            arguments.efficiency
        );
    }
    Ok(())
}

/// Without a given number of ranks, sweeps the numbers for which the files contain program data.
fn take_known_ranks(variations: &mut Vec<Variation>, given: &SweepInput, arguments: &SweepArgs) {
    let varied = variations.iter().any(|variation| variation.name == "ranks");
    let known = given.known_ranks();
    if varied || arguments.ranks.is_some() || known.is_empty() {
        return;
    }
    let mut values = Vec::new();
    for ranks in known {
        values.push(Value {
            text: ranks.to_string(),
            setting: Setting::Ranks(ranks),
        });
    }
    let ranks = Variation {
        name: "ranks".into(),
        values,
    };
    // First, so that it changes slowest and rows of one number of ranks are adjacent.
    variations.insert(0, ranks);
}

/// By number of ranks of a point: the most ranks on a node of any platform.
fn node_occupancies(points: &[Point]) -> BTreeMap<u32, u32> {
    let mut occupancies: BTreeMap<u32, u32> = BTreeMap::new();
    for point in points {
        let occupancy = point.platform.ranks_on_fullest_node(point.ranks);
        let most = occupancies.entry(point.ranks).or_default();
        *most = occupancy.max(*most);
    }
    occupancies
}

/// All results, or the error of the first point without one.
fn first_failure(
    variations: &[Variation],
    points: &[Point],
    found: Vec<Result<PointResult, String>>,
) -> Result<Vec<PointResult>> {
    let mut results = Vec::new();
    for (point, found) in points.iter().zip(found) {
        match found {
            Ok(result) => results.push(result),
            Err(reason) => bail!("{}: {reason}", point_name(variations, &point.values)),
        }
    }
    Ok(results)
}

fn rendered(swept: &Sweep, format: SweepFormat) -> String {
    // These formats have no place for it.
    if let (SweepFormat::Csv | SweepFormat::Svg, Some(note)) =
        (format, view::sweep::clock_note(swept))
    {
        report!("mpiete: warning: {note}");
    }
    match format {
        SweepFormat::Text => view::sweep::text(swept),
        SweepFormat::Csv => view::sweep::csv(swept),
        SweepFormat::Json => view::json::of("sweep", swept),
        SweepFormat::Html => view::sweep::html(swept),
        SweepFormat::Svg => view::sweep::svg(swept),
    }
}
