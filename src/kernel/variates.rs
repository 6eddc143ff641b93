//! Exponential, normal and gamma variates that are the same on every machine.
//!
//! Why not a library's: `rand_distr` takes its logarithms from whatever `num-traits` was built with,
//! and any crate in the tree can switch that to the platform's mathematics, which differs between
//! machines in the last bit. So these few are ours, over `libm` (a port of MUSL's mathematics).
//!
//! Exponential and normal: the ziggurat of Marsaglia and Tsang (*Journal of Statistical Software*
//! 5(8), 2000) with 256 layers, its index and its abscissa from different bits of one draw (the
//! flaw of the original that Doornik pointed out, 2005). Gamma: Marsaglia and Tsang (*ACM TOMS*
//! 26(3), 2000).

use std::sync::LazyLock;

use rand::Rng;

use crate::random::RandomStream;

const LAYERS: usize = 256;

/// The layers of a decreasing density: edges `x` and the (unnormalised) density `f` there.
struct Ziggurat {
    x: [f64; LAYERS + 1],
    f: [f64; LAYERS + 1],
}

impl Ziggurat {
    /// Layers of equal `area` for the density `density` with this inverse, whose tail starts at
    /// `tail`.
    fn new(tail: f64, area: f64, density: fn(f64) -> f64, inverse: fn(f64) -> f64) -> Self {
        let mut x = [0.0; LAYERS + 1];
        x[0] = area / density(tail);
        x[1] = tail;
        for layer in 2..LAYERS {
            x[layer] = inverse(area / x[layer - 1] + density(x[layer - 1]));
        }
        Ziggurat {
            x,
            f: x.map(density),
        }
    }
}

/// Where the tail of the exponential ziggurat starts, and the area of its layers.
const EXPONENTIAL_TAIL: f64 = 7.697_117_470_131_05;
const EXPONENTIAL_AREA: f64 = 0.003_949_659_822_581_557;
/// The same for the normal one.
const NORMAL_TAIL: f64 = 3.654_152_885_361_009;
const NORMAL_AREA: f64 = 0.004_928_673_233_974_655;

static EXPONENTIAL: LazyLock<Ziggurat> = LazyLock::new(|| {
    Ziggurat::new(
        EXPONENTIAL_TAIL,
        EXPONENTIAL_AREA,
        |x| libm::exp(-x),
        |y| -libm::log(y),
    )
});

static NORMAL: LazyLock<Ziggurat> = LazyLock::new(|| {
    Ziggurat::new(
        NORMAL_TAIL,
        NORMAL_AREA,
        |x| libm::exp(-0.5 * x * x),
        |y| (-2.0 * libm::log(y)).sqrt(),
    )
});

impl RandomStream {
    /// An exponential variate of mean one.
    #[inline]
    pub fn exponential(&mut self) -> f64 {
        let ziggurat = &*EXPONENTIAL;
        loop {
            let bits = self.next_u64();
            let layer = (bits & 0xff) as usize;
            let x = unit(bits) * ziggurat.x[layer];
            if x < ziggurat.x[layer + 1] {
                return x;
            }
            if let Some(x) = self.exponential_edge(ziggurat, layer, x) {
                return x;
            }
        }
    }

    /// The one draw in a hundred that does not fall inside its layer.
    #[cold]
    fn exponential_edge(&mut self, ziggurat: &Ziggurat, layer: usize, x: f64) -> Option<f64> {
        if layer == 0 {
            return Some(EXPONENTIAL_TAIL - libm::log(self.uniform_positive()));
        }
        let height = self.between(ziggurat.f[layer], ziggurat.f[layer + 1]);
        (height < libm::exp(-x)).then_some(x)
    }

    /// A normal variate of mean zero and variance one.
    #[inline]
    pub fn normal(&mut self) -> f64 {
        let ziggurat = &*NORMAL;
        loop {
            let bits = self.next_u64();
            let layer = (bits & 0xff) as usize;
            let sign = if bits & 0x100 == 0 { 1.0 } else { -1.0 };
            let x = unit(bits) * ziggurat.x[layer];
            if x < ziggurat.x[layer + 1] {
                return sign * x;
            }
            if let Some(x) = self.normal_edge(ziggurat, layer, x) {
                return sign * x;
            }
        }
    }

    #[cold]
    fn normal_edge(&mut self, ziggurat: &Ziggurat, layer: usize, x: f64) -> Option<f64> {
        if layer == 0 {
            // Marsaglia's tail: exponential steps, kept where they stay below the normal density.
            loop {
                let step = -libm::log(self.uniform_positive()) / NORMAL_TAIL;
                let height = -libm::log(self.uniform_positive());
                if 2.0 * height >= step * step {
                    return Some(NORMAL_TAIL + step);
                }
            }
        }
        let height = self.between(ziggurat.f[layer], ziggurat.f[layer + 1]);
        (height < libm::exp(-0.5 * x * x)).then_some(x)
    }

    /// A gamma variate of this shape and scale one.
    ///
    /// # Panics
    /// If the shape is not positive.
    pub fn gamma(&mut self, shape: f64) -> f64 {
        assert!(shape > 0.0, "a gamma distribution has a positive shape");
        if shape < 1.0 {
            // A variate of shape + 1, thinned out by a power of a uniform number.
            let boost = libm::pow(self.uniform_positive(), 1.0 / shape);
            return self.gamma(shape + 1.0) * boost;
        }
        let d = shape - 1.0 / 3.0;
        let c = 1.0 / (9.0 * d).sqrt();
        loop {
            let x = self.normal();
            let root = 1.0 + c * x;
            if root <= 0.0 {
                continue;
            }
            let v = root * root * root;
            let u = self.uniform_positive();
            if libm::log(u) < 0.5 * x * x + d * (1.0 - v + libm::log(v)) {
                return d * v;
            }
        }
    }
}

/// The upper 53 bits as a number in [0, 1).
#[inline]
fn unit(bits: u64) -> f64 {
    (bits >> 11) as f64 * (1.0 / (1u64 << 53) as f64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::actor::ActorId;
    use crate::random::Purpose;

    /// Kolmogorov and Smirnov: the 99.9 % quantile of the distance times the root of the number.
    fn follows(draw: impl Fn(&mut RandomStream) -> f64, cdf: impl Fn(f64) -> f64) {
        let count = 100_000;
        let mut stream = RandomStream::new(5, ActorId(9), Purpose(3));
        let mut values: Vec<f64> = (0..count).map(|_| draw(&mut stream)).collect();
        values.sort_unstable_by(f64::total_cmp);
        let n = f64::from(count);
        let distances = values.iter().enumerate().map(|(rank, &value)| {
            let p = cdf(value);
            (p - rank as f64 / n)
                .abs()
                .max((p - (rank + 1) as f64 / n).abs())
        });
        let distance = distances.fold(0.0, f64::max);
        assert!(distance * n.sqrt() < 1.949, "distance {distance}");
    }

    fn normal_cdf(x: f64) -> f64 {
        0.5 * libm::erfc(-x / std::f64::consts::SQRT_2)
    }

    #[test]
    fn exponential_variates_follow_the_exponential_distribution() {
        follows(RandomStream::exponential, |x| 1.0 - libm::exp(-x));
    }

    #[test]
    fn normal_variates_follow_the_normal_distribution() {
        follows(RandomStream::normal, normal_cdf);
    }

    #[test]
    fn gamma_variates_follow_gamma_distributions_with_closed_forms() {
        // Shape 1: exponential. Shape 2: 1 - (1 + x) e^-x. Shape 1/2: half a squared normal.
        follows(|s| s.gamma(1.0), |x| 1.0 - libm::exp(-x));
        follows(|s| s.gamma(2.0), |x| 1.0 - (1.0 + x) * libm::exp(-x));
        follows(
            |s| s.gamma(0.5),
            |x| 2.0 * normal_cdf((2.0 * x).sqrt()) - 1.0,
        );
    }

    #[test]
    fn tails_are_reached() {
        let mut stream = RandomStream::new(1, ActorId(1), Purpose::GENERAL);
        let beyond = (0..1_000_000)
            .filter(|_| stream.exponential() > EXPONENTIAL_TAIL)
            .count() as f64;
        // e^-7.697 of a million is 454; five standard deviations are 107.
        assert!((beyond - 454.0).abs() < 107.0, "{beyond}");
    }
}
