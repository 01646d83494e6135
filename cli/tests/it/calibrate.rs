//! Files that make no communication data end in one sentence and exit code 2, and leave nothing behind; outputs of other tools make some.

use crate::command::{CommandOutput, done, mpiete};
use std::path::Path;

fn sample(bytes: u64, time: i64) -> String {
    format!("mpiete-sample ping-pong between-nodes 2 {bytes} 0 {time} {time} 0 100\n")
}

/// Runs `calibrate` on files of these contents.
fn calibrated(folder: &Path, contents: &[String]) -> CommandOutput {
    let mut arguments = vec!["calibrate".to_string()];
    for (number, content) in contents.iter().enumerate() {
        let name = format!("samples-{number}.txt");
        std::fs::write(folder.join(&name), content).unwrap();
        arguments.push(name);
    }
    arguments.extend(["-o".to_string(), "network.mpiete".to_string()]);
    mpiete(folder, &arguments)
}

#[test]
fn bad_samples_leave_nothing_behind() {
    let good = sample(8, 1000) + &sample(64, 1100);
    let library = |name: &str| format!("# MPI library: {name}\n{good}");
    for (contents, words) in [
        (
            vec![sample(8, 1000), sample(8, 1010)],
            "samples-0.txt, samples-1.txt have 8 B, so times of other lengths are unknown; measure several lengths",
        ),
        (
            vec![good.clone() + &sample(512, -5)],
            "samples-0.txt:3: found '-5' in column MEDIAN_NS; expected a time in nanoseconds of at least 0",
        ),
        (
            vec![library("MPICH Version: 4.0.2"), library("Open MPI v4.1.4")],
            "samples-1.txt:1 with 'Open MPI v4.1.4', so one fit describes neither; calibrate the samples of each library",
        ),
        (
            vec![format!("# network probe, version 2\n{good}")],
            "samples-0.txt:3: the file ends before the last sample of the probe, so fits would miss lengths; run the probe again",
        ),
        (
            vec![good.clone() + &sample(512, 1200)[..40]],
            "samples-0.txt:3: the file ends before the last sample of the probe",
        ),
        (
            vec![LATENCIES[..LATENCIES.len() - 2].to_string()],
            "samples-0.txt:6: the file ends in the row '65536 9.', without the end of its line, so digits may be missing",
        ),
        (
            vec![LATENCIES.replace("1.8", "-1.8")],
            "samples-0.txt:5: found '-1.8'; expected a number of at least 0",
        ),
        (
            vec!["# OSU MPI Latency Test v7.1\n8 1.0\n".into()],
            "samples-0.txt have 8 B, so times of other lengths are unknown",
        ),
        (
            vec!["# OSU MPI Allreduce Latency Test v7.1\n4 10.0\n8 10.1\n".into()],
            "samples-0.txt:1: OSU's output 'Allreduce Latency' does not contain its number of ranks",
        ),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let found = calibrated(folder.path(), &contents);
        assert_eq!(found.code, 2, "{}\n{}", found.out, found.err);
        assert!(
            found.err.contains(words),
            "'{words}' is missing in: {}",
            found.err
        );
        assert_eq!(found.err.trim_end().lines().count(), 1, "{}", found.err);
        assert_eq!(found.out, "");
        assert!(!folder.path().join("network.mpiete").exists());
    }
}

/// Numbers of ranks that contradict each other.
#[test]
fn more_ranks_per_node_than_ranks_are_rejected() {
    let folder = tempfile::tempdir().unwrap();
    let text = "# OSU MPI Allreduce Latency Test v7.1\n4 10.0\n8 10.1\n";
    std::fs::write(folder.path().join("all.txt"), text).unwrap();
    let words = ["calibrate", "all.txt", "-n", "4", "--ranks-per-node", "8"];
    let found = mpiete(folder.path(), &words);
    assert_eq!(found.code, 2, "{}", found.err);
    let sentence =
        "8 ranks per node are more than the 4 ranks; give at most as many with --ranks-per-node";
    assert!(found.err.contains(sentence), "{}", found.err);
    assert!(!folder.path().join("comm.mpiete").exists());
}

const LATENCIES: &str =
    "# OSU MPI Latency Test v7.1\n# Size Latency (us)\n1 1.5\n64 1.6\n1024 1.8\n65536 9.0\n";

/// From the table of a collective to the predicted time of a program that calls it.
#[test]
fn imported_table_of_a_collective_is_its_predicted_time() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    let table = "# OSU MPI Allreduce Latency Test v7.1\n# Size       Avg Latency(us)\n64 500.00\n128 700.00\n256 900.00\n";
    for (name, text) in [("point.txt", LATENCIES), ("all.txt", table)] {
        std::fs::write(here.join(name), text).unwrap();
    }
    for rank in 0..4 {
        let trace = format!("{rank} init\n{rank} allreduce 128 0 6\n{rank} finalize\n");
        std::fs::write(here.join(format!("r{rank}")), trace).unwrap();
    }
    std::fs::write(here.join("t.index"), "r0\nr1\nr2\nr3\n").unwrap();
    let platform = "format = 1\nname = \"four\"\nnodes = 4\nranks_per_node = 1\nlinks = []\n";
    std::fs::write(here.join("four.toml"), platform).unwrap();
    let predicted = |comm: &str| {
        let words = [
            "estimate",
            "t.index",
            "--platform",
            "four.toml",
            "--comm",
            comm,
        ];
        done(here, &words)
    };
    done(here, &["calibrate", "point.txt", "-o", "point.mpiete"]);
    assert!(!predicted("point.mpiete").contains("700.0 us"));
    done(
        here,
        &[
            "calibrate",
            "point.txt",
            "all.txt",
            "-n",
            "4",
            "-o",
            "all.mpiete",
        ],
    );
    let text = predicted("all.mpiete");
    assert!(text.contains("700.0 us"), "{text}");
    assert!(text.contains("takes the measured time"), "{text}");
    // Without the number of ranks, the table is left out with a remark.
    let found = mpiete(
        here,
        &["calibrate", "point.txt", "all.txt", "-o", "none.mpiete"],
    );
    assert_eq!(found.code, 0, "{}", found.err);
    let remark = "all.txt:1: OSU's output 'Allreduce Latency' is not used: it does not contain its number of ranks";
    assert!(found.err.contains(remark), "{}", found.err);
    assert!(!predicted("none.mpiete").contains("700.0 us"));
}

#[test]
fn topology_that_does_not_connect_all_nodes_is_rejected() {
    let folder = tempfile::tempdir().unwrap();
    let platform = "format = 1\nname = \"split\"\nnodes = 3\nranks_per_node = 1\nlinks = []\n\
                    [topology]\nkind = \"links\"\nswitches = 0\nlinks = [{ from = 0, to = 1 }]\n";
    std::fs::write(folder.path().join("split.toml"), platform).unwrap();
    let found = mpiete(
        folder.path(),
        &[
            "show",
            "collective",
            "allreduce",
            "-n",
            "3",
            "--platform",
            "split.toml",
        ],
    );
    assert_eq!(found.code, 2, "{}\n{}", found.out, found.err);
    assert!(found.err.contains("connect"), "{}", found.err);
    assert!(found.err.contains("node"), "{}", found.err);
    assert_eq!(found.err.trim_end().lines().count(), 1, "{}", found.err);
    std::fs::write(folder.path().join("r0"), "0 init\n0 finalize\n").unwrap();
    std::fs::write(folder.path().join("t.index"), "r0\n").unwrap();
    let words = [
        "estimate",
        "t.index",
        "--platform",
        "split.toml",
        "-o",
        "e.mpiete",
    ];
    let found = mpiete(folder.path(), &words);
    assert_eq!(found.code, 2, "{}\n{}", found.out, found.err);
    assert!(found.err.contains("connect"), "{}", found.err);
    assert_eq!(found.err.trim_end().lines().count(), 1, "{}", found.err);
    assert!(!folder.path().join("e.mpiete").exists());
}

/// An imported output is drawn with its fits, in one page without other files.
#[test]
fn imported_output_is_drawn_with_its_fits() {
    let folder = tempfile::tempdir().unwrap();
    let mut text = String::from("# OSU MPI Latency Test v7.1\n# Size          Latency (us)\n");
    let mut rates = String::from("# OSU MPI Bandwidth Test v7.1\n# Size      Bandwidth (MB/s)\n");
    for power in 0..=20u32 {
        let bytes = 1u64 << power;
        let latency = 1.5 + bytes as f64 / 10_000.0;
        let rate = bytes as f64 / (0.2 + bytes as f64 / 10_000.0);
        text.push_str(&format!("{bytes} {latency:.2}\n"));
        rates.push_str(&format!("{bytes} {rate:.2}\n"));
    }
    let found = calibrated(folder.path(), &[text, rates]);
    assert_eq!(found.code, 0, "{}", found.err);
    assert!(found.err.contains("o_send and o_recv"), "{}", found.err);
    let page = done(
        folder.path(),
        &["show", "network.mpiete", "--format", "html"],
    );
    for part in [
        "<svg",
        "measured and fitted: ping-pong / 2, between-nodes",
        "flow",
        "residual",
    ] {
        assert!(page.contains(part), "'{part}' is missing");
    }
    assert!(!page.contains("src=\"http") && !page.contains("href=\"http"));
}
