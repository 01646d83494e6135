//! Allreduce around a ring in phases: the chunk of each rank is cut into segments, and in each phase one segment of all
//! chunks passes the ring and is combined, while the next one's receive is posted; then the finished chunks pass the
//! ring once, whole. Open MPI 4.1's `segmented_ring` (ompi/mca/coll/base/coll_base_allreduce.c).

use super::allreduce_ring::chunk;
use super::step::{Arrival, DataPart, Operation, Received, Step};

/// Steps of one rank. Operands without a segment for each rank go around the plain ring.
pub fn schedule(operation: &Operation<'_>) -> Vec<Step> {
    let ranks = operation.ranks;
    let Some(phases) = phases(operation) else {
        return super::allreduce_ring::schedule(operation);
    };
    let (to, from) = (operation.above(1), operation.below(1));
    let mut steps = Vec::new();
    for phase in 0..phases {
        let segment = |round| segment(operation, operation.below(round), phase, phases);
        let arriving = |round| Received::combine(from, segment(round));
        steps.push(Step::StartReceive(1, arriving(1)));
        steps.push(Step::send(to, segment(0)));
        for round in 2..ranks {
            steps.push(Step::StartReceive(round % 2, arriving(round)));
            steps.push(Step::Wait((round - 1) % 2));
            steps.push(Step::send(to, segment(round - 1)));
        }
        steps.push(Step::Wait((ranks - 1) % 2));
    }
    for round in 0..ranks - 1 {
        // The chunk that a rank completes is the next rank's.
        let finished = chunk(operation, operation.below(ranks - 1 + round));
        let next = chunk(operation, operation.below(ranks + round));
        let received = Received {
            from,
            part: next,
            arrival: Arrival::STORE,
        };
        let sent = super::Sent { to, part: finished };
        steps.push(Step::Exchange(sent, received));
    }
    steps
}

/// How many segments a chunk has: as many as fit, one more if the rest is over half of a segment for each rank.
fn phases(operation: &Operation<'_>) -> Option<u64> {
    let ranks = u64::from(operation.ranks);
    let each = operation.parameters.segment / operation.element;
    let (elements, of_phase) = (operation.elements(), ranks * each);
    if ranks == 1 || each == 0 || elements < of_phase {
        return None;
    }
    let rest = elements % of_phase;
    let is_rest_long = rest >= ranks && rest > of_phase / 2;
    Some(elements / of_phase + u64::from(is_rest_long))
}

/// A segment of a chunk; the first ones of a chunk are an element longer where it does not divide.
fn segment(operation: &Operation<'_>, number: u32, phase: u64, phases: u64) -> DataPart {
    let (first, elements) = super::allreduce_ring::chunk_elements(operation, number);
    let (each, longer) = (elements / phases, elements % phases);
    let begin = each * phase + longer.min(phase);
    operation.range(first + begin, each + u64::from(phase < longer))
}
