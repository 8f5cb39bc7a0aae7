//! The kernels of the network, once per instruction set, all with the same face and the same numbers.
//!
//! | function | does |
//! | --- | --- |
//! | `update(target, source, weights, adds, removes)` | target = source + rows `adds` − rows `removes` |
//! | `dot(us, them, weights)` | Σ v·(v·w), v = clamp(sum, 0, 255), first `us`, then `them` |
//! | `squares(us, them, out)` | v²/512 of both |
//! | `middle(inputs, weights, bias)` | bias + inputs · weights, [`MIDDLE`] sums |
//! | `upper(inputs, weights, bias)` | the same, [`UPPER`] sums |
//!
//! Lengths are multiples of 32. [`Network`](super::Network) guarantees that no sum leaves sixteen bits and no dot
//! product thirty-two, so the order of additions does not matter and every back end gives the same integers.

/// `update` out of a back end's primitives: blocks of 32 numbers, so that there are enough registers to hide the latency of the
/// additions. The attributes name the instructions and the conditions.
#[allow(unused_macros)] // where there is only the scalar back end
macro_rules! update_kernel {
    ($(#[$about:meta])* lanes $lanes:ident, zero $zero:expr, load $load:ident, add $add:ident, sub $sub:ident, store $store:ident) => {
        $(#[$about])*
        pub(super) unsafe fn update(
            target: &mut [i16],
            source: &[i16],
            weights: &[i16],
            adds: &[u16],
            removes: &[u16],
        ) {
            // SAFETY: what is asked for above.
            unsafe {
                // What nearly all moves do, without loops inside: quiet moves and captures.
                match (adds, removes) {
                    (&[add], &[gone]) => rows(target, source, weights, [add], [gone]),
                    (&[add], &[gone, taken]) => rows(target, source, weights, [add], [gone, taken]),
                    _ => rows(target, source, weights, adds.iter().copied(), removes.iter().copied()),
                }
            }
        }

        $(#[$about])*
        #[inline]
        unsafe fn rows<A: IntoIterator<Item = u16> + Clone, R: IntoIterator<Item = u16> + Clone>(
            target: &mut [i16],
            source: &[i16],
            weights: &[i16],
            adds: A,
            removes: R,
        ) {
            const BLOCK: usize = 32;
            let n = target.len();
            for at in (0..n).step_by(BLOCK) {
                // SAFETY: at + BLOCK ≤ n, so every load and store lies inside its row.
                unsafe {
                    let mut sums = [$zero; BLOCK / $lanes];
                    for (i, sum) in sums.iter_mut().enumerate() {
                        *sum = $load(source.as_ptr().add(at + i * $lanes).cast());
                    }
                    for row in adds.clone() {
                        let row = weights.as_ptr().add(usize::from(row) * n + at);
                        for (i, sum) in sums.iter_mut().enumerate() {
                            *sum = $add(*sum, $load(row.add(i * $lanes).cast()));
                        }
                    }
                    for row in removes.clone() {
                        let row = weights.as_ptr().add(usize::from(row) * n + at);
                        for (i, sum) in sums.iter_mut().enumerate() {
                            *sum = $sub(*sum, $load(row.add(i * $lanes).cast()));
                        }
                    }
                    for (i, sum) in sums.iter().enumerate() {
                        $store(target.as_mut_ptr().add(at + i * $lanes).cast(), *sum);
                    }
                }
            }
        }
    };
}

mod aligned;
#[cfg(target_arch = "x86_64")]
#[allow(unsafe_code)]
mod avx2;
#[cfg(target_arch = "x86_64")]
#[allow(unsafe_code)]
mod avx512;
#[cfg(target_arch = "aarch64")]
#[allow(unsafe_code)]
mod neon;
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
#[allow(unsafe_code)]
mod relaxed;
mod scalar;
#[cfg(target_arch = "x86_64")]
#[allow(unsafe_code)]
mod sse41;
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
#[allow(unsafe_code)]
mod wasm;

pub use aligned::Aligned;
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
pub use relaxed::{Bytes, Kernel, set_kernel};

/// Neurons of the middle layer.
pub const MIDDLE: usize = 16;
/// Neurons of the upper layer.
pub const UPPER: usize = 32;

// The middle layer is the widest after the first. Bytes are what most machines multiply fastest; plain WebAssembly has a dot product
// of sixteen-bit numbers only (`relaxed` is for hosts with more). The numbers are the same.
/// An input of the middle layer, 0 to 127.
#[cfg(not(target_family = "wasm"))]
pub type Activation = u8;
/// A weight of the middle layer, -127 to 127.
#[cfg(not(target_family = "wasm"))]
pub type Weight = i8;
/// How many inputs lie side by side in its weights, `[group of inputs][neuron][GROUP]`.
#[cfg(not(target_family = "wasm"))]
pub const GROUP: usize = 4;
/// An input of the middle layer, 0 to 127.
#[cfg(target_family = "wasm")]
pub type Activation = i16;
/// A weight of the middle layer, -127 to 127.
#[cfg(target_family = "wasm")]
pub type Weight = i16;
/// How many inputs lie side by side in its weights, `[group of inputs][neuron][GROUP]`.
#[cfg(target_family = "wasm")]
pub const GROUP: usize = 2;

/// An instruction set that this machine has. Values other than scalar exist only where it was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Backend(Kind);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(dead_code)] // each exists on its own machines only
enum Kind {
    Scalar,
    Sse41,
    Avx2,
    /// With AVX2; F, BW and VNNI of AVX-512.
    Avx512,
    Neon,
    Wasm,
    /// The same with a kernel of the host's for the middle layer, which networks keep: [`Bytes`].
    Relaxed,
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
            if std::arch::is_x86_feature_detected!("avx2") {
                list.push(Backend(Kind::Avx2));
                if std::arch::is_x86_feature_detected!("avx512f")
                    && std::arch::is_x86_feature_detected!("avx512bw")
                    && std::arch::is_x86_feature_detected!("avx512vnni")
                {
                    list.push(Backend(Kind::Avx512));
                }
            }
        }
        #[cfg(target_arch = "aarch64")]
        list.push(Backend(Kind::Neon));
        #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
        {
            list.push(Backend(Kind::Wasm));
            if relaxed::found() {
                list.push(Backend(Kind::Relaxed));
            }
        }
        list
    }

    /// The best back end of this machine.
    pub fn detect() -> Backend {
        let mut list = Backend::available();
        // A profile is made with those of lesser machines, too.
        #[cfg(watched)]
        for _ in 0..std::env::var("RUKH_KERNEL").map_or(0, |number| number.parse().unwrap_or(0)) {
            list.pop();
        }
        list.pop().unwrap_or(Backend::SCALAR)
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        match self.0 {
            Kind::Scalar => "scalar",
            Kind::Sse41 => "SSE4.1",
            Kind::Avx2 => "AVX2",
            Kind::Avx512 => "AVX-512 VNNI",
            Kind::Neon => "NEON",
            Kind::Wasm => "simd128",
            Kind::Relaxed => "relaxed SIMD",
        }
    }

    /// Whether networks are to use their [`Bytes`].
    #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
    #[inline]
    pub fn has_bytes(self) -> bool {
        self.0 == Kind::Relaxed
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
            // SAFETY: as above, with AVX-512.
            #[cfg(target_arch = "x86_64")]
            Kind::Avx512 => unsafe { avx512::update(target, source, weights, adds, removes) },
            // SAFETY: as above, with SSE4.1.
            #[cfg(target_arch = "x86_64")]
            Kind::Sse41 => unsafe { sse41::update(target, source, weights, adds, removes) },
            // SAFETY: every 64-bit ARM has NEON; lengths and rows were checked above.
            #[cfg(target_arch = "aarch64")]
            Kind::Neon => unsafe { neon::update(target, source, weights, adds, removes) },
            // SAFETY: compiled in only where simd128 is on; lengths and rows were checked above.
            #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
            Kind::Wasm | Kind::Relaxed => unsafe { wasm::update(target, source, weights, adds, removes) },
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
            // SAFETY: as above, with AVX-512.
            #[cfg(target_arch = "x86_64")]
            Kind::Avx512 => unsafe { avx512::dot(us, own).wrapping_add(avx512::dot(them, other)) },
            // SAFETY: as above, with SSE4.1.
            #[cfg(target_arch = "x86_64")]
            Kind::Sse41 => unsafe { sse41::dot(us, own).wrapping_add(sse41::dot(them, other)) },
            // SAFETY: every 64-bit ARM has NEON; lengths were checked above.
            #[cfg(target_arch = "aarch64")]
            Kind::Neon => unsafe { neon::dot(us, own).wrapping_add(neon::dot(them, other)) },
            // SAFETY: compiled in only where simd128 is on; lengths were checked above.
            #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
            Kind::Wasm | Kind::Relaxed => unsafe { wasm::dot(us, own).wrapping_add(wasm::dot(them, other)) },
            _ => scalar::dot(us, own).wrapping_add(scalar::dot(them, other)),
        }
    }

    /// v²/512 of `us`, then of `them`, with v = clamp(sum, 0, 255).
    #[inline]
    #[allow(unsafe_code)]
    pub fn squares(self, us: &[i16], them: &[i16], out: &mut [Activation]) {
        let n = us.len();
        assert!(n.is_multiple_of(32) && them.len() == n && out.len() == 2 * n, "rows of one length");
        let (own, other) = out.split_at_mut(n);
        for (sums, out) in [(us, own), (them, other)] {
            match self.0 {
                // SAFETY: the value exists only where AVX2 was detected; lengths were checked above.
                #[cfg(target_arch = "x86_64")]
                Kind::Avx2 => unsafe { avx2::squares(sums, out) },
                // SAFETY: as above, with AVX-512.
                #[cfg(target_arch = "x86_64")]
                Kind::Avx512 => unsafe { avx512::squares(sums, out) },
                // SAFETY: as above, with SSE4.1.
                #[cfg(target_arch = "x86_64")]
                Kind::Sse41 => unsafe { sse41::squares(sums, out) },
                // SAFETY: every 64-bit ARM has NEON; lengths were checked above.
                #[cfg(target_arch = "aarch64")]
                Kind::Neon => unsafe { neon::squares(sums, out) },
                // SAFETY: compiled in only where simd128 is on; lengths were checked above.
                #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
                Kind::Wasm | Kind::Relaxed => unsafe { wasm::squares(sums, out) },
                _ => scalar::squares(sums, out),
            }
        }
    }

    /// bias + inputs · weights, `weights[group of inputs][neuron][GROUP]`. No input is above 127.
    #[inline]
    #[allow(unsafe_code)]
    pub fn middle(self, inputs: &[Activation], weights: &[Weight], bias: &[i32; MIDDLE]) -> [i32; MIDDLE] {
        assert!(
            inputs.len().is_multiple_of(32) && weights.len() == MIDDLE * inputs.len(),
            "a weight for each input and neuron"
        );
        #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
        if matches!(self.0, Kind::Wasm | Kind::Relaxed) {
            // SAFETY: compiled in only where simd128 is on; lengths were checked above.
            return unsafe { wasm::middle(inputs, weights, bias) };
        }
        let mut sums = *bias;
        let sums = &mut sums;
        match self.0 {
            // SAFETY: the value exists only where AVX2 was detected; lengths were checked above.
            #[cfg(target_arch = "x86_64")]
            Kind::Avx2 => unsafe { avx2::middle(inputs, weights, sums) },
            // SAFETY: as above, with AVX-512.
            #[cfg(target_arch = "x86_64")]
            Kind::Avx512 => unsafe { avx512::middle(inputs, weights, sums) },
            // SAFETY: as above, with SSE4.1.
            #[cfg(target_arch = "x86_64")]
            Kind::Sse41 => unsafe { sse41::middle(inputs, weights, sums) },
            // SAFETY: every 64-bit ARM has NEON; lengths were checked above.
            #[cfg(target_arch = "aarch64")]
            Kind::Neon => unsafe { neon::middle(inputs, weights, sums) },
            _ => scalar::middle(inputs, weights, sums),
        }
        *sums
    }

    /// bias + inputs · weights, `weights[pair of inputs][neuron][2]`.
    #[inline]
    #[allow(unsafe_code)]
    pub fn upper(self, inputs: &[i16; MIDDLE], weights: &[i16], bias: &[i32; UPPER]) -> [i32; UPPER] {
        assert!(weights.len() == MIDDLE * UPPER, "a weight for each input and neuron");
        #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
        if matches!(self.0, Kind::Wasm | Kind::Relaxed) {
            // SAFETY: compiled in only where simd128 is on; lengths were checked above.
            return unsafe { wasm::upper(inputs, weights, bias) };
        }
        let mut sums = *bias;
        let sums = &mut sums;
        match self.0 {
            // SAFETY: the value exists only where AVX2 was detected; lengths were checked above.
            #[cfg(target_arch = "x86_64")]
            Kind::Avx2 | Kind::Avx512 => unsafe { avx2::upper(inputs, weights, sums) },
            // SAFETY: as above, with SSE4.1.
            #[cfg(target_arch = "x86_64")]
            Kind::Sse41 => unsafe { sse41::upper(inputs, weights, sums) },
            // SAFETY: every 64-bit ARM has NEON; lengths were checked above.
            #[cfg(target_arch = "aarch64")]
            Kind::Neon => unsafe { neon::upper(inputs, weights, sums) },
            _ => scalar::upper(inputs, weights, sums),
        }
        *sums
    }

    /// Activations of sums: divided by 2^`BEFORE`, clamped to 0..=`LIMIT`, squared, divided by 2^`AFTER`, which must then fit sixteen bits.
    #[inline]
    #[allow(unsafe_code)]
    pub fn squared<const N: usize, const BEFORE: u32, const LIMIT: i32, const AFTER: u32>(
        self,
        sums: &[i32; N],
    ) -> [i16; N] {
        const { assert!(N.is_multiple_of(8) && (LIMIT as i64 * LIMIT as i64) >> AFTER <= i16::MAX as i64) };
        let mut out = [0; N];
        // (The module's last step is for size, and would leave the loop as it is.)
        #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
        if matches!(self.0, Kind::Wasm | Kind::Relaxed) {
            // SAFETY: compiled in only where simd128 is on; as many numbers as there are, a multiple of eight.
            unsafe { wasm::squared::<BEFORE, LIMIT, AFTER>(sums, &mut out) };
            return out;
        }
        for (out, sum) in out.iter_mut().zip(sums) {
            let v = (sum >> BEFORE).clamp(0, LIMIT);
            *out = ((v * v) >> AFTER) as i16;
        }
        out
    }
}

/// `[input][neuron]` as `[group of inputs][neuron][G]`.
pub(super) fn grouped<T: Copy, U: Copy + Default + From<T>, const G: usize>(list: &[T], neurons: usize) -> Aligned<U> {
    let mut groups = Aligned::zeros(list.len());
    for (to, from) in groups.chunks_exact_mut(G * neurons).zip(list.chunks_exact(G * neurons)) {
        for (at, to) in to.iter_mut().enumerate() {
            *to = U::from(from[at % G * neurons + at / G]);
        }
    }
    groups
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
                let mut squares = vec![0; 2 * n];
                Backend::SCALAR.squares(&expected, &source, &mut squares);
                let middle: Vec<Weight> = (0..MIDDLE * 2 * n).map(|_| next(127) as Weight).collect();
                let upper: Vec<i16> = (0..MIDDLE * UPPER).map(|_| next(508)).collect();
                let inputs: [i16; MIDDLE] =
                    core::array::from_fn(|i| if i % 5 == 0 { 16_129 } else { next(16_129).abs() });
                let few = Backend::SCALAR.middle(&squares, &middle, &[7; MIDDLE]);
                let many = Backend::SCALAR.upper(&inputs, &upper, &[-9; UPPER]);
                for backend in Backend::available() {
                    let mut found = vec![0i16; n];
                    backend.update(&mut found, &source, &weights, adds, removes);
                    assert_eq!(found, expected, "{} update, {n}", backend.name());
                    assert_eq!(backend.dot(&found, &source, &second), value, "{} dot, {n}", backend.name());
                    let mut all = vec![0; 2 * n];
                    backend.squares(&found, &source, &mut all);
                    assert_eq!(all, squares, "{} squares, {n}", backend.name());
                    let some = backend.middle(&squares, &middle, &[7; MIDDLE]);
                    assert_eq!(some, few, "{} middle, {n}", backend.name());
                    let more = backend.upper(&inputs, &upper, &[-9; UPPER]);
                    assert_eq!(more, many, "{} upper, {n}", backend.name());
                }
            }
        }
    }
}
