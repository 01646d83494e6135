//! The three forms of each collective: a call that waits, one that starts a request, and one that makes
//! a persistent request. All plan in the same way.

use super::{data_movement, neighbourhood, reductions, rooted};
use crate::arguments::{
    Aints, Blocks, Buffer, Count, Counts, Data, Displacements, Int, Out, Reduction, TypedBlocks,
};
use crate::completion::request_handle;
use crate::failure::Outcome;
use crate::process::Process;

/// An argument as words that determine everything that the recording of the call depends on.
trait AsWords {
    /// Appends the words.
    fn append(&self, words: &mut WordList);
}

/// Number of words of the call with the most.
const LONGEST: usize = 8;

/// The words of a call, in the order of its arguments.
struct WordList {
    words: [u64; LONGEST],
    length: usize,
    /// Whether an argument has no fixed number of words, as arrays have none.
    is_incomplete: bool,
}

impl WordList {
    fn new() -> Self {
        Self {
            words: [0; LONGEST],
            length: 0,
            is_incomplete: false,
        }
    }

    #[inline]
    fn push(&mut self, word: u64) {
        match self.words.get_mut(self.length) {
            Some(place) => *place = word,
            None => self.is_incomplete = true,
        }
        self.length += 1;
    }

    /// `None` if the words do not determine the call.
    #[inline]
    fn complete(self) -> Option<[u64; LONGEST]> {
        if self.is_incomplete {
            return None;
        }
        Some(self.words)
    }
}

impl AsWords for Int {
    fn append(&self, words: &mut WordList) {
        words.push(self.0 as u64);
    }
}

impl AsWords for Count {
    fn append(&self, words: &mut WordList) {
        words.push(self.0 as u64);
    }
}

impl AsWords for Buffer {
    fn append(&self, words: &mut WordList) {
        match self {
            // A recording contains no addresses.
            Buffer::At(_) => words.push(0),
            Buffer::InPlace => words.push(1),
            Buffer::Section(_) => words.is_incomplete = true,
        }
    }
}

impl AsWords for Data {
    fn append(&self, words: &mut WordList) {
        self.buffer.append(words);
        self.count.append(words);
        self.datatype.append(words);
    }
}

impl AsWords for Reduction<Count> {
    fn append(&self, words: &mut WordList) {
        self.sendbuf.append(words);
        self.recvbuf.append(words);
        self.count.append(words);
        self.datatype.append(words);
        self.op.append(words);
    }
}

macro_rules! arrays {
    ($($kind:ty),+) => {$(
        impl AsWords for $kind {
            fn append(&self, words: &mut WordList) {
                words.is_incomplete = true;
            }
        }
    )+};
}

arrays! { Blocks, TypedBlocks<Displacements>, TypedBlocks<Aints>, Reduction<Counts> }

macro_rules! forms {
    ($($now:ident, $later:ident, $again:ident = $plan:path: ($($name:ident: $kind:ty),* $(,)?);)+) => {$(
        pub fn $now(process: &mut Process, $($name: $kind),*) -> Outcome {
            let mut words = WordList::new();
            $($name.append(&mut words);)*
            process.execute_cached(words.complete(), |process| {
                let plan = $plan(process, $($name),*)?;
                process.execute(plan)
            })
        }

        pub fn $later(process: &mut Process, $($name: $kind,)* request: Out) -> Outcome {
            let plan = $plan(process, $($name),*)?;
            request.set(request_handle(process.start_collective(plan)?));
            Ok(())
        }

        pub fn $again(process: &mut Process, $($name: $kind,)* _info: Int, request: Out) -> Outcome {
            let plan = $plan(process, $($name),*)?;
            request.set(request_handle(process.make_collective(plan)?));
            Ok(())
        }
    )+};
}

forms! {
    barrier, start_barrier, make_barrier = data_movement::barrier: (comm: Int);
    broadcast, start_broadcast, make_broadcast = rooted::broadcast: (data: Data, root: Int, comm: Int);
    gather, start_gather, make_gather = rooted::gather: (send: Data, receive: Data, root: Int, comm: Int);
    gatherv, start_gatherv, make_gatherv =
        rooted::gatherv: (send: Data, receive: Blocks, root: Int, comm: Int);
    scatter, start_scatter, make_scatter = rooted::scatter: (send: Data, receive: Data, root: Int, comm: Int);
    scatterv, start_scatterv, make_scatterv =
        rooted::scatterv: (send: Blocks, receive: Data, root: Int, comm: Int);
    allgather, start_allgather, make_allgather =
        data_movement::allgather: (send: Data, receive: Data, comm: Int);
    allgatherv, start_allgatherv, make_allgatherv =
        data_movement::allgatherv: (send: Data, receive: Blocks, comm: Int);
    alltoall, start_alltoall, make_alltoall = data_movement::alltoall: (send: Data, receive: Data, comm: Int);
    alltoallv, start_alltoallv, make_alltoallv =
        data_movement::alltoallv: (send: Blocks, receive: Blocks, comm: Int);
    alltoallw, start_alltoallw, make_alltoallw =
        data_movement::alltoallw: (send: TypedBlocks<Displacements>, receive: TypedBlocks<Displacements>, comm: Int);
    reduce, start_reduce, make_reduce =
        reductions::reduce: (reduction: Reduction<Count>, root: Int, comm: Int);
    allreduce, start_allreduce, make_allreduce =
        reductions::allreduce: (reduction: Reduction<Count>, comm: Int);
    reduce_scatter, start_reduce_scatter, make_reduce_scatter =
        reductions::reduce_scatter: (reduction: Reduction<Counts>, comm: Int);
    reduce_scatter_block, start_reduce_scatter_block, make_reduce_scatter_block =
        reductions::reduce_scatter_block: (reduction: Reduction<Count>, comm: Int);
    scan, start_scan, make_scan = reductions::scan: (reduction: Reduction<Count>, comm: Int);
    exscan, start_exscan, make_exscan = reductions::exscan: (reduction: Reduction<Count>, comm: Int);
    neighbor_allgather, start_neighbor_allgather, make_neighbor_allgather =
        neighbourhood::allgather: (send: Data, receive: Data, comm: Int);
    neighbor_allgatherv, start_neighbor_allgatherv, make_neighbor_allgatherv =
        neighbourhood::allgatherv: (send: Data, receive: Blocks, comm: Int);
    neighbor_alltoall, start_neighbor_alltoall, make_neighbor_alltoall =
        neighbourhood::alltoall: (send: Data, receive: Data, comm: Int);
    neighbor_alltoallv, start_neighbor_alltoallv, make_neighbor_alltoallv =
        neighbourhood::alltoallv: (send: Blocks, receive: Blocks, comm: Int);
    neighbor_alltoallw, start_neighbor_alltoallw, make_neighbor_alltoallw =
        neighbourhood::alltoallw: (send: TypedBlocks<Aints>, receive: TypedBlocks<Aints>, comm: Int);
}
