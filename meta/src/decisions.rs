//! Random outcomes of the IF statements that determine which MPI calls are made. All ranks make the same calls, so the
//! n-th execution of such a statement has the same outcome on all of them.

use crate::random::Generator;
use base_data::hashing::NumberMap;

/// A statement, by its first byte, and the bits of its probability: each value of a probability has outcomes of its own.
type Site = (u32, u64);

/// Outcomes of one statement: runs of equal ones, drawn by their lengths.
struct Outcomes {
    random: Generator,
    present: bool,
    /// Further outcomes that are equal to the present one.
    left: u64,
}

/// What an iteration took of a statement's outcomes.
#[derive(Clone, Copy)]
pub(crate) struct Taken {
    count: u64,
    outcome: bool,
    is_mixed: bool,
}

/// By statement.
pub(crate) type AllTaken = NumberMap<Site, Taken>;

/// The outcomes of a rank.
pub(crate) struct Decisions {
    seed: u64,
    sites: NumberMap<Site, Outcomes>,
    /// Of the open iterations, outermost first.
    open: Vec<AllTaken>,
    /// Whether any outcome was drawn.
    pub(crate) is_used: bool,
}

impl Decisions {
    pub(crate) fn new(seed: u64) -> Self {
        Self {
            seed,
            sites: NumberMap::default(),
            open: Vec::new(),
            is_used: false,
        }
    }

    /// First byte of the first statement in the source with outcomes on the present rank.
    pub(crate) fn first_statement(&self) -> Option<u32> {
        self.sites.keys().map(|(statement, _)| *statement).min()
    }

    /// The next outcome of a statement.
    pub(crate) fn next(&mut self, statement: u32, probability: f64) -> bool {
        self.is_used = true;
        let site = (statement, probability.to_bits());
        let seed = self.seed;
        let outcomes = self.sites.entry(site).or_insert_with(|| {
            let part = u64::from(statement) ^ probability.to_bits().rotate_left(32);
            let mut random = Generator::for_part(seed, part);
            let present = random.share() < probability;
            let left = run(&mut random, present, probability).saturating_add(1);
            Outcomes {
                random,
                present,
                left,
            }
        });
        if outcomes.left == 0 {
            // Runs alternate; each has at least one outcome.
            outcomes.present = !outcomes.present;
            outcomes.left =
                run(&mut outcomes.random, outcomes.present, probability).saturating_add(1);
        }
        outcomes.left -= 1;
        let outcome = outcomes.present;
        if let Some(taken) = self.open.last_mut() {
            note(taken, site, 1, outcome, false);
        }
        outcome
    }

    /// Begins an iteration.
    pub(crate) fn begin(&mut self) {
        self.open.push(AllTaken::default());
    }

    /// Ends an iteration.
    pub(crate) fn end(&mut self) -> AllTaken {
        let taken = self.open.pop().unwrap_or_default();
        self.note_all(&taken, 1);
        taken
    }

    /// Of the next `most` iterations, those that take the same outcomes as one that took `taken`; they are passed.
    pub(crate) fn pass(&mut self, taken: &AllTaken, most: u64) -> u64 {
        let mut equal = most;
        for (site, taken) in taken {
            let Some(outcomes) = self.sites.get(site) else {
                continue;
            };
            let is_same = !taken.is_mixed && outcomes.present == taken.outcome;
            // An iteration takes `taken.count` outcomes, so the present run is enough for `left / count` equal ones. An
            // iteration with both outcomes reaches into the next run, whose length is not known yet.
            equal = if is_same {
                equal.min(outcomes.left / taken.count)
            } else {
                0
            };
        }
        for (site, taken) in taken {
            if let Some(outcomes) = self.sites.get_mut(site) {
                outcomes.left -= equal * taken.count;
            }
        }
        if equal > 0 {
            self.note_all(taken, equal);
        }
        equal
    }

    /// Iterations of an inner loop belong to the iteration of the outer one.
    fn note_all(&mut self, taken: &AllTaken, times: u64) {
        if let Some(outer) = self.open.last_mut() {
            for (&site, one) in taken {
                let count = one.count.saturating_mul(times);
                note(outer, site, count, one.outcome, one.is_mixed);
            }
        }
    }
}

/// Further outcomes of a run.
fn run(random: &mut Generator, outcome: bool, probability: f64) -> u64 {
    let stays = if outcome {
        probability
    } else {
        1.0 - probability
    };
    random.successes(stays)
}

fn note(taken: &mut AllTaken, site: Site, count: u64, outcome: bool, is_mixed: bool) {
    let known = taken.entry(site).or_insert(Taken {
        count: 0,
        outcome,
        is_mixed,
    });
    known.count = known.count.saturating_add(count);
    known.is_mixed |= is_mixed || known.outcome != outcome;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn outcomes_have_their_probability_and_are_independent() {
        let mut decisions = Decisions::new(7);
        let outcomes: Vec<bool> = (0..100_000).map(|_| decisions.next(3, 0.3)).collect();
        let share = outcomes.iter().filter(|&&one| one).count() as f64 / 1e5;
        assert!((share - 0.3).abs() < 0.01, "{share}");
        let pairs = outcomes
            .windows(2)
            .filter(|pair| pair[0] && pair[1])
            .count() as f64
            / 1e5;
        assert!((pairs - 0.09).abs() < 0.01, "{pairs}");
    }

    #[test]
    fn passed_iterations_take_the_outcomes_that_single_ones_would() {
        let mut single = Decisions::new(1);
        let expected: Vec<bool> = (0..1000).map(|_| single.next(5, 0.98)).collect();
        let mut passing = Decisions::new(1);
        let mut found = Vec::new();
        while found.len() < 1000 {
            passing.begin();
            let outcome = passing.next(5, 0.98);
            let taken = passing.end();
            let left = 1000 - found.len() as u64 - 1;
            let passed = passing.pass(&taken, left);
            found.extend(std::iter::repeat_n(outcome, 1 + passed as usize));
        }
        assert_eq!(found, expected);
    }
}
