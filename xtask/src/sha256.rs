//! SHA-256 (FIPS 180-4) for the checksums of `dist`: too little to take a dependency for.

/// The digest in hexadecimal.
pub fn hex(data: &[u8]) -> String {
    digest(data).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Fractional parts of the square roots of the first eight primes.
const START: [u32; 8] =
    [0x6a09_e667, 0xbb67_ae85, 0x3c6e_f372, 0xa54f_f53a, 0x510e_527f, 0x9b05_688c, 0x1f83_d9ab, 0x5be0_cd19];

/// Fractional parts of the cube roots of the first 64 primes, computed rather than typed.
fn constants() -> [u32; 64] {
    let mut constants = [0; 64];
    let mut found = 0;
    let mut n: u64 = 2;
    while found < 64 {
        if (2..n).all(|d| !n.is_multiple_of(d)) {
            // floor(cbrt(n) * 2^32) by bisection on integers; n < 2^9, so the cube stays below 2^105.
            let target = u128::from(n) << 96;
            let (mut low, mut high) = (0u128, 1u128 << 36);
            while high - low > 1 {
                let middle = (low + high) / 2;
                if middle * middle * middle <= target { low = middle } else { high = middle }
            }
            constants[found] = low as u32;
            found += 1;
        }
        n += 1;
    }
    constants
}

fn digest(data: &[u8]) -> [u8; 32] {
    let k = constants();
    let mut padded = data.to_vec();
    padded.push(0x80);
    padded.resize((padded.len() + 8).next_multiple_of(64) - 8, 0);
    padded.extend((data.len() as u64 * 8).to_be_bytes());

    let mut state = START;
    for block in padded.chunks_exact(64) {
        let mut w = [0u32; 64];
        for (word, bytes) in w.iter_mut().zip(block.chunks_exact(4)) {
            *word = u32::from_be_bytes(bytes.try_into().expect("four bytes"));
        }
        for i in 16..64 {
            let s0 = w[i - 15].rotate_right(7) ^ w[i - 15].rotate_right(18) ^ (w[i - 15] >> 3);
            let s1 = w[i - 2].rotate_right(17) ^ w[i - 2].rotate_right(19) ^ (w[i - 2] >> 10);
            w[i] = w[i - 16].wrapping_add(s0).wrapping_add(w[i - 7]).wrapping_add(s1);
        }
        let [mut a, mut b, mut c, mut d, mut e, mut f, mut g, mut h] = state;
        for i in 0..64 {
            let s1 = e.rotate_right(6) ^ e.rotate_right(11) ^ e.rotate_right(25);
            let choice = (e & f) ^ (!e & g);
            let t1 = h.wrapping_add(s1).wrapping_add(choice).wrapping_add(k[i]).wrapping_add(w[i]);
            let s0 = a.rotate_right(2) ^ a.rotate_right(13) ^ a.rotate_right(22);
            let t2 = s0.wrapping_add((a & b) ^ (a & c) ^ (b & c));
            (h, g, f, e, d, c, b, a) = (g, f, e, d.wrapping_add(t1), c, b, a, t1.wrapping_add(t2));
        }
        for (sum, word) in state.iter_mut().zip([a, b, c, d, e, f, g, h]) {
            *sum = sum.wrapping_add(word);
        }
    }
    let mut out = [0; 32];
    for (bytes, word) in out.chunks_exact_mut(4).zip(state) {
        bytes.copy_from_slice(&word.to_be_bytes());
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The vectors of FIPS 180-4's example pages.
    #[test]
    fn standard_vectors() {
        assert_eq!(hex(b""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
        assert_eq!(hex(b"abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
        assert_eq!(
            hex(b"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
        );
    }
}
