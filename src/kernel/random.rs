//! Where does chance come from?
//!
//! Every actor owns its streams: one that the kernel keeps for it, and as many more as it wants to
//! hold apart by purpose. A stream depends on the run's seed, the actor and the purpose, and on
//! nothing else; so neither threads nor partitions nor the draws of other actors can change it, and
//! a changed policy leaves the weather as it was (common random numbers).
//!
//! The generator is PCG-MCG-128 with XSL-RR output (`rand_pcg::Pcg64Mcg`, 16 bytes of state), which
//! is value-stable; seeds are spread with the SplitMix64 finaliser. Variates of other distributions:
//! [`variates`](crate::variates).

use std::convert::Infallible;

use rand::{Rng, TryRng};
use rand_pcg::Pcg64Mcg;
use serde::{Deserialize, Serialize};

use crate::actor::ActorId;

/// What a stream of random numbers is for. One actor's purposes do not disturb each other.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Purpose(pub u32);

impl Purpose {
    /// The stream that [`Context::random`](crate::Context::random) lends.
    pub const GENERAL: Purpose = Purpose(0);
}

/// A sequence of random numbers that belongs to one actor and one purpose.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct RandomStream {
    // The generator's 128 bits in two words, so that whoever holds a stream is not aligned to 16.
    low: u64,
    high: u64,
}

/// The finaliser of SplitMix64: every bit of the input reaches every bit of the output.
pub(crate) const fn mix64(value: u64) -> u64 {
    let mut z = value.wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

impl RandomStream {
    /// The stream of `actor` for `purpose` in the run with this `seed`.
    pub fn new(seed: u64, actor: ActorId, purpose: Purpose) -> Self {
        let who = (u64::from(purpose.0) << 32) | u64::from(actor.0);
        let high = mix64(mix64(seed) ^ who);
        let low = mix64(high ^ mix64(who.wrapping_add(seed)));
        Self::from_generator(&Pcg64Mcg::new((u128::from(high) << 64) | u128::from(low)))
    }

    fn from_generator(generator: &Pcg64Mcg) -> Self {
        let state = generator.state();
        RandomStream {
            low: state as u64,
            high: (state >> 64) as u64,
        }
    }

    /// A number uniform in [0, 1), with 53 random bits.
    #[inline]
    pub fn uniform(&mut self) -> f64 {
        (self.next_u64() >> 11) as f64 * (1.0 / (1u64 << 53) as f64)
    }

    /// A number uniform in (0, 1]: safe to take a logarithm of.
    #[inline]
    pub fn uniform_positive(&mut self) -> f64 {
        ((self.next_u64() >> 11) + 1) as f64 * (1.0 / (1u64 << 53) as f64)
    }

    /// A number uniform in [`low`, `high`).
    #[inline]
    pub fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.uniform()
    }

    /// A whole number uniform in 0 .. `bound`, by Lemire's multiplication; the bias of at most
    /// `bound / 2^64` is far below what any run can see.
    ///
    /// # Panics
    /// If `bound` is zero: there is nothing to choose from.
    #[inline]
    pub fn below(&mut self, bound: u64) -> u64 {
        assert!(bound > 0, "a choice needs at least one possibility");
        ((u128::from(self.next_u64()) * u128::from(bound)) >> 64) as u64
    }

    /// True with the given probability.
    #[inline]
    pub fn chance(&mut self, probability: f64) -> bool {
        self.uniform() < probability
    }
}

impl TryRng for RandomStream {
    type Error = Infallible;

    #[inline]
    fn try_next_u32(&mut self) -> Result<u32, Infallible> {
        Ok((self.next_u64() >> 32) as u32)
    }

    #[inline]
    fn try_next_u64(&mut self) -> Result<u64, Infallible> {
        let mut generator = Pcg64Mcg::new((u128::from(self.high) << 64) | u128::from(self.low));
        let drawn = generator.next_u64();
        *self = Self::from_generator(&generator);
        Ok(drawn)
    }

    fn try_fill_bytes(&mut self, bytes: &mut [u8]) -> Result<(), Infallible> {
        for chunk in bytes.chunks_mut(8) {
            let word = self.next_u64().to_le_bytes();
            chunk.copy_from_slice(&word[..chunk.len()]);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_draws_are_those_of_every_version() {
        // Golden values: a change here changes every published result.
        let mut stream = RandomStream::new(1, ActorId(0), Purpose::GENERAL);
        let drawn: Vec<u64> = (0..3).map(|_| stream.next_u64()).collect();
        assert_eq!(drawn, GOLDEN, "the value of a stream is part of the format");
        let mut stream = RandomStream::new(1, ActorId(0), Purpose::GENERAL);
        assert_eq!(stream.exponential().to_bits(), GOLDEN_EXPONENTIAL);
    }

    const GOLDEN: [u64; 3] = [
        7_502_336_145_168_502_934,
        7_071_724_706_686_261_128,
        14_680_328_836_883_206_331,
    ];
    const GOLDEN_EXPONENTIAL: u64 = 4_603_333_166_829_123_626;

    #[test]
    fn actors_purposes_and_seeds_have_streams_of_their_own() {
        let first = |seed, actor, purpose| {
            RandomStream::new(seed, ActorId(actor), Purpose(purpose)).next_u64()
        };
        let mut seen: Vec<u64> = Vec::new();
        for seed in 0..8 {
            for actor in 0..64 {
                for purpose in 0..8 {
                    seen.push(first(seed, actor, purpose));
                }
            }
        }
        let all = seen.len();
        seen.sort_unstable();
        seen.dedup();
        assert_eq!(seen.len(), all);
    }

    #[test]
    fn uniform_numbers_have_the_moments_of_the_uniform_distribution() {
        let draws = 200_000;
        let mut stream = RandomStream::new(7, ActorId(3), Purpose::GENERAL);
        let (mut sum, mut squares, mut exponential) = (0.0, 0.0, 0.0);
        for _ in 0..draws {
            let u = stream.uniform();
            sum += u;
            squares += u * u;
            exponential += stream.exponential();
        }
        let n = f64::from(draws);
        // Five standard errors: sqrt(1/12/n) and the like.
        assert!((sum / n - 0.5).abs() < 5.0 * (1.0 / 12.0 / n).sqrt());
        assert!((squares / n - 1.0 / 3.0).abs() < 5.0 * (4.0 / 45.0 / n).sqrt());
        assert!((exponential / n - 1.0).abs() < 5.0 / n.sqrt());
    }

    #[test]
    fn choices_are_even() {
        let mut stream = RandomStream::new(11, ActorId(0), Purpose::GENERAL);
        let mut counts = [0u32; 6];
        for _ in 0..60_000 {
            counts[stream.below(6) as usize] += 1;
        }
        let chi2: f64 = counts
            .iter()
            .map(|&c| (f64::from(c) - 10_000.0).powi(2) / 10_000.0)
            .sum();
        assert!(
            chi2 < 20.5,
            "99.9 % quantile with 5 degrees of freedom: {chi2}"
        );
    }
}
