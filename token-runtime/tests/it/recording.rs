//! Mode `record`: what programs leave, as streams and as program data.

use crate::world::World;
use base_data::block_table::BlockTable;
use base_data::mpi::{BasicDatatype, Datatype};
use base_data::program_data::{
    Call, Count, Counts, Mark, Op, Operand, Peer, ProgramData, RecordMethod, Variant,
};
use base_data::provenance::Provenance;
use base_data::{BlockId, RequestId};
use token_runtime::host::{Launch, Mode, merge_program, run};

fn record(source: &str, ranks: u32) -> ProgramData {
    let world = World::new();
    let recording = world.run(&world.compile(&[source]), ranks, Mode::Record);
    merge_program(
        recording.ranks,
        BlockTable::default(),
        Provenance::default(),
        RecordMethod::Sliced,
    )
    .unwrap()
}

/// An entry in a few letters: other assertions check sites and operands.
fn letters(op: &Op) -> String {
    match op {
        Op::Loop {
            count: Count::Constant(count),
            body,
        } => format!("{count}*{body}"),
        Op::Loop { .. } => "loop of unknown count".into(),
        Op::Block { block, .. } => format!("B{block}"),
        Op::Mark(Mark::Clock { .. }) => "clock".into(),
        Op::Mark(Mark::SectionBegin) => "begin".into(),
        Op::Mark(Mark::SectionEnd) => "end".into(),
        Op::Call { site, call } => format!("{}@{site}", name(call)),
    }
}

fn name(call: &Call) -> &'static str {
    match call {
        Call::Init => "init",
        Call::Finalize => "finalize",
        Call::Abort => "abort",
        Call::Send { request: None, .. } => "send",
        Call::Send { .. } => "isend",
        Call::Receive { request: None, .. } => "recv",
        Call::Receive { .. } => "irecv",
        Call::Wait { .. } => "wait",
        Call::Collective { root: Some(_), .. } => "rooted",
        Call::Collective { .. } => "collective",
        Call::MakeCommunicator { .. } => "split",
        Call::SendReceive { .. } => "sendrecv",
        Call::Probe { .. } => "probe",
        Call::Test { .. } | Call::MakePersistent { .. } | Call::StartPersistent { .. } => "other",
    }
}

fn shown(stream: &[Op]) -> String {
    stream.iter().map(letters).collect::<Vec<_>>().join(" ")
}

#[test]
fn sliced_program_has_one_rank_class() {
    let data = record("steps.f", 4);
    assert_eq!(data.classes.len(), 1);
    let stream = &data.classes[0].stream;
    assert_eq!(
        shown(stream),
        "init@0 rooted@1 begin clock 50*6 B0 irecv@3 send@4 wait@5 B1 collective@6 end finalize@7"
    );
    assert_eq!(
        data.variants[0],
        Variant {
            block: BlockId(0),
            terms: vec![100, 7]
        }
    );
    let Op::Call {
        call: Call::Receive {
            transfer, request, ..
        },
        ..
    } = &stream[6]
    else {
        panic!()
    };
    assert_eq!(
        (transfer.peer, *request),
        (
            Peer::Rank(Operand::Table(base_data::TableId(0))),
            Some(RequestId(0))
        )
    );
    assert_eq!(data.tables[0], [3, 0, 1, 2]);
    assert_eq!(
        data.datatypes[transfer.datatype as usize],
        Datatype::basic(BasicDatatype::Real(8))
    );
    let Op::Call {
        call: Call::Collective { counts, .. },
        ..
    } = &stream[10]
    else {
        panic!()
    };
    assert_eq!(*counts, Counts::Same(Operand::Constant(1)));
}

#[test]
fn original_program_has_rank_classes_by_shape() {
    let data = record("sweep.c", 8);
    let classes: Vec<(String, String)> = data
        .classes
        .iter()
        .map(|class| (class.ranks.to_string(), shown(&class.stream)))
        .collect();
    let expect = [
        ("0", "init@0 split@1 20*1 send@2 7*1 recv@3 finalize@4"),
        (
            "1-2,5-6",
            "init@0 split@1 20*2 recv@5 send@2 send@6 finalize@4",
        ),
        ("3,7", "init@0 split@1 20*1 recv@5 send@6 finalize@4"),
        ("4", "init@0 split@1 20*1 send@2 send@6 finalize@4"),
    ];
    let found: Vec<(&str, &str)> = classes
        .iter()
        .map(|(r, s)| (r.as_str(), s.as_str()))
        .collect();
    // Rank 0 receives from each other rank: seven different entries.
    assert_eq!(found[1..], expect[1..]);
    assert!(
        found[0].1.starts_with("init@0 split@1 20*1 send@2 recv@3"),
        "{}",
        found[0].1
    );
    assert_eq!(data.communicators.len(), 4);
    assert_eq!(data.communicators[2].group.to_string(), "0-3");
    assert_eq!(data.time_dependent.len(), 1);
    let functions: Vec<&str> = data
        .table
        .call_sites
        .iter()
        .map(|site| site.function.as_str())
        .collect();
    let places = [
        "MPI_Init",
        "MPI_Comm_split",
        "MPI_Send",
        "MPI_Recv",
        "MPI_Finalize",
        "MPI_Recv",
        "MPI_Send",
    ];
    assert_eq!(functions, places);
}

/// A call that does the work of several is recorded as these, each as it is: no form of its own.
#[test]
fn composite_calls_are_recorded_as_their_parts() {
    let data = record("recorded_as.c", 4);
    let letters = |op: &Op| match op {
        Op::Call {
            call: Call::Wait { requests, .. },
            ..
        } => format!("wait{}", requests.len()),
        Op::Call { call, .. } => name(call).into(),
        Op::Loop { .. } | Op::Block { .. } | Op::Mark(_) => letters(op),
    };
    let stream = |class: usize| {
        data.classes[class]
            .stream
            .iter()
            .map(letters)
            .collect::<Vec<_>>()
            .join(" ")
    };
    let neighbours = "irecv irecv isend isend wait4";
    let before = format!(
        "init irecv isend wait2 send probe recv send irecv wait1 split {neighbours} {neighbours} \
         10*2 collective wait1 collective wait1 split split"
    );
    assert_eq!(
        stream(0),
        format!("{before} sendrecv rooted split isend isend wait2 split finalize")
    );
    assert_eq!(data.classes[0].ranks.to_string(), "0");
    assert_eq!(
        stream(1),
        format!("{before} sendrecv rooted split irecv wait1 split finalize")
    );
    assert_eq!(stream(2), format!("{before} rooted split split finalize"));
    assert_eq!(
        stream(3),
        format!("{before} rooted split irecv wait1 split finalize")
    );
    let groups: Vec<String> = data
        .communicators
        .iter()
        .map(|made| made.group.to_string())
        .collect();
    assert_eq!(data.communicators[2].group.to_string(), "0-3");
    // World and self; the ring and its copy; the group; halves, both and merged; and one on which neighbours,
    // leaders and both halves talk among themselves: the ring, the world and both.
    assert_eq!(groups.len(), 12, "{groups:?}");
}

/// Calls that only need to be recorded are looked up; those whose messages are matched are not.
#[test]
fn cached_calls_are_recorded_as_uncached_calls() {
    let world = World::new();
    let program = world.compile(&["repeated_calls.c"]);
    let recorded = |level: &str| {
        let launch = Launch {
            arguments: vec![level.into()],
            ..world.launch(&program, 3, Mode::Record)
        };
        let ranks = run(&launch).unwrap().ranks;
        merge_program(
            ranks,
            BlockTable::default(),
            Provenance::default(),
            RecordMethod::Sliced,
        )
        .unwrap()
    };
    let (looked_up, matched) = (recorded("0"), recorded("1"));
    assert!(looked_up.classes[0].stream.len() > 1000);
    assert_eq!(looked_up, matched);
}

#[test]
fn recording_is_deterministic() {
    let (first, second) = (record("steps.f", 4), record("steps.f", 4));
    assert_eq!(first, second);
}

#[test]
fn each_liveness_level_delivers_its_data() {
    let world = World::new();
    let recording = world.run(&world.compile(&["levels.c"]), 2, Mode::Record);
    assert_eq!(
        recording.output,
        "level 0: 0 elements, first 7\nlevel 1: 3 elements, first 7\nlevel 2: 3 elements, first 5\n\
         level 0: sum -1\nlevel 1: sum -1\nlevel 2: sum 1\n"
    );
    let data = merge_program(
        recording.ranks,
        BlockTable::default(),
        Provenance::default(),
        RecordMethod::Sliced,
    );
    let classes = data.unwrap().classes;
    let observed: Vec<bool> = classes[1].stream.iter().filter_map(observed).collect();
    assert_eq!(
        observed,
        [false, true, true],
        "a message that is only recorded was never matched"
    );
}

fn observed(op: &Op) -> Option<bool> {
    match op {
        Op::Call {
            call: Call::Receive { observed, .. },
            ..
        } => Some(observed.is_some()),
        Op::Call { .. } | Op::Loop { .. } | Op::Block { .. } | Op::Mark(_) => None,
    }
}
