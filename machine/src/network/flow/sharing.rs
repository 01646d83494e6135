//! Max-min fair sharing: each flow crosses some links; its rate grows with that of all others until one of its
//! links is full (progressive filling; Bertsekas, Gallager: Data Networks, §6.5.2).
//!
//! A full link has a *level*, the rate of the flows that it limits. The level follows from the flows'
//! limits elsewhere, so a change needs new levels only where the limits of flows changed: links are looked at again
//! until no level changes. The link with the lowest level is right after one look, whatever the others say, then the
//! second lowest, and so on, so this ends, at the one max-min allocation.
//!
//! [`super::routes`] determines the links of a message; [`super`] adds its overheads and latency.

use base_data::Time;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Number of a link.
pub(super) type LinkId = u32;
/// Number of a flow; given again to a later one once it has ended.
pub(super) type FlowId = u32;

/// A rate or level that changed by less than this share did not change: rounding.
const SAME: f64 = 1e-12;

/// Links, and the flows on them.
#[derive(Clone, Debug, Default)]
pub(super) struct Sharing {
    links: Vec<Link>,
    flows: Vec<Flow>,
    free: Vec<FlowId>,
    /// Links whose level may have changed.
    dirty: Vec<LinkId>,
    /// Flows whose rate may have changed.
    touched: Vec<FlowId>,
    /// When each flow ends at its present rate; of a past version if that changed.
    ends: BinaryHeap<Reverse<(Time, FlowId, u64)>>,
    changes: u64,
    now: Time,
}

/// One direction of a link, or anything else that flows share.
#[derive(Clone, Debug)]
struct Link {
    /// Bytes per picosecond.
    capacity: f64,
    opposite: Option<Opposite>,
    flows: Vec<FlowId>,
    level: f64,
    is_dirty: bool,
}

/// The other direction of a link.
#[derive(Clone, Copy, Debug)]
pub(super) struct Opposite {
    pub(super) link: LinkId,
    /// Share of the capacity that remains while the other direction carries anything: 1/2 for half duplex.
    pub(super) share: f64,
}

#[derive(Clone, Debug, Default)]
struct Flow {
    links: Vec<LinkId>,
    /// The most that it takes where it is alone, in bytes per picosecond.
    cap: f64,
    rate: f64,
    /// Bytes, at `since`.
    left: f64,
    since: Time,
    /// Of its valid end.
    version: u64,
    is_touched: bool,
}

impl Sharing {
    /// Adds a link of a capacity in bytes per picosecond.
    pub(super) fn add_link(&mut self, capacity: f64) -> LinkId {
        self.links.push(Link {
            capacity,
            opposite: None,
            flows: Vec::new(),
            level: f64::INFINITY,
            is_dirty: false,
        });
        self.links.len() as LinkId - 1
    }

    /// Says that a link has less capacity while another carries anything.
    pub(super) fn oppose(&mut self, link: LinkId, opposite: Opposite) {
        self.links[link as usize].opposite = Some(opposite);
    }

    /// A flow begins; all that end until `at` have ended ([`Sharing::next_end`]).
    pub(super) fn begin(&mut self, links: &[LinkId], cap: f64, bytes: f64, at: Time) -> FlowId {
        self.now = self.now.max(at);
        let number = self.free.pop().unwrap_or_else(|| {
            self.flows.push(Flow::default());
            self.flows.len() as FlowId - 1
        });
        let flow = &mut self.flows[number as usize];
        flow.links.clear();
        flow.links.extend_from_slice(links);
        (flow.cap, flow.rate, flow.left, flow.since) = (cap, 0.0, bytes, at);
        for &link in links {
            self.links[link as usize].flows.push(number);
            self.changed(link);
        }
        self.touch(number);
        number
    }

    /// Bytes that a flow has left at a time that is not before the last change.
    pub(super) fn left(&self, flow: FlowId, at: Time) -> f64 {
        let flow = &self.flows[flow as usize];
        let passed = (at - flow.since).picoseconds().max(0) as f64;
        (flow.left - passed * flow.rate).max(0.0)
    }

    /// When the next flow ends.
    pub(super) fn next_end_at(&mut self) -> Option<Time> {
        self.solve();
        loop {
            let &Reverse((at, flow, version)) = self.ends.peek()?;
            // Other versions are of rates that have changed since.
            if self.flows[flow as usize].version == version {
                return Some(at);
            }
            self.ends.pop();
        }
    }

    /// Ends a flow whose end is at `at` or before, by what is known without looking at links again: exact for what
    /// ends now, since what changed now has moved nothing yet.
    pub(super) fn take_end(&mut self, at: Time) -> Option<(FlowId, Time)> {
        loop {
            let &Reverse((end, flow, version)) = self.ends.peek()?;
            let is_valid = self.flows[flow as usize].version == version;
            if is_valid && end > at {
                return None;
            }
            self.ends.pop();
            if is_valid {
                self.end(flow, end);
                return Some((flow, end));
            }
        }
    }

    fn end(&mut self, number: FlowId, at: Time) {
        self.now = self.now.max(at);
        self.changes += 1;
        let flow = &mut self.flows[number as usize];
        flow.version = self.changes;
        let links = std::mem::take(&mut flow.links);
        for &link in &links {
            let flows = &mut self.links[link as usize].flows;
            if let Some(place) = flows.iter().position(|&other| other == number) {
                flows.swap_remove(place);
            }
            self.changed(link);
        }
        // The list keeps its room for the next flow of this number.
        self.flows[number as usize].links = links;
        self.free.push(number);
    }

    /// The flows of a link are others than before.
    fn changed(&mut self, link: LinkId) {
        self.mark(link);
        if let Some(Opposite { link: opposite, .. }) = self.links[link as usize].opposite
            // The other direction's capacity depends only on whether there is any flow here: that changes
            // with the first one and after the last one.
            && self.links[link as usize].flows.len() <= 1
        {
            self.mark(opposite);
        }
    }

    fn mark(&mut self, link: LinkId) {
        let state = &mut self.links[link as usize];
        if !state.is_dirty {
            state.is_dirty = true;
            self.dirty.push(link);
        }
    }

    fn touch(&mut self, flow: FlowId) {
        let state = &mut self.flows[flow as usize];
        if !state.is_touched {
            state.is_touched = true;
            self.touched.push(flow);
        }
    }

    /// Finds levels and rates anew where something changed.
    fn solve(&mut self) {
        let mut next = 0;
        // First come, first served: every marked link is looked at before one is for the second time.
        while next < self.dirty.len() {
            let link = self.dirty[next];
            next += 1;
            self.links[link as usize].is_dirty = false;
            self.level(link);
            if next == self.dirty.len() {
                self.dirty.clear();
                next = 0;
            }
        }
        while let Some(flow) = self.touched.pop() {
            self.flows[flow as usize].is_touched = false;
            self.rate(flow);
        }
    }

    /// What a flow may take as far as other links than `link` are concerned.
    fn limit_elsewhere(&self, flow: &Flow, link: LinkId) -> f64 {
        let mut limit = flow.cap;
        for &other in &flow.links {
            if other != link {
                limit = limit.min(self.links[other as usize].level);
            }
        }
        limit
    }

    /// The level of one link, by the present levels of the others.
    fn level(&mut self, number: LinkId) {
        let link = &self.links[number as usize];
        let mut limits: Vec<f64> = link
            .flows
            .iter()
            .map(|&flow| self.limit_elsewhere(&self.flows[flow as usize], number))
            .collect();
        let is_opposed = |opposite: &Opposite| !self.links[opposite.link as usize].flows.is_empty();
        let share = link
            .opposite
            .filter(is_opposed)
            .map_or(1.0, |opposite| opposite.share);
        let (old, new) = (link.level, level_of(link.capacity * share, &mut limits));
        // Of two infinite levels the difference is no number.
        if old == new || (old - new).abs() <= SAME * old.min(new) {
            self.touch_all(number);
            return;
        }
        self.links[number as usize].level = new;
        for place in 0..self.links[number as usize].flows.len() {
            let flow = self.links[number as usize].flows[place];
            self.touch(flow);
            for at in 0..self.flows[flow as usize].links.len() {
                let other = self.flows[flow as usize].links[at];
                // A flow that a link limits further before and after does not matter to it elsewhere.
                if other != number && old.min(new) < self.links[other as usize].level {
                    self.mark(other);
                }
            }
        }
    }

    fn touch_all(&mut self, link: LinkId) {
        for place in 0..self.links[link as usize].flows.len() {
            self.touch(self.links[link as usize].flows[place]);
        }
    }

    /// The rate of one flow, and so its end.
    fn rate(&mut self, number: FlowId) {
        let flow = &self.flows[number as usize];
        let rate = self.limit_elsewhere(flow, LinkId::MAX);
        // The end in the heap stays valid.
        if (rate - flow.rate).abs() <= SAME * rate {
            return;
        }
        let left = self.left(number, self.now);
        self.changes += 1;
        let (now, version) = (self.now, self.changes);
        let flow = &mut self.flows[number as usize];
        (flow.left, flow.since, flow.rate, flow.version) = (left, now, rate, version);
        let picoseconds = (left / rate).round();
        // The cast cuts what no time can hold.
        let end = now + Time::from_picoseconds(picoseconds as i64);
        self.ends.push(Reverse((end, number, version)));
    }
}

/// The rate `x` at which flows with these limits fill a capacity, each taking the lesser of its limit and `x`;
/// infinite where they do not fill it.
fn level_of(capacity: f64, limits: &mut [f64]) -> f64 {
    let all: f64 = limits.iter().sum();
    // Not full: the link limits no flow.
    if all <= capacity {
        return f64::INFINITY;
    }
    let lowest = limits.iter().copied().fold(f64::INFINITY, f64::min);
    let equal = capacity / limits.len() as f64;
    // All flows are limited here, which is the common case and needs no sorting.
    if lowest >= equal {
        return equal;
    }
    limits.sort_unstable_by(f64::total_cmp);
    let mut left = capacity;
    // Flows with the lowest limits take these; the rest is divided among the others (progressive filling).
    for (place, &limit) in limits.iter().enumerate() {
        let share = left / (limits.len() - place) as f64;
        if limit >= share {
            return share;
        }
        left -= limit;
    }
    f64::INFINITY
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[derive(Clone, Debug)]
    struct Case {
        capacities: Vec<f64>,
        share: f64,
        flows: Vec<CaseFlow>,
    }

    #[derive(Clone, Debug)]
    struct CaseFlow {
        links: Vec<LinkId>,
        cap: f64,
        bytes: f64,
        at: i64,
    }

    /// Links in pairs of opposite directions.
    fn opposite(link: LinkId) -> LinkId {
        link ^ 1
    }

    fn sharing(case: &Case) -> Sharing {
        let mut sharing = Sharing::default();
        for &capacity in &case.capacities {
            sharing.add_link(capacity);
        }
        for link in 0..case.capacities.len() as LinkId {
            let share = case.share;
            sharing.oppose(
                link,
                Opposite {
                    link: opposite(link),
                    share,
                },
            );
        }
        sharing
    }

    /// Ends of all flows in picoseconds.
    fn ends(case: &Case) -> Vec<i64> {
        let mut sharing = sharing(case);
        let mut order: Vec<usize> = (0..case.flows.len()).collect();
        order.sort_by_key(|&flow| case.flows[flow].at);
        let mut ends = vec![0; case.flows.len()];
        let mut running = std::collections::BTreeMap::new();
        let mut begins = order.into_iter().peekable();
        loop {
            let begin = begins
                .peek()
                .map(|&flow| Time::from_picoseconds(case.flows[flow].at));
            let end = sharing.next_end_at();
            let Some(now) = begin.into_iter().chain(end).min() else {
                return ends;
            };
            while let Some((flow, at)) = sharing.take_end(now) {
                let number: usize = running.remove(&flow).unwrap();
                ends[number] = at.picoseconds();
            }
            if begin == Some(now)
                && let Some(number) = begins.next()
            {
                let flow = &case.flows[number];
                running.insert(
                    sharing.begin(&flow.links, flow.cap, flow.bytes, now),
                    number,
                );
            }
        }
    }

    /// Rates by plain progressive filling: all rates grow together; whatever meets a full link or its cap stops.
    fn filled(case: &Case, running: &[usize]) -> Vec<f64> {
        let used = |link: LinkId| {
            running
                .iter()
                .any(|&flow| case.flows[flow].links.contains(&link))
        };
        let capacity = |link: LinkId| {
            let whole = case.capacities[link as usize];
            if used(opposite(link)) {
                whole * case.share
            } else {
                whole
            }
        };
        let mut rates: Vec<Option<f64>> = vec![None; running.len()];
        while rates.contains(&None) {
            let mut level = f64::INFINITY;
            for (place, &flow) in running.iter().enumerate() {
                if rates[place].is_none() {
                    level = level.min(case.flows[flow].cap);
                }
            }
            let mut full = Vec::new();
            for link in 0..case.capacities.len() as LinkId {
                let (mut growing, mut taken) = (0, 0.0);
                for (place, &flow) in running.iter().enumerate() {
                    if case.flows[flow].links.contains(&link) {
                        match rates[place] {
                            None => growing += 1,
                            Some(rate) => taken += rate,
                        }
                    }
                }
                if growing > 0 {
                    full.push((link, (capacity(link) - taken).max(0.0) / f64::from(growing)));
                }
            }
            level = full
                .iter()
                .fold(level, |level, &(_, share)| level.min(share));
            for (place, &flow) in running.iter().enumerate() {
                let meets = |link: &LinkId| {
                    full.iter()
                        .any(|&(full, share)| full == *link && share <= level * (1.0 + 1e-12))
                };
                let stops =
                    case.flows[flow].cap <= level || case.flows[flow].links.iter().any(meets);
                if rates[place].is_none() && stops {
                    rates[place] = Some(level);
                }
            }
        }
        rates.into_iter().flatten().collect()
    }

    fn reference(case: &Case) -> Vec<i64> {
        let mut left: Vec<f64> = case.flows.iter().map(|flow| flow.bytes).collect();
        let mut ends = vec![None; left.len()];
        let mut now = 0.0;
        loop {
            let running: Vec<usize> = (0..left.len())
                .filter(|&flow| ends[flow].is_none() && case.flows[flow].at as f64 <= now)
                .collect();
            let rates = filled(case, &running);
            let begins = case.flows.iter().map(|flow| flow.at as f64);
            let begin = begins.filter(|&at| at > now).fold(f64::INFINITY, f64::min);
            let mut next = begin;
            for (place, &flow) in running.iter().enumerate() {
                next = next.min(now + left[flow] / rates[place]);
            }
            if next.is_infinite() {
                return ends
                    .into_iter()
                    .flatten()
                    .map(|end: f64| end.round() as i64)
                    .collect();
            }
            for (place, &flow) in running.iter().enumerate() {
                left[flow] -= rates[place] * (next - now);
                if left[flow] <= 1e-9 * case.flows[flow].bytes {
                    ends[flow] = Some(next);
                }
            }
            now = next;
        }
    }

    fn case() -> impl Strategy<Value = Case> {
        let flow = (
            prop::collection::btree_set(0u32..8, 1..4),
            0.05f64..3.0,
            1f64..1e6,
            0i64..2_000_000,
        );
        let flow = flow.prop_map(|(links, cap, bytes, at)| CaseFlow {
            links: links.into_iter().collect(),
            cap,
            bytes,
            at,
        });
        (
            prop::collection::vec(0.2f64..2.0, 8),
            prop_oneof![Just(1.0), 0.5f64..1.0],
            prop::collection::vec(flow, 1..24),
        )
            .prop_map(|(capacities, share, flows)| Case {
                capacities,
                share,
                flows,
            })
    }

    proptest! {
        /// Within a nanosecond.
        #[test]
        fn equals_progressive_filling(case in case()) {
            let (found, expected) = (ends(&case), reference(&case));
            for (flow, (found, expected)) in found.iter().zip(&expected).enumerate() {
                prop_assert!((found - expected).abs() <= 1000, "flow {flow}: {found}, not {expected}");
            }
        }

        #[test]
        fn equal_capacities_equal_progressive_filling(
            mut case in case(), whole in 1u32..4,
        ) {
            case.capacities = vec![f64::from(whole); 8];
            case.flows.iter_mut().for_each(|flow| (flow.cap, flow.at) = (f64::from(whole), flow.at / 500_000 * 500_000));
            let (found, expected) = (ends(&case), reference(&case));
            for (found, expected) in found.iter().zip(&expected) {
                prop_assert!((found - expected).abs() <= 1000, "{found}, not {expected}");
            }
        }
    }
}
