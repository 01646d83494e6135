//! What statements amount to when their control flow is random: amounts on the way to their end and to a BREAK.

use crate::random::Generator;
use crate::syntax::Action;

/// Something that statements add up.
pub(crate) trait Amount: Clone {
    /// Nothing.
    fn none() -> Self;
    /// What an action amounts to.
    fn of_action(action: Action, cost: f64) -> Self;
    /// The sum with an independent amount.
    fn plus(&self, other: &Self, random: &mut Generator) -> Self;
    /// The sum of so many independent amounts like this; a fraction is a part of one.
    fn times(&self, count: f64, random: &mut Generator) -> Self;
    /// This one with a probability, and the other one otherwise.
    fn or(&self, probability: f64, other: &Self, random: &mut Generator) -> Self;
    /// Repeats a body up to `count` times until it breaks.
    fn until_break(body: &Flow<Self>, count: f64, random: &mut Generator) -> Self;
}

/// Amounts of statements, by the way they end. Both amounts are conditional: expectations and samples of those executions
/// that end in this way.
#[derive(Clone, Debug)]
pub(crate) struct Flow<A> {
    /// Probability that no BREAK is reached.
    pub(crate) stays: f64,
    /// The amount if none is reached.
    pub(crate) stay: A,
    /// The amount up to the BREAK otherwise.
    pub(crate) leave: A,
}

impl<A: Amount> Flow<A> {
    /// Statements that always reach their end.
    pub(crate) fn straight(stay: A) -> Self {
        Self {
            stays: 1.0,
            stay,
            leave: A::none(),
        }
    }

    /// A BREAK.
    pub(crate) fn leaves() -> Self {
        Self {
            stays: 0.0,
            stay: A::none(),
            leave: A::none(),
        }
    }

    /// This, and then the next.
    pub(crate) fn then(&self, next: &Self, random: &mut Generator) -> Self {
        let stays = self.stays * next.stays;
        let stay = self.stay.plus(&next.stay, random);
        // Probabilities of a BREAK in the first part, and of one in the second, which only runs if the first one stays.
        let own = 1.0 - self.stays;
        let later = self.stays * (1.0 - next.stays);
        let leave = if own + later > 0.0 {
            let second = self.stay.plus(&next.leave, random);
            self.leave.or(own / (own + later), &second, random)
        } else {
            A::none()
        };
        Self { stays, stay, leave }
    }

    /// This with a probability, and the other one otherwise.
    pub(crate) fn or(&self, probability: f64, other: &Self, random: &mut Generator) -> Self {
        let (p, q) = (probability, 1.0 - probability);
        // Bayes' theorem: of the executions that stay, the first branch has the share p * self.stays / stays.
        let stays = p * self.stays + q * other.stays;
        let leaves = p * (1.0 - self.stays) + q * (1.0 - other.stays);
        // An ending of probability 0 has no meaningful amount: any share will do.
        let share = |part: f64, whole: f64| if whole > 0.0 { part / whole } else { 1.0 };
        let stay = self
            .stay
            .or(share(p * self.stays, stays), &other.stay, random);
        let leave = self
            .leave
            .or(share(p * (1.0 - self.stays), leaves), &other.leave, random);
        Self { stays, stay, leave }
    }

    /// A loop: a BREAK inside ends nothing outside.
    pub(crate) fn repeated(&self, count: f64, random: &mut Generator) -> Self {
        let amount = if self.stays >= 1.0 {
            self.stay.times(count, random)
        } else {
            A::until_break(self, count, random)
        };
        Self::straight(amount)
    }

    /// Iterations of a loop that have been added up, and the rest of it.
    pub(crate) fn and_rest(&self, rest: &Self, random: &mut Generator) -> Self {
        // `rest` is a whole loop, which always stays. A BREAK in the iterations before it skips it.
        let whole = self.stay.plus(&rest.stay, random);
        let amount = whole.or(self.stays, &self.leave, random);
        Self::straight(amount)
    }
}

/// Iterations of a loop that is left with probability 1 − `stays` in each. A fraction of an iteration, which is the last one, counts
/// as this fraction, whether it reaches its end or not.
pub(crate) struct Iterations {
    /// Number of iterations that reach their end.
    pub(crate) ends: Moments,
    /// Number of those that leave the loop: at most one.
    pub(crate) leaves: Moments,
    /// Covariance of the two numbers.
    pub(crate) covariance: f64,
}

/// Moments of a number of iterations.
pub(crate) struct Moments {
    pub(crate) mean: f64,
    pub(crate) variance: f64,
    /// Mean of the sum of the squares of the shares that count: 1 for an iteration, less for a fraction.
    pub(crate) squares: f64,
}

/// Of a loop with a whole number of iterations.
struct WholeIterations {
    mean: f64,
    variance: f64,
    /// Probability that the loop is left early.
    leaves: f64,
    /// Covariance of the number of whole iterations with leaving.
    covariance: f64,
}

/// Where n (1 − stays) is smaller, sums are taken from their series: the closed forms cancel, those of the
/// series are off by the third power of this.
const SERIES_BELOW: f64 = 1e-3;

impl Iterations {
    /// Of a loop with `count` iterations.
    pub(crate) fn of(stays: f64, count: f64) -> Self {
        let whole = count.floor();
        let WholeIterations {
            mean,
            variance,
            leaves,
            covariance,
        } = WholeIterations::of(stays, whole);
        // The fraction `f` is executed if no iteration before it has left the loop. It ends (`e`) or leaves (`l`).
        let f = count - whole;
        let reached = 1.0 - leaves;
        let (e, l) = (reached * stays, reached * (1.0 - stays));
        // Where the fraction is executed, `whole` iterations have ended, and none has left.
        let with_ends = |probability: f64| probability * (whole - mean);
        Self {
            ends: Moments {
                mean: mean + f * e,
                variance: variance + 2.0 * f * with_ends(e) + f * f * e * (1.0 - e),
                squares: mean + f * f * e,
            },
            leaves: Moments {
                mean: leaves + f * l,
                variance: leaves * reached - 2.0 * f * leaves * l + f * f * l * (1.0 - l),
                squares: leaves + f * f * l,
            },
            covariance: covariance + f * with_ends(l) - f * e * leaves - f * f * e * l,
        }
    }
}

impl WholeIterations {
    /// A geometric distribution that is cut at `count`.
    fn of(stays: f64, count: f64) -> Self {
        let (n, r) = (count, stays);
        let q = 1.0 - r;
        // The first iteration leaves the loop, if there is one; ln(r) below would be infinite.
        if r <= 0.0 {
            return Self {
                mean: 0.0,
                variance: 0.0,
                leaves: if n > 0.0 { 1.0 } else { 0.0 },
                covariance: 0.0,
            };
        }
        // 1 − r^n without cancellation.
        let leaves = -(n * r.ln()).exp_m1();
        // Sums of r^k and of k r^k for k from 1 to n: E(N) is the first, E(N²) twice the second less the first.
        let (sum, weighted) = if n * q < SERIES_BELOW {
            // Sums of k, k² and k³, with r^k = (1 − q)^k ≈ 1 − kq + k(k − 1)q²/2.
            let first = n * (n + 1.0) / 2.0;
            let second = first * (2.0 * n + 1.0) / 3.0;
            let third = first * first;
            (
                n - q * first + q * q * (second - first) / 2.0,
                first - q * second + q * q * (third - second) / 2.0,
            )
        } else {
            let rn = 1.0 - leaves;
            (
                r * leaves / q,
                r * (1.0 - (n + 1.0) * rn + n * rn * r) / (q * q),
            )
        };
        let square = 2.0 * weighted - sum;
        Self {
            mean: sum,
            variance: (square - sum * sum).max(0.0),
            leaves,
            // E(N and leaving) is E(N) less that of the loops that reach their end.
            covariance: (sum - n * (1.0 - leaves)) - sum * leaves,
        }
    }
}
