//! Curves of OSU Micro-Benchmarks of two public machines, predicted from what was imported of their own point-to-point outputs: the programs
//! of the benchmarks are replayed. The figures are those of StackHPC's hpc-tests (github.com/stackhpc/hpc-tests, folder `output`, October
//! 2020). `UPDATE_EXPECT=1` writes the table of docs/results/imported-benchmarks.md.

use crate::builder::*;
use base_data::Time;
use base_data::comm_data::{LinkClass, ModelFit, Parameter};
use base_data::platform_file::PlatformFile;
use base_data::program_data::{CollectiveKind, Op};
use machine::Platform;
use machine::calibrate::{self, Run};
use std::fmt::Write;
use std::path::Path;

struct Machine {
    name: &'static str,
    library: &'static str,
    point_to_point: &'static str,
    alltoall: &'static str,
}

const MACHINES: [Machine; 2] = [
    Machine {
        name: "CSD3",
        library: "3.1.6",
        point_to_point: include_str!("public_benchmarks/csd3-point-to-point.txt"),
        alltoall: include_str!("public_benchmarks/csd3-alltoall.txt"),
    },
    Machine {
        name: "AlaSKA",
        library: "4.0.3",
        point_to_point: include_str!("public_benchmarks/alaska-point-to-point.txt"),
        alltoall: include_str!("public_benchmarks/alaska-alltoall.txt"),
    },
];

/// Messages in a row of osu_bw and osu_bibw.
const WINDOW: u32 = 64;
/// Repetitions of the windows: the first ones fill the network.
const WINDOWS: u64 = 4;
/// Ranks of osu_alltoall, half of them on each node.
const RANKS: u32 = 64;

/// Lengths whose predictions stand in the table.
const LENGTHS: [u64; 6] = [8, 512, 4096, 32768, 262_144, 1_048_576];

impl Machine {
    fn file(&self, ranks_per_node: u32) -> Platform {
        let text = format!(
            "format = 1\nname = \"public\"\nlinks = []\nnodes = 2\nranks_per_node = {ranks_per_node}\n\
             [mpi]\nlibrary = \"Open MPI\"\nversion = \"{}\"\n",
            self.library
        );
        let file = PlatformFile::parse(&text).expect("a platform file");
        let mut platform =
            Platform::new(file, &|name| Err(format!("no file {name}"))).expect("a platform");
        let made = calibrate::calibrate(&[("osu.txt", self.point_to_point)], &Run::default());
        let mut data = made.expect("communication data").data;
        data.fits.push(inside_node());
        platform.replace_comm(&data).expect("a platform");
        platform
    }

    /// The rows of one benchmark in the outputs: length and value.
    fn measured(&self, benchmark: &str) -> Vec<(u64, f64)> {
        let all = [self.point_to_point, self.alltoall].concat();
        let mut rows = Vec::new();
        let mut is_wanted = false;
        for line in all.lines() {
            if line.starts_with("# OSU MPI") {
                is_wanted = line.contains(benchmark);
            }
            let columns: Vec<&str> = line.split_whitespace().collect();
            if let (true, [length, value]) = (is_wanted, &columns[..])
                && let (Ok(length), Ok(value)) = (length.parse(), value.parse())
            {
                rows.push((length, value));
            }
        }
        rows
    }
}

/// Messages inside a node are not in the outputs: an assumption, which concerns osu_alltoall alone.
fn inside_node() -> ModelFit {
    let values = [
        ("o_send", 100.0, "ns"),
        ("o_recv", 100.0, "ns"),
        ("L", 200.0, "ns"),
        ("G", 0.1, "ns/byte"),
        ("G_node", 0.01, "ns/byte"),
    ];
    let parameter = |(name, value, unit): (&str, f64, &str)| Parameter {
        name: name.into(),
        value,
        unit: unit.into(),
    };
    ModelFit {
        model: "flow".into(),
        link: LinkClass::InsideNode,
        parameters: values.map(parameter).into(),
        curve: Vec::new(),
        covariance: Vec::new(),
        residual: None,
        source: "assumed".into(),
    }
}

fn end(streams: Vec<Vec<Op>>, platform: &Platform) -> Time {
    let found = estimate(&program(streams, &[]), platform);
    found.per_rank[0].end
}

fn latency(platform: &Platform, bytes: i64) -> f64 {
    let streams = vec![
        vec![send(1, 1, bytes), receive(2, 1, bytes)],
        vec![receive(3, 0, bytes), send(4, 0, bytes)],
    ];
    end(streams, platform).microseconds() / 2.0
}

/// 10⁶ bytes per second in one direction.
fn bandwidth(platform: &Platform, bytes: i64) -> f64 {
    let requests: Vec<u32> = (0..WINDOW).collect();
    let mut sender: Vec<Op> = requests
        .iter()
        .map(|&one| isend(1, 1, bytes, one))
        .collect();
    sender.push(wait(2, &requests));
    sender.push(receive(3, 1, 4));
    let mut receiver: Vec<Op> = requests
        .iter()
        .map(|&one| ireceive(4, 0, bytes, one))
        .collect();
    receiver.push(wait(5, &requests));
    receiver.push(send(6, 0, 4));
    let streams = vec![repeat(WINDOWS, sender), repeat(WINDOWS, receiver)];
    let time = end(streams, platform).microseconds();
    bytes as f64 * f64::from(WINDOW) * WINDOWS as f64 / time
}

/// The same of both directions together.
fn both_directions(platform: &Platform, bytes: i64) -> f64 {
    let rank = |other: u32| {
        let requests: Vec<u32> = (0..2 * WINDOW).collect();
        let (receives, sends) = requests.split_at(WINDOW as usize);
        let mut ops: Vec<Op> = receives
            .iter()
            .map(|&one| ireceive(1, other, bytes, one))
            .collect();
        ops.extend(sends.iter().map(|&one| isend(2, other, bytes, one)));
        ops.push(wait(3, &requests));
        repeat(WINDOWS, ops)
    };
    let time = end(vec![rank(1), rank(0)], platform).microseconds();
    2.0 * bytes as f64 * f64::from(WINDOW) * WINDOWS as f64 / time
}

/// Of blocks of so many bytes.
fn alltoall(platform: &Platform, bytes: i64) -> f64 {
    let call = collective(1, CollectiveKind::Alltoall, 0, None, bytes / 8);
    let streams = vec![vec![call]; RANKS as usize];
    end(streams, platform).microseconds()
}

struct Row {
    bytes: u64,
    predicted: f64,
    measured: f64,
}

impl Row {
    fn error(&self) -> f64 {
        self.predicted / self.measured - 1.0
    }
}

fn rows(measured: &[(u64, f64)], predict: impl Fn(i64) -> f64) -> Vec<Row> {
    let mut rows = Vec::new();
    for &(bytes, measured) in measured {
        if LENGTHS.contains(&bytes) {
            rows.push(Row {
                bytes,
                predicted: predict(bytes as i64),
                measured,
            });
        }
    }
    rows
}

fn median_error(rows: &[Row]) -> f64 {
    let mut sizes: Vec<f64> = rows.iter().map(|row| row.error().abs()).collect();
    sizes.sort_unstable_by(f64::total_cmp);
    sizes[sizes.len() / 2]
}

fn table() -> String {
    let mut text = String::from(
        "| machine | benchmark | bytes | predicted | measured | difference |\n| --- | --- | --- | --- | --- | --- |\n",
    );
    for machine in &MACHINES {
        let (pair, nodes) = (machine.file(1), machine.file(RANKS / 2));
        let benchmarks = [
            (
                "osu_latency, µs",
                rows(&machine.measured("MPI Latency Test"), |bytes| {
                    latency(&pair, bytes)
                }),
                0.02,
            ),
            (
                "osu_bw, MB/s",
                rows(&machine.measured("MPI Bandwidth"), |bytes| {
                    bandwidth(&pair, bytes)
                }),
                0.2,
            ),
            (
                "osu_bibw, MB/s",
                rows(&machine.measured("Bi-Directional"), |bytes| {
                    both_directions(&pair, bytes)
                }),
                0.15,
            ),
            (
                "osu_alltoall, µs",
                rows(&machine.measured("All-to-All"), |bytes| {
                    alltoall(&nodes, bytes)
                }),
                0.5,
            ),
        ];
        for (benchmark, rows, limit) in benchmarks {
            let median = median_error(&rows);
            assert!(median <= limit, "{}: {benchmark}: {median}", machine.name);
            // Equal by construction: the latency by length is what remains of these half round trips.
            if benchmark.starts_with("osu_latency") {
                continue;
            }
            for row in rows {
                let _ = writeln!(
                    text,
                    "| {} | {benchmark} | {} | {:.2} | {:.2} | {:+.1} % |",
                    machine.name,
                    row.bytes,
                    row.predicted,
                    row.measured,
                    row.error() * 100.0
                );
            }
        }
    }
    text
}

#[test]
fn table_of_imported_benchmarks() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/results/imported-benchmarks.md");
    let text = std::fs::read_to_string(&path).expect("the page");
    let (head, tail) = ("<!-- imported -->\n", "<!-- end of imported -->\n");
    let start = text.find(head).expect("a mark") + head.len();
    let end = text.find(tail).expect("a mark");
    let table = table();
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        let whole = format!("{}{table}{}", &text[..start], &text[end..]);
        std::fs::write(&path, whole).expect("the page");
        return;
    }
    assert!(
        text[start..end] == table,
        "docs/results/imported-benchmarks.md is older than the models: UPDATE_EXPECT=1\n{table}"
    );
}
