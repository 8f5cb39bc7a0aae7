//! Networks packed for download: each weight of the first layer as its difference from what its neighbours say, in an adaptive
//! range code: 6.4 bits where the file has 16. The build script packs where a program
//! is downloaded (WebAssembly), the program unpacks; the file's own checksum says whether both did well.
//!
//! ```text
//! head (64 bytes of the file) · coefficients (i16) of each piece · which inputs are silent (a bit each) · number of code bytes (u32) · code ·
//! the rest of the file
//! ```
//!
//! Silent inputs, whose weights are all zero (those no position has: pawns on the last rank), are neither coded nor neighbours.
//! Neighbours of a weight are those of the same neuron: of the squares beside and below it, and of the same square for other
//! pieces. How much they say differs by piece: the packer finds the coefficients by least squares and rounds them. How large a
//! difference is to be expected follows from the neighbours' differences.

use rukh_range::{Bit, Coder, Decoder, Encoder, Error, Number};

const HEAD: usize = 64;
const SQUARES: usize = 64;
const PIECES: usize = 12;
const INPUTS: usize = PIECES * SQUARES;
/// How far back in the list of inputs the neighbours stand: squares of the same piece, then other pieces. The last
/// coefficient is a constant.
const NEAR: [usize; 6] = [1, 8, 9, 7, 2, 16];
const FAR: [usize; 4] = [64, 384, 128, 448];
const COEFFICIENTS: usize = NEAR.len() + FAR.len() + 1;
/// Coefficients are in units of one over two to this power.
const UNIT: u32 = 8;
/// Classes of expected differences.
const CLASSES: usize = 40;

/// Whether the weights of each input are all zero.
type Silent = [bool; INPUTS];

type Coefficients = [[i16; COEFFICIENTS]; PIECES];

/// Bytes of the first layer in a file, if it is long enough to have one.
fn first_layer(head: &[u8]) -> Option<usize> {
    let hidden = usize::from(u16::from_le_bytes([*head.get(12)?, *head.get(13)?]));
    Some(2 * INPUTS * hidden)
}

/// A neighbour of an input: its own number, and which of the coefficients is its.
type Neighbour = (usize, usize);

fn neighbours(input: usize, silent: &Silent) -> Vec<Neighbour> {
    let (piece, rank, file) = (input / SQUARES, input / 8 % 8, input % 8);
    let (left, down) = (file > 0, rank > 0);
    let there = [left, down, left && down, down && file < 7, file > 1, rank > 1];
    let mut found = Vec::with_capacity(COEFFICIENTS);
    for (at, (back, there)) in NEAR.into_iter().zip(there).enumerate() {
        if there {
            found.push((input - back, at));
        }
    }
    found.retain(|by| !silent[by.0]);
    // Where only one of the two nearest is there, it speaks for both.
    let near = |back: usize, there: bool| there && !silent[input - back];
    let (left, down) = (near(1, left), near(8, down));
    if left != down {
        let (back, other) = if left { (1, 1) } else { (8, 0) };
        found.push((input - back, other));
    }
    for (at, back) in FAR.into_iter().enumerate() {
        if piece * SQUARES >= back && !silent[input - back] {
            found.push((input - back, NEAR.len() + at));
        }
    }
    found
}

/// What the neighbours say about an input's weights, all neurons at once.
fn expect(by: &[Neighbour], coefficients: &[i16; COEFFICIENTS], weights: &[i16], expected: &mut [i32]) {
    let hidden = expected.len();
    expected.fill((i32::from(coefficients[COEFFICIENTS - 1]) << 4) + (1 << (UNIT - 1)));
    for &(at, which) in by {
        let coefficient = i32::from(coefficients[which]);
        for (sum, &weight) in expected.iter_mut().zip(&weights[at * hidden..]) {
            *sum = sum.wrapping_add(coefficient.wrapping_mul(i32::from(weight)));
        }
    }
    expected.iter_mut().for_each(|sum| *sum = (*sum >> UNIT).clamp(-0x8000, 0x7fff));
}

/// The mean difference to expect, in sixteenths, from the neighbours' and each neuron's own.
fn spread(by: &[Neighbour], differences: &[u16], means: &[i32], spread: &mut [u32]) {
    const SAY: [u32; COEFFICIENTS] = [3, 3, 2, 2, 0, 0, 2, 2, 0, 0, 0];
    let mut say = 4;
    for (sum, &mean) in spread.iter_mut().zip(means) {
        *sum = 4 * mean as u32;
    }
    for &(at, which) in by.iter().filter(|by| SAY[by.1] > 0) {
        for (sum, &difference) in spread.iter_mut().zip(&differences[at * means.len()..]) {
            *sum += 16 * SAY[which] * u32::from(difference);
        }
        say += SAY[which];
    }
    spread.iter_mut().for_each(|sum| *sum /= say);
}

/// The class of a mean: four from one power of two to the next.
fn class(mean: u32) -> usize {
    if mean < 16 {
        return (mean / 8) as usize;
    }
    let log = mean.ilog2();
    (2 + 4 * (log as usize - 4) + (mean >> (log - 2) & 3) as usize).min(CLASSES - 1)
}

/// The models of one class.
#[derive(Clone)]
struct Class {
    zero: Bit,
    sign: Bit,
    size: Number,
}

/// Codes the first layer, in either direction.
fn layer<C: Coder>(
    coder: &mut C,
    coefficients: &Coefficients,
    silent: &Silent,
    weights: &mut [i16],
) -> Result<(), Error> {
    let hidden = weights.len() / INPUTS;
    let fresh = Class { zero: Bit::EVEN, sign: Bit::EVEN, size: Number::default() };
    let mut classes = vec![fresh; CLASSES];
    let mut differences = vec![0u16; weights.len()];
    let mut means = vec![256i32; hidden];
    let (mut expected, mut spreads) = (vec![0; hidden], vec![0; hidden]);
    for input in (0..INPUTS).filter(|input| !silent[*input]) {
        let by = neighbours(input, silent);
        expect(&by, &coefficients[input / SQUARES], weights, &mut expected);
        spread(&by, &differences, &means, &mut spreads);
        for neuron in 0..hidden {
            let at = input * hidden + neuron;
            let (expected, class) = (expected[neuron], &mut classes[class(spreads[neuron])]);
            let wanted = i32::from(weights[at]) - expected;
            let mut difference = 0;
            if !coder.bit(&mut class.zero, wanted == 0)? {
                let negative = coder.bit(&mut class.sign, wanted < 0)?;
                let size = wanted.unsigned_abs().max(1) - 1;
                let size = coder.number(&mut class.size, size)?.min(0xffff) as i32 + 1;
                difference = if negative { -size } else { size };
            }
            weights[at] = (expected + difference) as i16;
            differences[at] = difference.unsigned_abs().min(0xffff) as u16;
            means[neuron] += (16 * i32::from(differences[at]) - means[neuron]) / 24;
        }
    }
    Ok(())
}

/// The coefficients with which neighbours say most, piece by piece.
fn least_squares(weights: &[i16], silent: &Silent) -> Coefficients {
    let hidden = weights.len() / INPUTS;
    let mut found = Coefficients::default();
    for (piece, found) in found.iter_mut().enumerate() {
        // The normal equations, and a little that keeps them solvable where a neighbour is always missing.
        let mut system = [[0.0f64; COEFFICIENTS + 1]; COEFFICIENTS];
        for (i, row) in system.iter_mut().enumerate() {
            row[i] = 1.0;
        }
        for input in (piece * SQUARES..(piece + 1) * SQUARES).filter(|input| !silent[*input]) {
            let by = neighbours(input, silent);
            for neuron in 0..hidden {
                let weight = |at: usize| f64::from(weights[at * hidden + neuron]);
                let mut values = [0.0; COEFFICIENTS + 1];
                by.iter().for_each(|&(at, which)| values[which] = weight(at));
                values[COEFFICIENTS - 1] = 16.0;
                values[COEFFICIENTS] = weight(input);
                for (row, &by) in system.iter_mut().zip(&values) {
                    row.iter_mut().zip(&values).for_each(|(sum, value)| *sum += by * value);
                }
            }
        }
        for i in 0..COEFFICIENTS {
            let pivot = system[i].map(|value| value / system[i][i]);
            for row in &mut system {
                let factor = row[i];
                row.iter_mut().zip(&pivot).for_each(|(value, by)| *value -= factor * by);
            }
            system[i] = pivot;
        }
        for (slot, row) in found.iter_mut().zip(&system) {
            *slot = (row[COEFFICIENTS] * f64::from(1 << UNIT)).round() as i16;
        }
    }
    found
}

/// Packs a network file; `None` if it is none.
#[allow(dead_code)] // the build script's half
pub fn pack(file: &[u8]) -> Option<Vec<u8>> {
    let head = file.get(..HEAD)?;
    let (bytes, rest) = file.get(HEAD..)?.split_at_checked(first_layer(head)?)?;
    let mut weights: Vec<i16> = bytes.chunks_exact(2).map(|b| i16::from_le_bytes([b[0], b[1]])).collect();
    let hidden = weights.len() / INPUTS;
    let silent: Silent = core::array::from_fn(|input| weights[input * hidden..][..hidden].iter().all(|w| *w == 0));
    let coefficients = least_squares(&weights, &silent);
    let mut encoder = Encoder::new();
    layer(&mut encoder, &coefficients, &silent, &mut weights).ok()?;
    let code = encoder.finish();

    let mut out = head.to_vec();
    out.extend(coefficients.iter().flatten().flat_map(|c| c.to_le_bytes()));
    out.extend(
        silent.as_chunks::<8>().0.iter().map(|bits| bits.iter().rev().fold(0, |byte, bit| byte << 1 | u8::from(*bit))),
    );
    out.extend((code.len() as u32).to_le_bytes());
    out.extend(code);
    out.extend(rest);
    Some(out)
}

/// The file that was packed; `None` if the bytes are not what `pack` made.
#[allow(dead_code)] // the program's half
pub fn unpack(packed: &[u8]) -> Option<Vec<u8>> {
    let (head, body) = packed.split_at_checked(HEAD)?;
    let (stored, body) = body.split_at_checked(2 * PIECES * COEFFICIENTS)?;
    let mut coefficients = Coefficients::default();
    for (slot, b) in coefficients.iter_mut().flatten().zip(stored.chunks_exact(2)) {
        *slot = i16::from_le_bytes([b[0], b[1]]);
    }
    let (bits, body) = body.split_at_checked(INPUTS / 8)?;
    let silent: Silent = core::array::from_fn(|input| bits[input / 8] >> (input % 8) & 1 == 1);
    let (code_len, body) = body.split_at_checked(4)?;
    let code_len = u32::from_le_bytes(code_len.try_into().ok()?) as usize;
    let (code, rest) = body.split_at_checked(code_len)?;
    let mut weights = vec![0i16; first_layer(head)? / 2];
    layer(&mut Decoder::new(code), &coefficients, &silent, &mut weights).ok()?;

    let mut file = Vec::with_capacity(HEAD + 2 * weights.len() + rest.len());
    file.extend_from_slice(head);
    file.extend(weights.iter().flat_map(|weight| weight.to_le_bytes()));
    file.extend_from_slice(rest);
    Some(file)
}
