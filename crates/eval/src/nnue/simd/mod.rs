//! The kernels of the network, once per instruction set, all with the same face and the same numbers.
//!
//! | function | does |
//! | --- | --- |
//! | `update(target, source, weights, adds, removes)` | target = source + rows `adds` − rows `removes` |
//! | `dot(us, them, weights)` | Σ v·(v·w), v = clamp(sum, 0, 255), first `us`, then `them` |
//! | `squares(us, them, out)` | v²/64 of both |
//! | `layer(inputs, weights, sums)` | sums += inputs · weights, pairs of silent inputs skipped |
//!
//! Lengths are multiples of 32. [`Network`](super::Network) guarantees that no sum leaves sixteen bits and no dot
//! product thirty-two, so the order of additions does not matter and every back end gives the same integers.

mod aligned;
#[cfg(target_arch = "x86_64")]
#[allow(unsafe_code)]
mod avx2;
#[cfg(target_arch = "aarch64")]
#[allow(unsafe_code)]
mod neon;
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64", all(target_arch = "wasm32", target_feature = "simd128")))]
#[allow(unsafe_code)]
mod nonzero;
mod scalar;
#[cfg(target_arch = "x86_64")]
#[allow(unsafe_code)]
mod sse41;
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
#[allow(unsafe_code)]
mod wasm;

pub use aligned::Aligned;

/// An instruction set that this machine has. Values other than scalar exist only where it was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Backend(Kind);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(dead_code)] // each exists on its own machines only
enum Kind {
    Scalar,
    Sse41,
    /// With POPCNT, which every such machine has.
    Avx2,
    Neon,
    Wasm,
}

impl Backend {
    /// Plain code: slow, and the reference.
    pub const SCALAR: Backend = Backend(Kind::Scalar);

    /// Every back end of this machine, the best last.
    pub fn available() -> Vec<Backend> {
        #[allow(unused_mut)]
        let mut list = vec![Backend::SCALAR];
        #[cfg(target_arch = "x86_64")]
        {
            if std::arch::is_x86_feature_detected!("sse4.1") {
                list.push(Backend(Kind::Sse41));
            }
            if std::arch::is_x86_feature_detected!("avx2") && std::arch::is_x86_feature_detected!("popcnt") {
                list.push(Backend(Kind::Avx2));
            }
        }
        #[cfg(target_arch = "aarch64")]
        list.push(Backend(Kind::Neon));
        #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
        list.push(Backend(Kind::Wasm));
        list
    }

    /// The best back end of this machine.
    pub fn detect() -> Backend {
        Backend::available().pop().unwrap_or(Backend::SCALAR)
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        match self.0 {
            Kind::Scalar => "scalar",
            Kind::Sse41 => "SSE4.1",
            Kind::Avx2 => "AVX2",
            Kind::Neon => "NEON",
            Kind::Wasm => "simd128",
        }
    }

    /// target = source + the rows `adds` of `weights` − the rows `removes`.
    #[inline]
    #[allow(unsafe_code)]
    pub fn update(self, target: &mut [i16], source: &[i16], weights: &[i16], adds: &[u16], removes: &[u16]) {
        let n = target.len();
        // What the kernels rely on; a few comparisons beside hundreds of additions.
        assert!(n.is_multiple_of(32) && source.len() == n, "rows of one length, a multiple of 32");
        let rows = weights.len() / n.max(1);
        assert!(adds.iter().chain(removes).all(|&row| usize::from(row) < rows), "rows that exist");
        match self.0 {
            // SAFETY: the value exists only where AVX2 was detected; lengths and rows were checked above.
            #[cfg(target_arch = "x86_64")]
            Kind::Avx2 => unsafe { avx2::update(target, source, weights, adds, removes) },
            // SAFETY: as above, with SSE4.1.
            #[cfg(target_arch = "x86_64")]
            Kind::Sse41 => unsafe { sse41::update(target, source, weights, adds, removes) },
            // SAFETY: every 64-bit ARM has NEON; lengths and rows were checked above.
            #[cfg(target_arch = "aarch64")]
            Kind::Neon => unsafe { neon::update(target, source, weights, adds, removes) },
            // SAFETY: compiled in only where simd128 is on; lengths and rows were checked above.
            #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
            Kind::Wasm => unsafe { wasm::update(target, source, weights, adds, removes) },
            _ => scalar::update(target, source, weights, adds, removes),
        }
    }

    /// Σ v·(v·w) over `us` and `them` with v = clamp(sum, 0, 255).
    #[inline]
    #[allow(unsafe_code)]
    pub fn dot(self, us: &[i16], them: &[i16], weights: &[i16]) -> i32 {
        let n = us.len();
        assert!(n.is_multiple_of(32) && them.len() == n && weights.len() == 2 * n, "rows of one length");
        let (own, other) = weights.split_at(n);
        match self.0 {
            // SAFETY: the value exists only where AVX2 was detected; lengths were checked above.
            #[cfg(target_arch = "x86_64")]
            Kind::Avx2 => unsafe { avx2::dot(us, own).wrapping_add(avx2::dot(them, other)) },
            // SAFETY: as above, with SSE4.1.
            #[cfg(target_arch = "x86_64")]
            Kind::Sse41 => unsafe { sse41::dot(us, own).wrapping_add(sse41::dot(them, other)) },
            // SAFETY: every 64-bit ARM has NEON; lengths were checked above.
            #[cfg(target_arch = "aarch64")]
            Kind::Neon => unsafe { neon::dot(us, own).wrapping_add(neon::dot(them, other)) },
            // SAFETY: compiled in only where simd128 is on; lengths were checked above.
            #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
            Kind::Wasm => unsafe { wasm::dot(us, own).wrapping_add(wasm::dot(them, other)) },
            _ => scalar::dot(us, own).wrapping_add(scalar::dot(them, other)),
        }
    }

    /// v²/64 of `us`, then of `them`, with v = clamp(sum, 0, 255).
    #[inline]
    #[allow(unsafe_code)]
    pub fn squares(self, us: &[i16], them: &[i16], out: &mut [i16]) {
        let n = us.len();
        assert!(n.is_multiple_of(32) && them.len() == n && out.len() == 2 * n, "rows of one length");
        let (own, other) = out.split_at_mut(n);
        for (sums, out) in [(us, own), (them, other)] {
            match self.0 {
                // SAFETY: the value exists only where AVX2 was detected; lengths were checked above.
                #[cfg(target_arch = "x86_64")]
                Kind::Avx2 => unsafe { avx2::squares(sums, out) },
                // SAFETY: as above, with SSE4.1.
                #[cfg(target_arch = "x86_64")]
                Kind::Sse41 => unsafe { sse41::squares(sums, out) },
                // SAFETY: every 64-bit ARM has NEON; lengths were checked above.
                #[cfg(target_arch = "aarch64")]
                Kind::Neon => unsafe { neon::squares(sums, out) },
                // SAFETY: compiled in only where simd128 is on; lengths were checked above.
                #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
                Kind::Wasm => unsafe { wasm::squares(sums, out) },
                _ => scalar::squares(sums, out),
            }
        }
    }

    /// sums += inputs · weights, `weights[pair of inputs][output][2]`. Pairs of silent inputs are skipped.
    #[inline]
    #[allow(unsafe_code)]
    pub fn layer<const OUT: usize>(self, inputs: &[i16], weights: &[i16], sums: &mut [i32; OUT]) {
        assert!(inputs.len().is_multiple_of(16) && inputs.len() <= 4096, "a multiple of 16 inputs");
        assert!(OUT.is_multiple_of(16) && weights.len() == OUT * inputs.len(), "a weight for each input and output");
        match self.0 {
            // SAFETY: the value exists only where AVX2 and POPCNT were detected; lengths were checked above.
            #[cfg(target_arch = "x86_64")]
            Kind::Avx2 => unsafe { avx2::layer(inputs, weights, sums) },
            // SAFETY: as above, with SSE4.1.
            #[cfg(target_arch = "x86_64")]
            Kind::Sse41 => unsafe { sse41::layer(inputs, weights, sums) },
            // SAFETY: every 64-bit ARM has NEON; lengths were checked above.
            #[cfg(target_arch = "aarch64")]
            Kind::Neon => unsafe { neon::layer(inputs, weights, sums) },
            // SAFETY: compiled in only where simd128 is on; lengths were checked above.
            #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
            Kind::Wasm => unsafe { wasm::layer(inputs, weights, sums) },
            _ => scalar::layer(inputs, weights, sums),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every back end on this machine gives the scalar numbers, for every length and at the ends of the ranges.
    #[test]
    fn back_ends_agree() {
        let mut seed = 1u64;
        let mut next = |limit: i64| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            ((seed >> 33) as i64 % (2 * limit + 1) - limit) as i16
        };
        for n in [32usize, 64, 96, 128, 256, 512] {
            let weights: Vec<i16> = (0..40 * n).map(|_| next(505)).collect();
            let source: Vec<i16> = (0..n).map(|_| next(16_000)).collect();
            let second: Vec<i16> =
                (0..2 * n).map(|i| if i % 9 == 0 { 127 } else { next(if n > 128 { 20 } else { 127 }) }).collect();
            let lists: [(&[u16], &[u16]); 5] = [
                (&[], &[]),
                (&[3], &[7]),
                (&[39], &[0, 1]),
                (&[1, 2], &[3, 4]),
                (&[1, 2, 3, 4, 5, 6, 7], &[9, 10, 11]),
            ];
            for (adds, removes) in lists {
                let mut expected = vec![0i16; n];
                Backend::SCALAR.update(&mut expected, &source, &weights, adds, removes);
                let value = Backend::SCALAR.dot(&expected, &source, &second);
                let mut squares = vec![0i16; 2 * n];
                Backend::SCALAR.squares(&expected, &source, &mut squares);
                // Half of them silent, and all of some registers.
                squares.iter_mut().step_by(3).for_each(|v| *v = 0);
                squares[..n].iter_mut().skip(16).step_by(2).for_each(|v| *v = 0);
                let inner: Vec<i16> = (0..32 * 2 * n).map(|_| next(508)).collect();
                let (mut few, mut many) = ([7; 16], [-9; 32]);
                Backend::SCALAR.layer(&squares, &inner[..16 * 2 * n], &mut few);
                Backend::SCALAR.layer(&squares, &inner, &mut many);
                for backend in Backend::available() {
                    let mut found = vec![0i16; n];
                    backend.update(&mut found, &source, &weights, adds, removes);
                    assert_eq!(found, expected, "{} update, {n}", backend.name());
                    assert_eq!(backend.dot(&found, &source, &second), value, "{} dot, {n}", backend.name());
                    let mut all = vec![0i16; 2 * n];
                    let mut plain = all.clone();
                    backend.squares(&found, &source, &mut all);
                    Backend::SCALAR.squares(&found, &source, &mut plain);
                    assert_eq!(all, plain, "{} squares, {n}", backend.name());
                    let (mut some, mut more) = ([7; 16], [-9; 32]);
                    backend.layer(&squares, &inner[..16 * 2 * n], &mut some);
                    backend.layer(&squares, &inner, &mut more);
                    assert_eq!((some, more), (few, many), "{} layer, {n}", backend.name());
                }
            }
        }
    }
}
