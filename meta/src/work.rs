//! Random work of a compute block: expectation and covariance, which are exact, and samples of its distribution.
//!
//! Samples of sums are sums of samples in random order; a loop doubles the number of its iterations, so that a million of them
//! cost twenty sums.

use crate::flow::{Amount, Flow, Iterations};
use crate::random::Generator;
use crate::syntax::Action;
use std::rc::Rc;

/// Samples of a distribution: probabilities are off by a thousandth at most.
const SAMPLES: usize = 1024;

/// Costs of computation and of streams.
type Pair = [f64; 2];

/// Work of a block.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Work {
    /// Expected costs.
    pub(crate) mean: Pair,
    /// Variance of the first, covariance, variance of the second.
    covariance: [f64; 3],
    /// `None` if the work is the same in every execution.
    samples: Option<Rc<Vec<Pair>>>,
}

fn scaled(pair: Pair, factor: f64) -> Pair {
    pair.map(|value| value * factor)
}

fn sum(a: Pair, b: Pair) -> Pair {
    [a[0] + b[0], a[1] + b[1]]
}

/// The products of the components of two pairs, symmetrically.
fn products(a: Pair, b: Pair) -> [f64; 3] {
    [a[0] * b[0], (a[0] * b[1] + a[1] * b[0]) / 2.0, a[1] * b[1]]
}

impl Work {
    fn constant(mean: Pair) -> Self {
        Self {
            mean,
            covariance: [0.0; 3],
            samples: None,
        }
    }

    /// Samples in random order.
    fn drawn(&self, random: &mut Generator) -> Vec<Pair> {
        match &self.samples {
            None => vec![self.mean; SAMPLES],
            Some(samples) => random
                .order(SAMPLES)
                .into_iter()
                .map(|index| samples[index])
                .collect(),
        }
    }

    /// Whether executions differ.
    pub(crate) fn is_random(&self) -> bool {
        self.samples.is_some()
    }

    /// Standard deviations of both costs and of their sum.
    pub(crate) fn deviations(&self) -> [f64; 3] {
        [[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]].map(|weights| self.deviation(weights))
    }

    /// Standard deviation of a weighted sum of both costs.
    fn deviation(&self, weights: Pair) -> f64 {
        let [first, mixed, second] = self.covariance;
        let variance = first * weights[0] * weights[0]
            + 2.0 * mixed * weights[0] * weights[1]
            + second * weights[1] * weights[1];
        variance.max(0.0).sqrt()
    }

    /// Mean, standard deviation and ordered samples of a weighted sum of both costs.
    pub(crate) fn weighted(&self, weights: Pair) -> (f64, f64, Vec<f64>) {
        let value = |pair: Pair| pair[0] * weights[0] + pair[1] * weights[1];
        let mut samples: Vec<f64> = match &self.samples {
            None => Vec::new(),
            Some(samples) => samples.iter().map(|&pair| value(pair)).collect(),
        };
        samples.sort_unstable_by(f64::total_cmp);
        (value(self.mean), self.deviation(weights), samples)
    }

    /// The work with other samples; none if it does not vary.
    fn with_samples(mean: Pair, covariance: [f64; 3], samples: Vec<Pair>) -> Self {
        let is_random = covariance.iter().any(|&value| value != 0.0);
        let samples = if is_random {
            Some(Rc::new(samples))
        } else {
            None
        };
        Self {
            mean,
            covariance,
            samples,
        }
    }
}

/// Sums of 1, 2, 4, … independent samples.
struct Doublings(Vec<Vec<Pair>>);

impl Doublings {
    /// Up to sums of `most` samples.
    fn of(work: &Work, most: u64, random: &mut Generator) -> Self {
        let mut sums = vec![work.drawn(random)];
        // `sums[k]` contains sums of 2^k samples; `sample` adds those of the bits of its count.
        while sums.len() < 64 && 1u64 << sums.len() <= most {
            let last = &sums[sums.len() - 1];
            let order = random.order(SAMPLES);
            let next = (0..SAMPLES)
                .map(|index| sum(last[index], last[order[index]]))
                .collect();
            sums.push(next);
        }
        Self(sums)
    }

    /// A sample of the sum of `count` samples.
    fn sample(&self, count: u64, random: &mut Generator) -> Pair {
        let mut total = [0.0; 2];
        for (bit, sums) in self.0.iter().enumerate() {
            if count >> bit & 1 == 1 {
                total = sum(total, sums[random.below(SAMPLES)]);
            }
        }
        total
    }
}

impl Amount for Work {
    fn none() -> Self {
        Self::constant([0.0; 2])
    }

    fn of_action(action: Action, cost: f64) -> Self {
        match action {
            Action::Compute => Self::constant([cost, 0.0]),
            Action::Input | Action::Output => Self::constant([0.0, cost]),
            // Calls are entries of the stream, not work.
            _ => Self::none(),
        }
    }

    fn plus(&self, other: &Self, random: &mut Generator) -> Self {
        let mean = sum(self.mean, other.mean);
        if !self.is_random() && !other.is_random() {
            return Self::constant(mean);
        }
        let covariance = [0, 1, 2].map(|i| self.covariance[i] + other.covariance[i]);
        // Constant work shifts the samples. Two random works are independent, so their samples are paired in random order.
        let samples = match (&self.samples, &other.samples) {
            (Some(samples), None) => samples.iter().map(|&one| sum(one, other.mean)).collect(),
            (None, Some(samples)) => samples.iter().map(|&one| sum(one, self.mean)).collect(),
            _ => {
                let (first, second) = (self.drawn(random), other.drawn(random));
                first.iter().zip(second).map(|(&a, b)| sum(a, b)).collect()
            }
        };
        Self::with_samples(mean, covariance, samples)
    }

    fn times(&self, count: f64, random: &mut Generator) -> Self {
        let mean = scaled(self.mean, count);
        if !self.is_random() || count <= 0.0 {
            return Self::constant(mean);
        }
        let whole = count.floor();
        let fraction = count - whole;
        // Whole iterations are independent; a fraction of an iteration is the same fraction of its work.
        let covariance = self
            .covariance
            .map(|value| value * (whole + fraction * fraction));
        let doublings = Doublings::of(self, whole as u64, random);
        let mut samples = Vec::with_capacity(SAMPLES);
        for _ in 0..SAMPLES {
            let rest = scaled(doublings.sample(1, random), fraction);
            samples.push(sum(doublings.sample(whole as u64, random), rest));
        }
        Self::with_samples(mean, covariance, samples)
    }

    fn or(&self, probability: f64, other: &Self, random: &mut Generator) -> Self {
        if probability >= 1.0 || self == other && !self.is_random() {
            return self.clone();
        }
        if probability <= 0.0 {
            return other.clone();
        }
        let rest = 1.0 - probability;
        let mean = sum(scaled(self.mean, probability), scaled(other.mean, rest));
        // Law of total variance: the mean variance within the two works, and the variance between their means, which is
        // p (1 − p) times the square of their distance.
        let distance = sum(self.mean, scaled(other.mean, -1.0));
        let between = products(distance, distance);
        let covariance = [0, 1, 2].map(|i| {
            probability * self.covariance[i]
                + rest * other.covariance[i]
                + probability * rest * between[i]
        });
        // As many samples of each as its probability says: the mean of the samples is then nearly exact.
        let own = (probability * SAMPLES as f64).round() as usize;
        let mut samples = self.drawn(random);
        samples.truncate(own);
        samples.extend(other.drawn(random).into_iter().skip(own));
        Self::with_samples(mean, covariance, samples)
    }

    fn until_break(body: &Flow<Self>, count: f64, random: &mut Generator) -> Self {
        let iterations = Iterations::of(body.stays, count);
        let (stay, leave) = (&body.stay, &body.leave);
        let (ends, leaves) = (&iterations.ends, &iterations.leaves);
        let mean = sum(
            scaled(stay.mean, ends.mean),
            scaled(leave.mean, leaves.mean),
        );
        // By the law of total variance, over the numbers of iterations that end and that leave.
        let parts = [
            products(stay.mean, stay.mean).map(|value| value * ends.variance),
            products(leave.mean, leave.mean).map(|value| value * leaves.variance),
            products(stay.mean, leave.mean).map(|value| value * 2.0 * iterations.covariance),
            stay.covariance.map(|value| value * ends.squares),
            leave.covariance.map(|value| value * leaves.squares),
        ];
        let covariance = [0, 1, 2].map(|i| parts.iter().map(|part| part[i]).sum());
        let most = count.floor() as u64;
        // The number of whole iterations has a geometric distribution that is cut at the end of the loop.
        let numbers: Vec<u64> = (0..SAMPLES)
            .map(|_| random.successes(body.stays).min(most))
            .collect();
        let longest = numbers.iter().copied().max().unwrap_or(0);
        let doublings = Doublings::of(stay, longest, random);
        let last = leave.drawn(random);
        let fraction = count - count.floor();
        let mut samples = Vec::with_capacity(SAMPLES);
        for (number, last) in numbers.into_iter().zip(last) {
            let whole = doublings.sample(number, random);
            let ending = if number < most {
                last
            } else if fraction > 0.0 {
                // A loop that made all whole iterations was not left by a BREAK; its last one is a part, which may contain one.
                let part = match random.share() < body.stays {
                    true => doublings.sample(1, random),
                    false => last,
                };
                scaled(part, fraction)
            } else {
                [0.0; 2]
            };
            samples.push(sum(whole, ending));
        }
        Self::with_samples(mean, covariance, samples)
    }
}
