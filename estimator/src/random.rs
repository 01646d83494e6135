//! The pseudo-random number generator of draws: it gives the same numbers for the same seed on every
//! machine, with independent streams by number so that no draw depends on the order of ranks.

use base_data::split_mix::SplitMix64;

/// A stream of random numbers.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Random {
    generator: SplitMix64,
}

impl Random {
    /// The stream that `numbers` name.
    pub(crate) fn stream(numbers: &[u64]) -> Self {
        let mut random = Self {
            generator: SplitMix64 { state: 0 },
        };
        for &number in numbers {
            // Each number is mixed in before the next, so that (1, 2) and (2, 1) name different streams.
            random.generator.state ^= number;
            random.generator.state = random.next();
        }
        random
    }

    #[inline]
    fn next(&mut self) -> u64 {
        self.generator.next_number()
    }

    /// Even between 0 (included) and 1 (not).
    #[inline]
    pub(crate) fn unit(&mut self) -> f64 {
        // 53 bits fill a double's mantissa.
        (self.next() >> 11) as i64 as f64 / (1u64 << 53) as f64
    }

    /// Even between 0 and 1, of draw number `draw` among [`STRATA`] whose streams have the same name: each number of
    /// the stream falls into each sixteenth once (Latin hypercube sampling: McKay, Beckman and Conover, Technometrics
    /// 21, 1979), so that what adds up has the same mean in all of them.
    #[inline]
    pub(crate) fn stratified_unit(&mut self, draw: u64) -> f64 {
        let number = self.next();
        // An odd factor and an offset permute the strata; the upper bits are the place within the stratum.
        let (factor, offset) = ((number << 1) | 1, number >> 3);
        let stratum = factor.wrapping_mul(draw).wrapping_add(offset) % STRATA;
        let inside = number >> 11;
        // Every second draw takes the opposite place, so that the places have the mean of the stratum.
        let inside = if draw.is_multiple_of(2) {
            inside
        } else {
            (1u64 << 53) - 1 - inside
        };
        let inside = inside as i64 as f64 / (1u64 << 53) as f64;
        (stratum as f64 + inside) / STRATA as f64
    }

    /// Which of `count` things, even.
    pub(crate) fn below(&mut self, count: u64) -> u64 {
        ((self.unit() * count as f64) as u64).min(count.saturating_sub(1))
    }
}

/// Draws that [`Random::stratified_unit`] takes together: a power of two.
pub(crate) const STRATA: u64 = 16;

/// The value that a normal number with mean 0 and standard deviation 1 is below with probability `p`, which lies
/// between 0 and 1; to nine digits (Acklam's rational approximation, 2003).
pub(crate) fn normal_quantile(p: f64) -> f64 {
    const TAIL: f64 = 0.02425;
    const A: [f64; 6] = [
        -39.696_830_286_653_76,
        220.946_098_424_520_5,
        -275.928_510_446_968_7,
        138.357_751_867_269,
        -30.664_798_066_147_16,
        2.506_628_277_459_239,
    ];
    const B: [f64; 6] = [
        -54.476_098_798_224_06,
        161.585_836_858_040_9,
        -155.698_979_859_886_6,
        66.801_311_887_719_72,
        -13.280_681_552_885_72,
        1.0,
    ];
    const C: [f64; 6] = [
        -0.007_784_894_002_430_293,
        -0.322_396_458_041_136_5,
        -2.400_758_277_161_838,
        -2.549_732_539_343_734,
        4.374_664_141_464_968,
        2.938_163_982_698_783,
    ];
    const D: [f64; 5] = [
        0.007_784_695_709_041_462,
        0.322_467_129_070_039_8,
        2.445_134_137_142_996,
        3.754_408_661_907_416,
        1.0,
    ];
    let polynomial =
        |coefficients: &[f64], x: f64| coefficients.iter().fold(0.0, |sum, c| sum * x + c);
    if p > 0.5 {
        return -normal_quantile(1.0 - p);
    }
    if p < TAIL {
        let root = (-2.0 * p.ln()).sqrt();
        return polynomial(&C, root) / polynomial(&D, root);
    }
    let centred = p - 0.5;
    let square = centred * centred;
    polynomial(&A, square) * centred / polynomial(&B, square)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn streams_differ_and_repeat() {
        let first = |numbers: &[u64]| Random::stream(numbers).unit();
        assert_eq!(first(&[1, 2]), first(&[1, 2]));
        let all = [
            first(&[1, 2]),
            first(&[2, 1]),
            first(&[1, 3]),
            first(&[1]),
            first(&[0]),
        ];
        for (i, value) in all.iter().enumerate() {
            assert!((0.0..1.0).contains(value) && all[..i].iter().all(|other| other != value));
        }
    }

    #[test]
    fn normal_quantiles_are_those_of_the_tables() {
        for (p, expected) in [
            (0.5, 0.0),
            (0.9, 1.281_551_6),
            (0.975, 1.959_964_0),
            (0.001, -3.090_232_3),
        ] {
            assert!((normal_quantile(p) - expected).abs() < 1e-6, "{p}");
        }
    }

    #[test]
    fn each_stratum_comes_once() {
        let mut streams: Vec<Random> = (0..STRATA).map(|_| Random::stream(&[3])).collect();
        let mut firsts = Vec::new();
        for _ in 0..100 {
            let units: Vec<f64> = (0..)
                .zip(&mut streams)
                .map(|(draw, stream)| stream.stratified_unit(draw))
                .collect();
            let mut strata: Vec<u64> = units
                .iter()
                .map(|unit| (unit * STRATA as f64) as u64)
                .collect();
            strata.sort_unstable();
            assert!(strata.into_iter().eq(0..STRATA), "{units:?}");
            firsts.push(units[0]);
        }
        let mean = firsts.iter().sum::<f64>() / 100.0;
        assert!((mean - 0.5).abs() < 0.1, "one draw alone is random: {mean}");
    }
}
