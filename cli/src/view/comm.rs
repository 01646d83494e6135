//! Communication base data as a document: fitted and published parameters, curves, samples,
//! collectives and reduction rates.

use super::chart::{Chart, Line, Point};
use super::document::{Column, ColumnStyle, Document, Section, SectionElement, Table, TableCell};
use super::{html, numbers, provenance, text as terminal};
use base_data::Time;
use base_data::comm_data::{CommData, CommSample, CurvePoint, ModelFit, SampleKind};
use base_data::mpi::{BasicDatatype, ReduceOp};
use machine::calibrate::FittedTimes;

/// Rows of a list that a terminal shows.
const TOP: usize = 40;

/// The report for a terminal.
pub fn text(data: &CommData) -> String {
    terminal::render(&document(data))
}

/// One self-contained page.
pub fn html(data: &CommData) -> String {
    html::page(&document(data))
}

fn document(data: &CommData) -> Document {
    let network = if data.network.is_empty() {
        "a network"
    } else {
        data.network.as_str()
    };
    Document {
        title: format!("communication data of {network}"),
        sections: sections(data),
    }
}

/// All sections; the view of a platform shows its embedded data with the same ones.
pub fn sections(data: &CommData) -> Vec<Section> {
    let overview = SectionElement::facts([("MPI library", data.mpi_library.clone())]);
    let mut sections = vec![Section::new("", [overview])];
    sections.extend(data.fits.iter().map(fit));
    sections.extend(
        machine::calibrate::fitted_times(data)
            .iter()
            .map(comparison),
    );
    sections.extend([samples(data), collectives(data), reductions(data)]);
    sections.push(provenance::section(&data.provenance));
    sections
}

fn fit(fit: &ModelFit) -> Section {
    let residual = fit.residual.map_or(String::new(), |share| {
        format!(
            "{} of the measured time, by cross-validation",
            numbers::percent(share)
        )
    });
    let facts = SectionElement::facts([("from", fit.source.clone()), ("residual", residual)]);
    let rows = fit.parameters.iter().enumerate().map(|(index, parameter)| {
        let value = TableCell {
            text: numbers::plain(parameter.value),
            key: Some(parameter.value),
        };
        [
            parameter.name.as_str().into(),
            value,
            deviation(fit, index),
            parameter.unit.as_str().into(),
        ]
    });
    let columns = [
        ("parameter", ColumnStyle::Words),
        ("value", ColumnStyle::Number),
        ("±", ColumnStyle::Number),
        ("unit", ColumnStyle::Words),
    ];
    let parameters = SectionElement::Table(Table::new(columns, rows));
    Section::new(
        format!("model {}, {}", fit.model, fit.link),
        [facts, parameters, curve(&fit.curve)],
    )
}

/// Rows of measured and fitted times that a terminal shows, which has no drawing.
const FITTED_TOP: usize = 8;

/// Measured times beside those of each model, as a drawing and as a table of errors.
fn comparison(fitted: &FittedTimes) -> Section {
    let line = |name: &str, times: &mut dyn Iterator<Item = Time>, is_ideal| {
        let lengths = fitted.measured.iter().map(|(bytes, _)| *bytes);
        let mut points = Vec::new();
        for (bytes, time) in lengths.zip(times) {
            // The axes are logarithmic.
            if bytes > 0 && time > Time::ZERO {
                points.push(Point {
                    x: bytes as f64,
                    y: time.seconds(),
                    ..Point::default()
                });
            }
        }
        Line {
            name: name.into(),
            points,
            is_ideal,
        }
    };
    let mut measured = fitted.measured.iter().map(|(_, time)| *time);
    let mut lines = vec![line("measured", &mut measured, false)];
    for model in &fitted.models {
        let mut times = model.times.iter().copied();
        lines.push(line(&model.model, &mut times, true));
    }
    let lengths: Vec<u64> = fitted.measured.iter().map(|(bytes, _)| *bytes).collect();
    let places = lengths
        .iter()
        // More names below the axis would overlap.
        .filter(|&&bytes| bytes > 0 && bytes.ilog2() % 4 == 0);
    let chart = Chart {
        title: format!("{}, {}", sample_kind(fitted.kind), fitted.link),
        axis: "bytes".into(),
        places: places
            .map(|&bytes| (bytes as f64, numbers::bytes(bytes)))
            .collect(),
        logarithmic_x: true,
        logarithmic_y: true,
        lines,
        spelled: Some(|seconds| Time::from_seconds(seconds).to_string()),
    };
    let column = |name: &str| Column {
        name: name.to_string().into(),
        style: ColumnStyle::Number,
    };
    let mut columns = vec![column("bytes"), column("measured")];
    for model in &fitted.models {
        columns.push(column(&model.model));
        columns.push(column("residual"));
    }
    let rows = fitted
        .measured
        .iter()
        .enumerate()
        .map(|(index, &(bytes, measured))| {
            let mut row = vec![TableCell::bytes(bytes), TableCell::time(measured)];
            for model in &fitted.models {
                let time = model.times[index];
                row.push(TableCell::time(time));
                row.push(residual(time, measured));
            }
            row
        });
    let table = Table {
        columns,
        rows: rows.collect(),
        rows_in_text: FITTED_TOP,
    };
    Section::new(
        format!(
            "measured and fitted: {}, {}",
            sample_kind(fitted.kind),
            fitted.link
        ),
        [SectionElement::Chart(chart), SectionElement::Table(table)],
    )
}

/// Fitted over measured, less 1.
fn residual(fitted: Time, measured: Time) -> TableCell {
    if measured <= Time::ZERO {
        return "-".into();
    }
    let share = fitted.seconds() / measured.seconds() - 1.0;
    TableCell {
        text: numbers::change(share),
        key: Some(share),
    }
}

/// Half of a parameter's 95 % confidence interval, by its covariance; empty where that is not known.
fn deviation(fit: &ModelFit, parameter: usize) -> TableCell {
    /// Half of the interval in standard deviations of a normal distribution.
    const HALF_INTERVAL: f64 = 1.96;
    let place = parameter * (fit.parameters.len() + 1);
    let Some(&variance) = fit.covariance.get(place) else {
        return "".into();
    };
    // Parameters that follow from others have no variance of their own in the file.
    if variance <= 0.0 {
        return "".into();
    }
    let half = HALF_INTERVAL * variance.sqrt();
    TableCell {
        text: numbers::plain(half),
        key: Some(half),
    }
}

fn curve(points: &[CurvePoint]) -> SectionElement {
    let rows = points.iter().map(|point| {
        [
            TableCell::bytes(point.bytes),
            TableCell::time(point.time),
            speed(point),
        ]
    });
    let columns = [
        ("bytes", ColumnStyle::Number),
        ("time", ColumnStyle::Number),
        ("bytes per second", ColumnStyle::Number),
    ];
    SectionElement::Table(Table::new(columns, rows).showing(TOP))
}

fn speed(point: &CurvePoint) -> TableCell {
    if point.bytes == 0 || point.time <= Time::ZERO {
        return "-".into();
    }
    TableCell::bytes((point.bytes as f64 / point.time.seconds()) as u64)
}

fn samples(data: &CommData) -> Section {
    let mut sorted: Vec<&CommSample> = data.samples.iter().collect();
    sorted.sort_by_key(|sample| {
        (
            sample.link,
            sample.kind,
            sample.ranks,
            sample.delay,
            sample.bytes,
        )
    });
    let rows = sorted.into_iter().map(|sample| {
        [
            sample_kind(sample.kind).into(),
            sample.link.to_string().into(),
            TableCell::ordinal(sample.ranks),
            TableCell::bytes(sample.bytes),
            if sample.delay == Time::ZERO {
                "".into()
            } else {
                TableCell::time(sample.delay)
            },
            TableCell::time(sample.median),
            TableCell::time(sample.minimum),
            TableCell::time(sample.spread),
            TableCell::count(sample.repetitions),
        ]
    });
    let columns = [
        ("sample", ColumnStyle::Words),
        ("link", ColumnStyle::Words),
        ("ranks", ColumnStyle::Number),
        ("bytes", ColumnStyle::Number),
        ("delay", ColumnStyle::Number),
        ("median", ColumnStyle::Number),
        ("smallest", ColumnStyle::Number),
        ("quartiles", ColumnStyle::Number),
        ("times", ColumnStyle::Number),
    ];
    Section::new(
        "samples",
        [SectionElement::Table(
            Table::new(columns, rows).showing(TOP),
        )],
    )
}

fn sample_kind(kind: SampleKind) -> &'static str {
    match kind {
        SampleKind::PingPong => "ping-pong / 2",
        SampleKind::Receive => "receive",
        SampleKind::Delayed => "delayed round trip",
        SampleKind::NonblockingSend => "MPI_Isend",
        SampleKind::BlockingSend => "MPI_Send",
        SampleKind::Wait => "MPI_Wait",
        SampleKind::Flood => "flood",
        SampleKind::Poll => "empty poll",
        SampleKind::ToSelf => "to self",
        SampleKind::LateReceive => "MPI_Recv, arrived",
        SampleKind::NonblockingReceive => "MPI_Irecv",
        SampleKind::Exchange => "both directions",
        SampleKind::Incast => "all to one",
        SampleKind::Behind => "behind a message",
        SampleKind::ExchangeFlood => "consecutive in both directions",
    }
}

fn collectives(data: &CommData) -> Section {
    let rows = data.collectives.iter().flat_map(|curve| {
        curve.points.iter().map(|point| {
            [
                curve.kind.name().into(),
                TableCell::ordinal(curve.ranks),
                TableCell::ordinal(curve.ranks_per_node),
                TableCell::bytes(point.bytes),
                TableCell::time(point.time),
            ]
        })
    });
    let columns = [
        ("collective", ColumnStyle::Words),
        ("ranks", ColumnStyle::Number),
        ("per node", ColumnStyle::Number),
        ("bytes per rank", ColumnStyle::Number),
        ("time", ColumnStyle::Number),
    ];
    Section::new(
        "measured collectives",
        [SectionElement::Table(
            Table::new(columns, rows).showing(TOP),
        )],
    )
}

fn reductions(data: &CommData) -> Section {
    let rows = data.reduction_rates.iter().map(|rate| {
        let value = rate.picoseconds_per_element;
        [
            reduce_op(rate.op).into(),
            element(rate.element).into(),
            TableCell {
                text: format!("{} ns", numbers::plain(value / 1e3)),
                key: Some(value),
            },
        ]
    });
    let columns = [
        ("operation", ColumnStyle::Words),
        ("element", ColumnStyle::Words),
        ("per element", ColumnStyle::Number),
    ];
    Section::new(
        "reductions",
        [SectionElement::Table(Table::new(columns, rows))],
    )
}

fn reduce_op(op: ReduceOp) -> &'static str {
    match op {
        ReduceOp::Sum => "sum",
        ReduceOp::Product => "product",
        ReduceOp::Maximum => "maximum",
        ReduceOp::Minimum => "minimum",
        ReduceOp::LogicalAnd => "logical and",
        ReduceOp::LogicalOr => "logical or",
        ReduceOp::LogicalXor => "logical exclusive or",
        ReduceOp::BitAnd => "bitwise and",
        ReduceOp::BitOr => "bitwise or",
        ReduceOp::BitXor => "bitwise exclusive or",
        ReduceOp::MaximumLocation => "maximum with index",
        ReduceOp::MinimumLocation => "minimum with index",
        ReduceOp::User { commutes: true } => "the program's own, commutes",
        ReduceOp::User { commutes: false } => "the program's own, does not commute",
    }
}

fn element(element: BasicDatatype) -> String {
    match element {
        BasicDatatype::Byte => "byte".into(),
        BasicDatatype::Character => "character".into(),
        BasicDatatype::Integer(bytes) => format!("integer, {bytes} bytes"),
        BasicDatatype::Unsigned(bytes) => format!("unsigned integer, {bytes} bytes"),
        BasicDatatype::Real(bytes) => format!("real, {bytes} bytes"),
        BasicDatatype::Complex(bytes) => format!("complex, {bytes} bytes"),
        BasicDatatype::Logical(bytes) => format!("logical, {bytes} bytes"),
        BasicDatatype::Pair(value, index) => {
            format!("value of {value} with index of {index} bytes")
        }
    }
}
