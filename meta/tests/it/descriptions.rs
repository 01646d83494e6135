//! Meta-programs that are made of program data: read again, they give the same calls and costs.

use base_data::program_data::{Call, Communicator, Op, Operand, Peer, ProgramData, RankClass};
use base_data::stream::entries;
use base_data::{Rank, RankSet, VariantId};
use expect_test::expect_file;
use meta::{Arguments, MetaProgram, Units, VariantCosts, describe};
use std::path::Path;

const UNITS: Units = Units {
    computation: 1000.0,
    stream: 0.0,
    message: 1.0,
};

fn base_data(text: &str, ranks: u32) -> (ProgramData, VariantCosts) {
    let program =
        MetaProgram::parse("a.meta", text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let data = program
        .base_data(&Arguments::default(), Some(ranks), UNITS, 1)
        .unwrap_or_else(|error| panic!("{error}\n{text}"));
    let costs = costs_of(&data.program);
    (data.program, costs)
}

/// The cost of each variant by rank.
fn costs_of(program: &ProgramData) -> VariantCosts {
    let mut costs = VariantCosts::new();
    for rank in 0..program.ranks {
        for (number, variant) in program.variants.iter().enumerate() {
            let cost = variant.terms[0] as f64 / 1e6;
            costs.insert((rank, VariantId::from_index(number)), cost);
        }
    }
    costs
}

/// The calls of a rank with all operands evaluated and the costs between them, and the total cost.
fn executed(program: &ProgramData, rank: Rank) -> (Vec<String>, f64) {
    let (_, position) = program.class_of(rank).unwrap();
    let mut executed = Vec::new();
    let (mut cost, mut total) = (0.0, 0.0);
    for op in entries(program, rank) {
        match op {
            Op::Block { variant, .. } => {
                let variant = program.variant(*variant, rank, position).unwrap();
                cost += program.variants[variant.index()].terms[0] as f64 / 1e6;
            }
            Op::Call { call, .. } => {
                executed.push(format!("{cost}"));
                executed.push(evaluated(program, rank, call));
                total += std::mem::take(&mut cost);
            }
            Op::Loop { .. } | Op::Mark(_) => {}
        }
    }
    (executed, total + cost)
}

fn evaluated(program: &ProgramData, rank: Rank, call: &base_data::program_data::Call) -> String {
    let text = format!("{call:?}");
    let (_, position) = program.class_of(rank).unwrap();
    // Operands are printed as RankPlus(1), Table(TableId(0)), …; replaced by their values.
    let mut result = String::new();
    let mut rest = text.as_str();
    while let Some(at) = ["RankPlus(", "RankXor(", "Table(TableId("]
        .iter()
        .filter_map(|name| rest.find(name))
        .min()
    {
        result.push_str(&rest[..at]);
        let end = at + rest[at..].find(')').unwrap();
        let (name, number) = rest[at..end].split_once('(').unwrap();
        let number = number.trim_start_matches("TableId(");
        let number: i64 = number.parse().unwrap();
        use base_data::program_data::Operand;
        let (operand, length) = match name {
            "RankPlus" => (Operand::RankPlus(number), 1),
            "RankXor" => (Operand::RankXor(number), 1),
            _ => (Operand::Table(base_data::TableId(number as u32)), 2),
        };
        let value = program.value(operand, rank, position).unwrap();
        result.push_str(&format!("Constant({value})"));
        rest = &rest[end + length..];
    }
    result + rest
}

fn round_trip(text: &str, ranks: u32) -> String {
    let (program, costs) = base_data(text, ranks);
    let described = describe(&program, &costs, &["A test.".into()]).unwrap();
    let (again, _) = base_data(&described, ranks);
    for rank in (0..ranks).map(Rank) {
        let (calls, cost) = executed(&program, rank);
        let (calls_again, cost_again) = executed(&again, rank);
        assert_eq!(calls, calls_again, "rank {rank}:\n{described}");
        assert!(
            (cost - cost_again).abs() <= 1e-3 * cost,
            "rank {rank}: {cost} {cost_again}\n{described}"
        );
    }
    described
}

#[test]
fn a_halo_exchange_is_described_as_it_was() {
    let text = "\
FOR 100
  msgirecv(800, (ID - 1) % RANKS)
  msgisend(800, (ID + 1) % RANKS)
  compute(100 + 50 * ID)
  msgwait(1)
  msgwait()
  IF ID > 0
    msgsend(8, ID - 1)
  END
  IF ID < RANKS - 1
    msgrecv(8, ID + 1)
  END
  allreduce(16)
  reduce(4, 2)
END
compute(7)
";
    let described = round_trip(text, 4);
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/descriptions/halo.out");
    expect_file![path].assert_eq(&described);
}

#[test]
fn partners_of_grids_and_unequal_work_are_described() {
    let text = "\
FOR 3
  FOR 2
    msgsendrecv(1000, floor(ID / 4) * 4 + (ID + 1) % 4, floor(ID / 4) * 4 + (ID - 1) % 4)
    compute(10)
  END
  msgsendrecv(50, ID % 4 * 4 + floor(ID / 4), ID % 4 * 4 + floor(ID / 4))
  msgsendrecv(8 * (1 + ID % 3), xor(ID, 4), xor(ID, 4))
  compute(1 + ID % 3)
END
msgsendrecv(8, (5 * ID + 1) % 16, (13 * ID + 3) % 16)
";
    round_trip(text, 16);
}

#[test]
fn collectives_of_groups_are_described() {
    let text = "\
FOR 3
  allreduce(16, floor(ID / 4))
  broadcast(100, ID % 4, 4 + ID % 4)
  barrier(4 + ID % 4)
END
reduce(8, 5)
";
    let described = round_trip(text, 16);
    for line in [
        "allreduce(16, floor(ID / 4))",
        "broadcast(100, ID % 4, ID % 4 + 4)",
        "barrier(ID % 4 + 4)",
        "reduce(8, 5)",
    ] {
        assert!(described.contains(line), "{line}:\n{described}");
    }
}

#[test]
fn parts_of_different_lengths_are_described() {
    let text = "\
FOR 2
  gather(8 * (1 + ID % 3), 2)
  allgather(8 * ID)
END
scatter(16 * ID, 1)
reducescatter(8 + 8 * ID)
allgather(8 * ID, ID % 2)
";
    let (program, _) = base_data(text, 6);
    // 0, 2, 4 and 1, 3, 5.
    assert!(program.count_tables.concat().contains(&vec![8, 24, 40]));
    let described = round_trip(text, 6);
    assert!(
        described.contains("reducescatter(8 + 8 * ID)") || described.contains("8 * ID + 8"),
        "{described}"
    );
}

#[test]
fn probes_and_receives_from_any_rank_are_described() {
    let text = "\
IF ID == 0
  FOR 1..RANKS
    msgprobe(ANY, 5)
    msgrecv(800, ANY, 5)
    msgprobe()
    msgrecv(8, ANY, ANY)
  END
ELSE
  msgsend(800, 0, 5)
  msgsend(8, 0)
END
";
    let described = round_trip(text, 4);
    for line in ["msgprobe(ANY, 5)", "msgprobe()", "msgrecv(8, ANY, ANY)"] {
        assert!(described.contains(line), "{line}:\n{described}");
    }
}

/// Started messages as persistent requests, which are made before the loop.
fn with_persistent_requests(program: &mut ProgramData) {
    for class in &mut program.classes {
        let mut made = Vec::new();
        for op in &mut class.stream {
            let Op::Call { site, call } = op else {
                continue;
            };
            let (send, transfer, request) = match call {
                Call::Send {
                    mode,
                    transfer,
                    request: Some(request),
                } => (Some(*mode), *transfer, *request),
                Call::Receive {
                    transfer,
                    request: Some(request),
                    ..
                } => (None, *transfer, *request),
                _ => continue,
            };
            let make = Call::MakePersistent {
                send,
                transfer,
                request,
            };
            made.push(Op::Call {
                site: *site,
                call: make,
            });
            *call = Call::StartPersistent {
                requests: vec![request],
            };
        }
        class.stream.splice(0..0, made);
    }
}

#[test]
fn persistent_requests_are_described_as_started_messages() {
    let text = "\
FOR 10
  msgirecv(800, (ID - 1) % RANKS)
  msgisend(800, (ID + 1) % RANKS)
  msgwait()
END
";
    let (mut program, costs) = base_data(text, 4);
    let original = program.clone();
    with_persistent_requests(&mut program);
    let described = describe(&program, &costs, &[]).unwrap();
    let (again, _) = base_data(&described, 4);
    for rank in (0..4).map(Rank) {
        assert_eq!(
            executed(&original, rank).0,
            executed(&again, rank).0,
            "{described}"
        );
    }
}

/// Partners in a communicator with the ranks in reverse order are ranks of it.
#[test]
fn partners_in_communicators_are_described_as_ranks_of_the_world() {
    let text = "msgsend(8, (ID + 1) % RANKS, 3)\nmsgrecv(8, (ID - 1) % RANKS, 3)\n";
    let (mut program, costs) = base_data(text, 4);
    let original = program.clone();
    let group = RankSet::from_ranks([3, 2, 1, 0].map(Rank));
    program.communicators.push(Communicator {
        parent: Some(base_data::CommId::WORLD),
        sequence: 0,
        group,
    });
    let mut next = program.tables.len() as u32;
    program.tables.extend([vec![2, 1, 0, 3], vec![0, 3, 2, 1]]);
    for op in &mut program.classes[0].stream {
        if let Op::Call {
            call: Call::Send { transfer, .. } | Call::Receive { transfer, .. },
            ..
        } = op
        {
            transfer.communicator = Operand::Constant(2);
            transfer.peer = Peer::Rank(Operand::Table(base_data::TableId(next)));
            next += 1;
        }
    }
    let described = describe(&program, &costs, &[]).unwrap();
    let (again, _) = base_data(&described, 4);
    for rank in (0..4).map(Rank) {
        assert_eq!(
            executed(&original, rank).0,
            executed(&again, rank).0,
            "{described}"
        );
    }
    // Beside messages of all ranks they have tags of their own.
    let stream = original.classes[0].stream.clone();
    program.classes[0].stream.extend(stream);
    let described = describe(&program, &costs, &[]).unwrap();
    assert!(
        described.contains("RANKS, 3)") && described.contains("RANKS, 7)"),
        "{described}"
    );
    // Collectives depend on the order of the ranks.
    if let Some(Op::Call { call, .. }) = program.classes[0].stream.first_mut() {
        *call = Call::MakeCommunicator {
            parent: Operand::Constant(2),
            made: Operand::Constant(2),
        };
    }
    let error = describe(&program, &costs, &[]).unwrap_err();
    assert_eq!(
        error,
        "a.meta:1: meta-programs have no collectives whose ranks are in another order than all ranks"
    );
}

#[test]
fn calls_that_meta_programs_lack_are_refused_with_their_place() {
    let (mut program, costs) = base_data("msgsendrecv(8, 0, 0)\n", 1);
    let class: &mut RankClass = &mut program.classes[0];
    class.ranks = RankSet::all(1);
    for op in &mut class.stream {
        if let Op::Call { call, .. } = op {
            *call = Call::Abort;
        }
    }
    let error = describe(&program, &costs, &[]).unwrap_err();
    assert!(
        error.starts_with("a.meta:1: meta-programs have no MPI_Abort; change the call"),
        "{error}"
    );
}

#[test]
fn executions_of_unequal_cost_keep_their_costs() {
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
    let described = round_trip(text, 4);
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/descriptions/unequal.out");
    expect_file![path].assert_eq(&described);
}

#[test]
fn nearly_equal_costs_have_one_variable() {
    // They differ by less than a thousandth.
    let text = "FOR k IN 0..10\n  compute(100000 + 9 * k)\n  barrier()\nEND\n";
    let (program, costs) = base_data(text, 2);
    let described = describe(&program, &costs, &[]).unwrap();
    assert!(described.contains("$main_2 = 100040 "), "{described}");
    assert!(!described.contains("_cost2"), "{described}");
    assert!(described.contains("FOR 10\n"), "{described}");
}

#[test]
fn costs_and_sizes_that_grow_with_an_index_are_one_loop() {
    let text = "\
FOR i IN 1..100
  compute(i * 2 + ID)
  msgsendrecv(8 * i, (ID + 1) % RANKS, (ID - 1) % RANKS)
END
";
    let described = round_trip(text, 4);
    assert!(described.contains("FOR k IN 0..99"), "{described}");
    assert!(
        described.contains("compute($main_2_first + $main_2_step * k)"),
        "{described}"
    );
    assert!(described.contains("msgsendrecv(8 + 8 * k, "), "{described}");
    assert!(described.lines().count() < 30, "{described}");
}

#[test]
fn an_lu_factorisation_with_shrinking_blocks_is_one_loop() {
    let text = "\
FOR k IN 0..30
  compute(30 - k)
  broadcast(8 * (30 - k), 2)
  compute(0.01 * (30 - k) ^ 2)
END
";
    let described = round_trip(text, 4);
    assert!(
        described.contains("broadcast(240 - 8 * k, 2)"),
        "{described}"
    );
    assert!(described.contains("_bend * k * k"), "{described}");
    assert!(described.lines().count() < 20, "{described}");
}

#[test]
fn triangular_loops_are_two_loops() {
    let text = "\
FOR k IN 0..20
  FOR j IN k..20
    compute(20 - k)
    msgsendrecv(8 * (j + 1), xor(ID, 1), xor(ID, 1))
  END
  allreduce(8)
END
";
    let described = round_trip(text, 4);
    assert!(described.lines().count() < 60, "{described}");
    assert!(described.contains(" - j"), "{described}");
}

#[test]
fn costs_without_a_curve_stay_as_they_are() {
    let text = "\
FOR k IN 0..8
  compute(100 + 50 * (k * k * 5 % 7))
  allreduce(8)
END
";
    let described = round_trip(text, 2);
    assert!(!described.contains("_step"), "{described}");
}

#[test]
fn nested_loops_that_are_found_together_have_different_indices() {
    let text = "\
FOR k IN 1..13
  IF ID == 0
    msgsend(800 * k, 1)
  ELSE
    msgrecv(800 * k, 0)
  END
  IF k % 4 == 0
    barrier()
  END
END
";
    let described = round_trip(text, 2);
    for line in [
        "FOR j IN 0..3",
        "FOR k IN 0..4",
        "msgsend(800 + 800 * k + 3200 * j, 1)",
    ] {
        assert!(described.contains(line), "{line}:\n{described}");
    }
}

#[test]
fn costs_of_nested_loops_have_different_indices() {
    let text = "\
FOR k IN 0..12
  compute(100 + 100 * k)
  allreduce(8 * (k + 1))
  IF k % 4 == 3
    barrier()
  END
END
";
    let described = round_trip(text, 2);
    assert!(described.contains("FOR j IN 0..3"), "{described}");
}

#[test]
fn more_nested_loops_than_letters_have_indices() {
    let digits = "7 * floor(k / 243) + 13 * (floor(k / 81) % 3) + 29 * (floor(k / 27) % 3) \
                  + 61 * (floor(k / 9) % 3) + 127 * (floor(k / 3) % 3) + 257 * (k % 3)";
    let text = format!("FOR k IN 0..729\n  allreduce(8 + 8 * ({digits}))\nEND\n");
    let described = round_trip(&text, 2);
    for index in ["k", "j", "i", "h", "k2"] {
        let line = format!("FOR {index} IN 0..3");
        assert!(described.contains(&line), "{line}:\n{described}");
    }
}
