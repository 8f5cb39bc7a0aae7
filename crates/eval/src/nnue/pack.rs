//! Networks packed for download: the first layer as an arithmetic code (rANS) with the frequencies of its weights, a fifth
//! smaller than gzip gets it. The build script packs where a program is downloaded (WebAssembly), the program unpacks; the
//! file's own checksum says whether both did well.
//!
//! ```text
//! head (64 bytes of the file) · number of symbols (u16) · (weight i16, frequency u16) for each · number of code bytes (u32)
//! · code, to be read forwards · the rest of the file
//! ```

const HEAD: usize = 64;
const INPUTS: usize = 768;
/// Frequencies add up to two to this power.
const BITS: u32 = 14;
/// The state stays at or above this, one byte below 2^31.
const LOW: u32 = 1 << 23;

/// The bytes of the first layer in a file, if it is long enough to have one.
fn first_layer(head: &[u8]) -> Option<usize> {
    let hidden = usize::from(u16::from_le_bytes([*head.get(12)?, *head.get(13)?]));
    Some(2 * INPUTS * hidden)
}

/// Packs a network file; `None` if it is none.
#[allow(dead_code)] // the build script's half
pub fn pack(file: &[u8]) -> Option<Vec<u8>> {
    let head = file.get(..HEAD)?;
    let len = first_layer(head)?;
    let (layer, rest) = file.get(HEAD..)?.split_at_checked(len)?;
    let weights: Vec<i16> = layer.chunks_exact(2).map(|b| i16::from_le_bytes([b[0], b[1]])).collect();
    let mut counts = std::collections::BTreeMap::<i16, u64>::new();
    for &weight in &weights {
        *counts.entry(weight).or_default() += 1;
    }
    // Every weight that occurs gets a share; the most frequent one pays for the rounding.
    let total = weights.len() as u64;
    let mut shares: Vec<(i16, u32)> =
        counts.iter().map(|(&w, &n)| (w, (((n << BITS) + total / 2) / total).max(1) as u32)).collect();
    let sum: u32 = shares.iter().map(|s| s.1).sum();
    let largest = shares.iter_mut().max_by_key(|s| s.1)?;
    largest.1 = (largest.1 + (1 << BITS)).checked_sub(sum)?;
    let mut start = 0;
    let places: std::collections::BTreeMap<i16, (u32, u32)> = shares
        .iter()
        .map(|&(w, share)| {
            start += share;
            (w, (start - share, share))
        })
        .collect();

    // The last weight goes in first, so that the first comes out first.
    let mut code = Vec::new();
    let mut state = LOW;
    for weight in weights.iter().rev() {
        let (start, share) = places[weight];
        while u64::from(state) >= u64::from(LOW >> BITS << 8) * u64::from(share) {
            code.push(state as u8);
            state >>= 8;
        }
        state = (state / share) << BITS | (state % share + start);
    }
    code.extend(state.to_le_bytes());
    code.reverse();

    let mut out = head.to_vec();
    out.extend((shares.len() as u16).to_le_bytes());
    for (weight, share) in shares {
        out.extend(weight.to_le_bytes());
        out.extend((share as u16).to_le_bytes());
    }
    out.extend((code.len() as u32).to_le_bytes());
    out.extend(code);
    out.extend(rest);
    Some(out)
}

/// The file that was packed; `None` if the bytes are not what `pack` made.
#[allow(dead_code)] // the program's half
pub fn unpack(packed: &[u8]) -> Option<Vec<u8>> {
    let (head, body) = packed.split_at_checked(HEAD)?;
    let len = first_layer(head)?;
    let (symbols, body) = body.split_at_checked(2)?;
    let symbols = usize::from(u16::from_le_bytes([symbols[0], symbols[1]]));
    let (shares, body) = body.split_at_checked(4 * symbols)?;
    // By place in the range: weight, start and share of whom it belongs to.
    let mut owners = vec![(0i16, 0u16, 0u16); 1 << BITS];
    let mut start = 0usize;
    for entry in shares.chunks_exact(4) {
        let weight = i16::from_le_bytes([entry[0], entry[1]]);
        let share = u16::from_le_bytes([entry[2], entry[3]]);
        let end = start + usize::from(share);
        owners.get_mut(start..end)?.fill((weight, start as u16, share));
        start = end;
    }
    let (code_len, body) = body.split_at_checked(4)?;
    let code_len = u32::from_le_bytes(code_len.try_into().ok()?) as usize;
    let (code, rest) = body.split_at_checked(code_len)?;
    let (state, mut code) = code.split_at_checked(4)?;
    let mut state = u32::from_be_bytes(state.try_into().ok()?);

    let mut file = Vec::with_capacity(HEAD + len + rest.len());
    file.extend_from_slice(head);
    for _ in 0..len / 2 {
        let slot = state & ((1 << BITS) - 1);
        let (weight, start, share) = owners[slot as usize];
        file.extend(weight.to_le_bytes());
        state = u32::from(share) * (state >> BITS) + slot - u32::from(start);
        while state < LOW {
            let (&byte, later) = code.split_first()?;
            state = state << 8 | u32::from(byte);
            code = later;
        }
    }
    file.extend_from_slice(rest);
    Some(file)
}
