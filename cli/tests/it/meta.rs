//! Meta-programs from the command line: costs, estimates, errors, and programs beside their descriptions.

use crate::command::{answer, done, mpiete, root};
use crate::npb_verification;
use crate::workflow::{command, project};
use base_data::Rank;
use base_data::estimate_file::Estimate;
use base_data::program_data::{Call, Counts, Op, Operand, Peer, ProgramData, Transfer};
use base_data::stream::entries;
use npb_fixtures::{CG, EP, LU, ProblemClass};
use std::path::{Path, PathBuf};
use std::process::Command;

fn program_data(path: &Path) -> ProgramData {
    base_data::format::decode(&std::fs::read(path).unwrap()).unwrap()
}

/// A folder with a meta-program `a.meta`.
fn folder(text: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("a.meta"), text).unwrap();
    folder
}

fn estimate(text: &str, arguments: &[&str]) -> Estimate {
    let folder = folder(text);
    let mut words = vec!["meta", "a.meta", "-o", "a.mpiete"];
    words.extend(arguments);
    done(folder.path(), &words);
    base_data::format::decode(&std::fs::read(folder.path().join("a.mpiete")).unwrap()).unwrap()
}

#[test]
fn figure_2_with_argument_20_costs_860() {
    let figure = root().join("meta/tests/figures/figure02.meta");
    let figure = figure.display().to_string();
    let text = done(&root(), &["meta", &figure, "--arg", "20", "--costs"]);
    let row = text
        .lines()
        .find(|line| line.contains("comp_cost"))
        .unwrap();
    let words: Vec<&str> = row.split_whitespace().collect();
    assert_eq!(words, ["comp_cost", "860", "860", "860", "0"], "{text}");
    let text = done(
        &root(),
        &["meta", &figure, "--arg", "20", "--costs", "--format", "csv"],
    );
    assert!(text.contains("\n0,860,"), "{text}");
}

#[test]
fn bad_meta_programs_are_bad_input() {
    let cases = [
        ("FOR 3\n", &[][..], "a.meta:1:1: FOR has no END"),
        (
            "compute(n)\n",
            &[],
            "a.meta:1:9: n has no value; assign one before, or give it with --arg n=VALUE",
        ),
        (
            "DEF f()\n f()\nEND\nf()\n",
            &[],
            "a.meta:2:2: f calls itself without end",
        ),
        (
            "FOR k IN 0..10^12\n compute(k)\nEND\n",
            &[],
            "all ranks together execute more than 67108864 statements",
        ),
        // A platform that is too small is reported before the meta-program is executed, which is refused later.
        (
            "FOR k IN 0..10^12\n compute(k)\nEND\n",
            &["-n", "65", "--platform", "fast-ethernet"],
            "has room for 64 ranks",
        ),
        ("compute(n)\n", &["--arg", "n=x"], "'x' is no number"),
        (
            "compute(1)\n",
            &["--compute-unit", "3"],
            "write a time with its unit",
        ),
        // What cannot be replayed is reported by the estimator, with the line.
        (
            "IF ID == 0\n msgrecv(8, 1)\nEND\n",
            &["-n", "2"],
            "a.meta:2:2: rank 0 waits for ever for a message with tag 0 from rank 1",
        ),
        (
            "IF ID == 0\n barrier()\nEND\n",
            &["-n", "2"],
            "\n  2 |  barrier()\n    |  ^^^^^^^^^",
        ),
        (
            "FOR 1e300\n compute(1)\nEND\n",
            &[],
            "a.meta:1:5: 1e300 iterations are too many",
        ),
    ];
    for (text, arguments, message) in cases {
        let folder = folder(text);
        let mut words = vec!["meta", "a.meta"];
        words.extend(arguments);
        let answer = mpiete(folder.path(), &words);
        assert_eq!(answer.code, 2, "{text}: {}{}", answer.out, answer.err);
        assert!(answer.err.contains(message), "{text}: {}", answer.err);
    }
}

#[test]
fn costs_times_their_unit_are_times() {
    let result = estimate(
        "FOR 1000\n compute(2)\nEND\noutput(5)\n",
        &["-n", "4", "--compute-unit", "3us", "--stream-unit", "1ms"],
    );
    assert_eq!(result.headline.picoseconds(), 11_000_000_000);
    assert_eq!((result.p10, result.p90), (result.headline, result.headline));
    assert!(
        !result.warnings.iter().any(|one| one.contains("unit")),
        "{:?}",
        result.warnings
    );
    let result = estimate("compute(2)\noutput(5)\n", &[]);
    assert_eq!(result.headline.picoseconds(), 2000);
    assert!(result.warnings[0].contains("--compute-unit"));
    assert!(result.warnings[1].contains("--stream-unit"));
}

/// A meta-program that uses ranks needs their number; one that does not is sequential.
#[test]
fn missing_number_of_ranks_is_reported() {
    let warns = |text: &str, options: &[&str]| {
        let result = estimate(text, options);
        result
            .warnings
            .iter()
            .any(|one| one.contains("give it with -n N"))
    };
    assert!(warns("compute(2)\nallreduce(8)\n", &[]));
    assert!(warns("IF ID == 0\n compute(2)\nEND\n", &[]));
    assert!(!warns("compute(2)\nallreduce(8)\n", &["-n", "1"]));
    assert!(!warns("PARALLEL 2 DO\n allreduce(8)\nEND\n", &[]));
    assert!(!warns("compute(2)\n", &[]));
}

#[test]
fn random_work_varies_in_the_draws() {
    let text = "FOR 100\n IF 0.5\n compute(2)\n END\nEND\n";
    // Percentiles of 21 draws of one execution are off by a quarter.
    let result = estimate(text, &["--compute-unit", "1us", "--draws", "2000"]);
    // The draws have the exact mean only on average.
    let mean = result.headline.seconds() * 1e6;
    assert!((mean - 100.0).abs() < 0.1, "{mean}");
    // 80 % of the binomial distribution: 1.28 deviations of 10 µs on both sides.
    let width = (result.p90 - result.p10).seconds() * 1e6;
    assert!((20.0..32.0).contains(&width), "{width}");
}

#[test]
fn random_calls_widen_the_interval() {
    let text = "FOR 1000\n compute(1000)\n allreduce(8)\n IF 0.01\n BREAK\n END\nEND\n";
    let arguments = [
        "-n",
        "4",
        "--compute-unit",
        "1us",
        "--platform",
        "fast-ethernet",
    ];
    let result = estimate(text, &arguments);
    let names: Vec<&str> = result.sources.iter().map(|one| one.name.as_str()).collect();
    assert_eq!(names[0], "random calls", "{names:?}");
    // 100 iterations of 1 ms are expected, and as many are the deviation.
    let seconds = result.headline.seconds();
    assert!((0.04..0.25).contains(&seconds), "{seconds}");
    assert!(result.p90.seconds() > 1.5 * seconds, "{:?}", result.p90);
    let again = estimate(text, &arguments);
    assert_eq!(again.headline, result.headline);
}

#[test]
fn samples_have_noise_for_the_blocks_that_they_execute() {
    let rare = "IF 0.05\n compute(100000)\n END\n barrier()\n";
    // Of 8 ranks one or more takes 100 ms with this probability; the barriers take half a millisecond.
    let slow = 100e-3 * (1.0 - 0.95f64.powi(8));
    for (text, expected) in [
        (format!("IF 0.5\n barrier()\n {rare} END\n"), 0.5 * slow),
        (
            format!("IF 0.5\n barrier()\n ELSE\n {rare} END\n"),
            0.5 * slow,
        ),
        (format!("IF 0.999\n barrier()\n {rare} END\n"), slow),
    ] {
        let arguments = ["-n", "8", "--compute-unit", "1us", "--draws", "1600"];
        let result = estimate(&text, &arguments);
        let seconds = result.headline.seconds();
        assert!((seconds / expected - 1.0).abs() < 0.1, "{seconds}:\n{text}");
        assert!(result.p90.seconds() > 0.09, "{:?}:\n{text}", result.p90);
    }
}

#[test]
fn random_calls_without_computation_have_an_interval() {
    let text = "IF 0.5\n msgsendrecv(8, (ID + 1) % RANKS, (ID + 2) % RANKS)\nEND\n";
    let folder = folder(text);
    let text = done(
        folder.path(),
        &["meta", "a.meta", "-n", "3", "--draws", "20"],
    );
    assert!(text.contains("(80 % between 0 s and "), "{text}");
}

#[test]
fn steps_of_random_work_stay_steps() {
    let text = "IF 0.5\n compute(1000)\nEND\nbarrier()\n";
    let arguments = ["-n", "2", "--compute-unit", "1us", "--draws", "500"];
    let result = estimate(text, &arguments);
    // The barrier takes 87 us.
    let p90 = result.p90.seconds();
    assert!((p90 - 1.087e-3).abs() < 2e-6, "{p90}");
    // Three of four times one of the ranks computes.
    let headline = result.headline.seconds();
    assert!((headline / 837e-6 - 1.0).abs() < 0.01, "{headline}");
}

#[test]
fn one_sample_of_random_calls_is_named() {
    let text = "FOR 100\n IF 0.3\n  barrier()\n ELSE\n  compute(100000)\n END\n IF 0.02\n  BREAK\n END\nEND\n";
    let folder = folder(text);
    let here = folder.path();
    let sample = "random outcomes determine which MPI calls are made at a.meta:3";
    let written = mpiete(
        here,
        &[
            "meta",
            "a.meta",
            "-n",
            "2",
            "--draws",
            "0",
            "--base-data",
            "d",
        ],
    );
    assert_eq!(written.code, 0, "{}", written.err);
    assert!(written.err.contains(sample), "{}", written.err);
    let label = "(one sample of random calls with mean values, no interval)";
    assert!(written.out.contains(label), "{}", written.out);
    let words = ["estimate", "d/program.mpiete", "d/compute.mpiete"];
    for further in [&["--draws", "0"][..], &[], &["--total-only"]] {
        let text = done(here, &[&words[..], further].concat());
        let words: Vec<&str> = text.split_whitespace().collect();
        assert!(words.join(" ").contains(sample), "{text}");
    }
    // Many samples have an interval.
    let text = done(here, &["meta", "a.meta", "-n", "2"]);
    assert!(!text.contains("one sample"), "{text}");
}

#[test]
fn costs_of_base_data_are_those_of_the_reference_pu() {
    let folder = folder("compute(1000)\nbarrier()\n");
    let here = folder.path();
    done(here, &["meta", "a.meta", "-n", "2", "--base-data", "d"]);
    let from = |scale: &str| {
        let mut words = vec!["meta", "--from", "d/program.mpiete"];
        words.extend(["--from", "d/compute.mpiete", "--scale", scale]);
        done(here, &words)
    };
    for scale in ["1", "0.5"] {
        let text = from(scale);
        assert!(text.contains("$main_1 = 1000 "), "{text}");
        assert_eq!(text.contains("on a PU of speed 1"), scale != "1", "{text}");
    }
}

#[test]
fn inputs_are_never_overwritten() {
    let text = "compute(1)\n";
    let folder = folder(text);
    let here = folder.path();
    let refused = mpiete(here, &["meta", "a.meta", "-o", "./a.meta"]);
    assert_eq!(refused.code, 2, "{}", refused.err);
    assert!(refused.err.contains("name another file"), "{}", refused.err);
    let left = std::fs::read_to_string(here.join("a.meta")).unwrap();
    assert_eq!(left, text);
}

#[test]
fn base_data_of_a_deadlock_are_not_written() {
    let folder = folder("msgrecv(8, 1 - ID)\nmsgsend(8, 1 - ID)\n");
    let here = folder.path();
    let failed = mpiete(here, &["meta", "a.meta", "-n", "2", "--base-data", "d"]);
    assert_eq!(failed.code, 2, "{}", failed.err);
    assert!(!here.join("d").exists());
}

#[test]
fn slow_nodes_of_a_platform_take_longer() {
    let folder = folder("compute(1000)\nbarrier()\n");
    let here = folder.path();
    let bundled = root().join("machine/src/platforms/fast-ethernet.toml");
    let bundled = std::fs::read_to_string(bundled).unwrap();
    let types = "pu = [{ first_node = 0, nodes = 2 }, { first_node = 2, nodes = 62, speed = 0.5 }]";
    let halves = bundled.replacen("pu = \"as measured\"", types, 1);
    std::fs::write(here.join("halves.toml"), halves).unwrap();
    let seconds = |ranks: &str| {
        let mut words = vec!["meta", "a.meta", "-n", ranks, "--compute-unit", "1ms"];
        words.extend(["--platform", "halves.toml", "-o", "a.mpiete"]);
        done(here, &words);
        let bytes = std::fs::read(here.join("a.mpiete")).unwrap();
        let result: Estimate = base_data::format::decode(&bytes).unwrap();
        result.headline.seconds()
    };
    let (fast, slow) = (seconds("2"), seconds("4"));
    assert!((fast - 1.0).abs() < 0.01, "{fast}");
    assert!((slow - 2.0).abs() < 0.01, "{slow}");
}

/// Nodes of two speeds behind two switches with a slow link between them.
#[test]
fn unequal_nodes_and_switches_count_under_the_model_flow() {
    let text = "compute(100)\nmsgsendrecv(1e7, (ID + 4) % RANKS, (ID + 4) % RANKS)\n";
    let folder = folder(text);
    let here = folder.path();
    let bundled = root().join("machine/src/platforms/25gbe-cloud.toml");
    let bundled = std::fs::read_to_string(bundled).unwrap();
    let types = "pu = [{ first_node = 0, nodes = 4 }, { first_node = 4, nodes = 60, speed = 0.5 }]";
    let unequal = bundled.replacen("pu = \"as measured\"", types, 1);
    let topology = "\n[topology]\nkind = \"cascade\"\nnodes_per_switch = 4\nuplink = 0.25\n";
    let result = |platform: String| {
        std::fs::write(here.join("p.toml"), platform).unwrap();
        let mut words = vec!["meta", "a.meta", "-n", "8", "--compute-unit", "1ms"];
        words.extend(["--platform", "p.toml", "--draws", "0", "-o", "a.mpiete"]);
        done(here, &words);
        let bytes = std::fs::read(here.join("a.mpiete")).unwrap();
        let result: Estimate = base_data::format::decode(&bytes).unwrap();
        assert_eq!(result.model, "flow");
        result
    };
    let one_switch = result(unequal.clone());
    let two_switches = result(unequal + topology);
    for (rank, seconds) in [(0, 0.1), (3, 0.1), (4, 0.2), (7, 0.2)] {
        let compute = two_switches.per_rank[rank].split[0].seconds();
        assert!((compute - seconds).abs() < 1e-6, "rank {rank}: {compute}");
    }
    // Four messages in each direction share a quarter of a node's capacity: sixteen times the 3.3 ms of one alone.
    let (alone, shared) = (
        one_switch.headline.seconds() - 0.2,
        two_switches.headline.seconds() - 0.2,
    );
    assert!((0.003..0.006).contains(&alone), "{alone}");
    assert!((0.050..0.060).contains(&shared), "{shared}");
}

#[test]
fn written_base_data_give_the_same_estimate() {
    let folder = folder("FOR 10\n compute(ID + 1)\n allreduce(800)\nEND\n");
    let here = folder.path();
    let platform = ["--platform", "fast-ethernet", "--format", "csv"];
    let mut words = vec!["meta", "a.meta", "-n", "5", "--compute-unit", "1us"];
    words.extend(["--base-data", "data"]);
    words.extend(platform);
    let first = done(here, &words);
    let mut words = vec!["estimate", "data/program.mpiete", "data/compute.mpiete"];
    words.extend(platform);
    let second = done(here, &words);
    assert_eq!(first, second);
}

#[test]
fn formatted_source_is_printed() {
    let folder = folder("FOR  3 # three\ncompute( 1 )\nEND");
    let text = done(folder.path(), &["meta", "a.meta", "--format-source"]);
    assert_eq!(text, "FOR 3  # three\n  compute(1)\nEND\n");
}

/// The calls of a rank: function, partner and bytes.
fn calls(data: &ProgramData, rank: Rank) -> Vec<String> {
    let (_, position) = data.class_of(rank).unwrap();
    let value = |operand: Operand| data.value(operand, rank, position).unwrap();
    let bytes = |count: Operand, datatype: u32| {
        value(count) * data.datatypes[datatype as usize].bytes() as i64
    };
    let transfer = |what: &str, transfer: &Transfer| {
        let peer = match transfer.peer {
            Peer::Rank(rank) => value(rank).to_string(),
            Peer::Null => "none".into(),
            Peer::Any => "any".into(),
        };
        format!("{what} {peer} {}", bytes(transfer.count, transfer.datatype))
    };
    let mut found = Vec::new();
    for op in entries(data, rank) {
        let Op::Call { call, .. } = op else { continue };
        match call {
            Call::Init | Call::Finalize => {}
            Call::Send { transfer: what, .. } => found.push(transfer("send", what)),
            Call::Receive { transfer: what, .. } => found.push(transfer("receive", what)),
            Call::Collective {
                kind,
                root,
                counts: Counts::Same(count),
                datatype,
                ..
            } => {
                let bytes = match data.datatypes.is_empty() {
                    true => 0,
                    false => bytes(*count, *datatype),
                };
                let root = root.map(value);
                found.push(format!("{kind:?} {root:?} {bytes}"));
            }
            other => panic!("{other:?}"),
        }
    }
    found
}

fn meta_folder() -> PathBuf {
    root().join("meta/tests/programs")
}

/// Expects that the program `./NAME` makes the calls of a meta-program.
fn compare_calls(here: &Path, program: &str, meta_program: &str) {
    done(
        here,
        &["record", "-n", "4", "-o", "run.mpiete", "--", program],
    );
    let described = meta_folder().join(meta_program).display().to_string();
    done(
        here,
        &["meta", &described, "-n", "4", "--base-data", "data"],
    );
    let run = program_data(&here.join("run.mpiete"));
    let described = program_data(&here.join("data/program.mpiete"));
    for rank in (0..4).map(Rank) {
        assert_eq!(calls(&run, rank), calls(&described, rank), "rank {rank}");
    }
}

/// Headers and libraries of mpiete's MPI, in the folder `study`.
fn make_study(here: &Path) {
    let ring = root().join("npb-fixtures/programs/patterns/ring.f90");
    let ring = ring.display().to_string();
    done(here, &["prepare", &ring, "-o", "study"]);
    done(here, &["record", "study", "-n", "1"]);
}

#[test]
fn meta_programs_make_the_calls_of_their_programs() {
    for name in ["wave", "mandelbrot"] {
        let folder = tempfile::tempdir().unwrap();
        let here = folder.path();
        make_study(here);
        let source = meta_folder().join(format!("{name}.f90"));
        let mut build = Command::new("gfortran");
        build.args(["-Istudy/include", "-J.", "study/include/mpi.f90"]);
        build.arg(&source);
        build.args(["-o", name, "-Lstudy/lib", "-lmpi"]);
        let built = answer(build.current_dir(here));
        assert_eq!(built.code, 0, "{}", built.err);
        compare_calls(here, &format!("./{name}"), &format!("{name}.meta"));
    }
}

#[test]
fn meta_program_of_ep_makes_its_calls() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    make_study(here);
    npb_verification::compile(here, &EP, ProblemClass::S, &["-O2"]);
    compare_calls(here, "./kernel", "ep.meta");
}

/// The time with mean times of blocks.
fn mean_time(here: &Path, words: &[&str], platform: &str) -> f64 {
    let mut words = words.to_vec();
    words.extend(["--platform", platform, "--draws", "0", "-o", "time.mpiete"]);
    done(here, &words);
    let bytes = std::fs::read(here.join("time.mpiete")).unwrap();
    let result: Estimate = base_data::format::decode(&bytes).unwrap();
    result.headline.seconds()
}

/// Describes the study `study` and compares both estimates.
fn describe_and_compare(here: &Path, name: &str) {
    // On the slow network messages dominate, on the fast one computation.
    for platform in ["fast-ethernet", "hdr-infiniband"] {
        let original = mean_time(here, &["estimate", "study", "-n", "4"], platform);
        let mut words = vec!["meta", "--from", "study", "-n", "4"];
        words.extend(["--platform", platform, "-o", "study.meta"]);
        done(here, &words);
        let words = ["meta", "study.meta", "--compute-unit", "1ns"];
        let described = mean_time(here, &words, platform);
        let difference = described / original - 1.0;
        assert!(
            difference.abs() < 0.01,
            "{name} on {platform}: {original} s, described {described} s"
        );
    }
}

#[test]
fn described_unequal_executions_take_the_same_time() {
    let text = "\
FOR k IN 0..40
  c = 1000
  IF k % RANKS == ID
    c = 200000
  END
  compute(c)
  allreduce(8)
END
";
    let folder = folder(text);
    let here = folder.path();
    let platform = "hdr-infiniband";
    let units = ["-n", "4", "--compute-unit", "1ns"];
    let written = [&["meta", "a.meta", "--base-data", "d"], &units[..]].concat();
    let original = mean_time(here, &written, platform);
    let mut words = vec![
        "meta",
        "--from",
        "d/program.mpiete",
        "--from",
        "d/compute.mpiete",
    ];
    words.extend(["--platform", platform, "-o", "b.meta"]);
    let answer = mpiete(here, &words);
    assert_eq!((answer.code, answer.err.as_str()), (0, ""));
    let described = mean_time(here, &[&["meta", "b.meta"], &units[..]].concat(), platform);
    let difference = described / original - 1.0;
    assert!(
        difference.abs() < 0.01,
        "{original} s, described {described} s"
    );
}

#[test]
fn described_kernels_take_the_same_time() {
    for kernel in [&CG, &LU] {
        let folder = tempfile::tempdir().unwrap();
        let here = folder.path();
        let project = project(kernel, ProblemClass::S);
        done(here, &command("prepare", &project, &["-o", "study"]));
        done(here, &["record", "study", "-n", "4"]);
        done(
            here,
            &[
                "measure", "study", "-n", "4", "--co-run", "1", "--budget", "1",
            ],
        );
        describe_and_compare(here, &format!("{kernel:?}"));
    }
}

#[test]
fn described_halo_exchange_takes_the_same_time() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    let source = meta_folder().join("wave.f90").display().to_string();
    done(here, &["prepare", &source, "-o", "study"]);
    done(here, &["record", "study", "-n", "4"]);
    done(
        here,
        &[
            "measure", "study", "-n", "4", "--co-run", "1", "--budget", "1",
        ],
    );
    describe_and_compare(here, "wave");
}

/// Communicators, persistent messages, counts for each rank, and a probe.
const COMMUNICATORS: &str = "\
program communicators
  use mpi
  implicit none
  integer :: me, ranks, row, other, step, i, ierr, requests(2), counts(4), offsets(4)
  integer :: status(MPI_STATUS_SIZE)
  double precision :: mine(4000), all(4000), sum
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, me, ierr)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierr)
  call MPI_Comm_split(MPI_COMM_WORLD, me/2, me, row, ierr)
  call MPI_Comm_dup(MPI_COMM_WORLD, other, ierr)
  do i = 1, 4
    counts(i) = 100*i
  end do
  offsets = [0, 100, 300, 600]
  call MPI_Send_init(mine, 500, MPI_DOUBLE_PRECISION, mod(me + 1, ranks), 3, other, requests(1), ierr)
  call MPI_Recv_init(all, 500, MPI_DOUBLE_PRECISION, mod(me + ranks - 1, ranks), 3, other, requests(2), ierr)
  mine = me
  do step = 1, 20
    call MPI_Startall(2, requests, ierr)
    do i = 1, 4000
      mine(i) = mine(i)*0.5d0 + i
    end do
    call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE, ierr)
    call MPI_Allreduce(mine(1), sum, 1, MPI_DOUBLE_PRECISION, MPI_SUM, row, ierr)
    call MPI_Bcast(mine, 200, MPI_DOUBLE_PRECISION, 1, row, ierr)
    call MPI_Allgatherv(mine, counts(me + 1), MPI_DOUBLE_PRECISION, all, counts, offsets, MPI_DOUBLE_PRECISION, &
                        MPI_COMM_WORLD, ierr)
  end do
  if (me == 0) then
    call MPI_Probe(1, 7, MPI_COMM_WORLD, status, ierr)
    call MPI_Recv(all, 10, MPI_DOUBLE_PRECISION, 1, 7, MPI_COMM_WORLD, status, ierr)
  else if (me == 1) then
    call MPI_Send(mine, 10, MPI_DOUBLE_PRECISION, 0, 7, MPI_COMM_WORLD, ierr)
  end if
  if (me == 0) print *, all(1), sum
  call MPI_Finalize(ierr)
end program communicators
";

#[test]
fn described_communicators_take_the_same_time() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    std::fs::write(here.join("communicators.f90"), COMMUNICATORS).unwrap();
    done(here, &["prepare", "communicators.f90", "-o", "study"]);
    done(here, &["record", "study", "-n", "4"]);
    done(here, &["measure", "study", "-n", "4", "--budget", "1"]);
    describe_and_compare(here, "communicators");
    let text = std::fs::read_to_string(here.join("study.meta")).unwrap();
    // Ranks 0 and 1 have classes of their own, ranks 2 and 3 one.
    for part in [
        "msgisend(4000, 1, 11)",
        "broadcast(1600, 3, 2)",
        "allgather(8 * (100 * ID + 100))",
        "msgprobe(1, 7)",
    ] {
        assert!(text.contains(part), "{part}:\n{text}");
    }
}
