//! The network evaluation against its reference: refresh, increments, colour flip, back ends, bad files.

use rukh_core::rng::Rng;
use rukh_core::{Chess, Color, Makruk, Move, Position, Rules};
use rukh_eval::nnue::simd::Backend;
use rukh_eval::nnue::{Accumulators, Evaluation, INPUTS, Network, NetworkError, embedded, embedded_for_pages};
use rukh_eval::{Evaluator, Terms};
use std::sync::Arc;

/// A number from -limit to limit.
fn within(rng: &mut Rng, limit: usize) -> i16 {
    rng.below(2 * limit + 1) as i16 - limit as i16
}

fn crc32(bytes: &[u8]) -> u32 {
    let mut crc = !0u32;
    for &byte in bytes {
        crc ^= u32::from(byte);
        for _ in 0..8 {
            crc = if crc & 1 != 0 { crc >> 1 ^ 0xedb8_8320 } else { crc >> 1 };
        }
    }
    !crc
}

/// Whether a network has inner layers (version 2 of the file), and zones of the king, too (version 3).
#[derive(Clone, Copy, PartialEq)]
enum Depth {
    Plain = 1,
    Deep = 2,
    Zoned = 3,
}

const DEPTHS: [Depth; 3] = [Depth::Plain, Depth::Deep, Depth::Zoned];
/// Four zones: a1 and b1, c1 and d1, the second rank, the others.
const ZONES: u64 = !0 << 16 | 0xaa_50;

/// A network of random weights, as a file.
fn file(variant: u8, hidden: usize, buckets: usize, seed: u64, depth: Depth) -> Vec<u8> {
    let mut rng = Rng::plain(seed);
    let mut head = [0u8; 64];
    head[..8].copy_from_slice(b"RUKHNNUE");
    head[8..10].copy_from_slice(&(depth as u16).to_le_bytes());
    head[10] = variant;
    head[11] = 1;
    head[12..14].copy_from_slice(&(hidden as u16).to_le_bytes());
    head[14..16].copy_from_slice(&(buckets as u16).to_le_bytes());
    head[16..18].copy_from_slice(&255u16.to_le_bytes());
    head[18..20].copy_from_slice(&64u16.to_le_bytes());
    head[20..24].copy_from_slice(&400u32.to_le_bytes());
    let recipe = b"random";
    head[24..28].copy_from_slice(&(recipe.len() as u32).to_le_bytes());
    let inputs = if depth == Depth::Zoned { 4 * INPUTS } else { INPUTS };
    head[28..32].copy_from_slice(&(inputs as u32).to_le_bytes());
    if depth == Depth::Zoned {
        head[40..48].copy_from_slice(&ZONES.to_le_bytes());
    }
    let mut body = Vec::new();
    for _ in 0..inputs * hidden + hidden {
        body.extend_from_slice(&within(&mut rng, 120).to_le_bytes());
    }
    for _ in 0..buckets * 2 * hidden {
        body.extend_from_slice(&within(&mut rng, 100).to_le_bytes());
    }
    for _ in 0..buckets {
        body.extend_from_slice(&i32::from(within(&mut rng, 3000)).to_le_bytes());
    }
    if depth != Depth::Plain {
        for (at, number) in [(32, 16u16), (34, 32), (36, 64), (38, 256)] {
            head[at..at + 2].copy_from_slice(&number.to_le_bytes());
        }
        body.extend((0..2 * hidden * 16).map(|_| within(&mut rng, 60) as i8 as u8));
        let mut weights = |count: usize, limit| {
            (0..count).for_each(|_| body.extend_from_slice(&within(&mut rng, limit).to_le_bytes()));
        };
        // Biases are of four bytes: small ones and, by their upper halves, large ones of both signs.
        weights(buckets * 16 * 2, 1);
        weights(buckets * 16 * 32, 250);
        weights(buckets * 32 * 2, 60);
        weights(buckets * 32, 508);
    }
    body.extend_from_slice(recipe);
    seal(head, body)
}

fn seal(mut head: [u8; 64], body: Vec<u8>) -> Vec<u8> {
    let mut all = head[..60].to_vec();
    all.extend_from_slice(&body);
    head[60..].copy_from_slice(&crc32(&all).to_le_bytes());
    let mut bytes = head.to_vec();
    bytes.extend_from_slice(&body);
    bytes
}

fn variant_of<R: Rules>() -> u8 {
    R::VARIANT as u8
}

/// Random games with random take-backs and passes; values asked for now and then, always equal to the reference.
fn walk<R: Terms>(hidden: usize, depth: Depth, backend: Backend, moves: usize, seed: u64) {
    let network = Arc::new(Network::parse_for::<R>(&file(variant_of::<R>(), hidden, 8, seed, depth)).unwrap());
    let mut sums = Accumulators::with_backend(network.clone(), backend);
    let mut rng = Rng::plain(seed);
    let mut line: Vec<Position<R>> = vec![Position::startpos()];
    sums.reset(&line[0]);
    let mut played = 0;
    while played < moves {
        let pos = *line.last().unwrap();
        let legal = pos.legal_moves();
        let over = legal.is_empty() || pos.is_count_draw() || pos.halfmove_clock() > 200;
        if over || line.len() > 300 {
            line.truncate(1);
            // Any position can begin a line.
            line[0] = if over || rng.below(2) == 0 { Position::startpos() } else { pos };
            sums.reset(&line[0]);
        } else if rng.below(20) == 0 && !pos.in_check() {
            line.push(pos.after_null());
            sums.push_null();
        } else if rng.below(6) == 0 && line.len() > 1 {
            for _ in 0..1 + rng.below((line.len() - 1).min(5)) {
                line.pop();
                sums.pop();
            }
        } else {
            let mv = legal[rng.below(legal.len())];
            sums.push(&pos, mv);
            line.push(pos.after(mv));
            played += 1;
        }
        if rng.below(3) == 0 {
            let pos = line.last().unwrap();
            assert_eq!(sums.evaluate(pos), network.reference(pos), "{}: {}", backend.name(), pos.fen());
        }
    }
}

#[test]
fn increments_equal_refresh() {
    for backend in Backend::available() {
        for depth in DEPTHS {
            walk::<Chess>(64, depth, backend, 15_000, 11);
            walk::<Makruk>(32, depth, backend, 15_000, 12);
        }
    }
}

#[test]
#[ignore = "long: a million random moves in each game"]
fn increments_equal_refresh_over_a_million_moves() {
    for depth in [Depth::Plain, Depth::Deep] {
        walk::<Chess>(128, depth, Backend::detect(), 1_000_000, 21);
        walk::<Makruk>(128, depth, Backend::detect(), 1_000_000, 22);
    }
}

/// The same position with colours exchanged and ranks flipped.
fn flipped_fen(fen: &str) -> String {
    let mut fields: Vec<String> = fen.split(' ').map(str::to_owned).collect();
    let swap = |text: &str| -> String {
        let swap = |c: char| if c.is_ascii_lowercase() { c.to_ascii_uppercase() } else { c.to_ascii_lowercase() };
        text.chars().map(swap).collect()
    };
    fields[0] = fields[0].split('/').rev().map(swap).collect::<Vec<_>>().join("/");
    fields[1] = if fields[1] == "w" { "b".into() } else { "w".into() };
    fields[2] = "-".into();
    fields[3] = "-".into();
    fields.join(" ")
}

fn flip<R: Terms>(seed: u64, depth: Depth) {
    let network = Network::parse_for::<R>(&file(variant_of::<R>(), 64, 4, seed, depth)).unwrap();
    let mut rng = Rng::plain(seed);
    for _ in 0..40 {
        let mut pos = Position::<R>::startpos();
        for _ in 0..60 {
            let legal = pos.legal_moves();
            if legal.is_empty() {
                break;
            }
            pos = pos.after(legal[rng.below(legal.len())]);
            let flipped = Position::<R>::from_fen(&flipped_fen(&pos.fen()));
            // A flipped Makruk count may not be writable; the pieces are what matters.
            let Ok(flipped) = flipped else { continue };
            assert_eq!(network.reference(&pos), network.reference(&flipped), "{}", pos.fen());
        }
    }
}

#[test]
fn colours_are_equal() {
    for depth in [Depth::Plain, Depth::Deep] {
        flip::<Chess>(31, depth);
        flip::<Makruk>(32, depth);
    }
}

#[test]
fn mirrored_boards_have_equal_values_for_kings_off_the_middle() {
    // Both kings on the other wing: the network must not see any difference.
    let network = Network::parse(&file(0, 32, 8, 5, Depth::Deep)).unwrap();
    let value = |fen: &str| network.reference(&Position::<Chess>::from_fen(fen).unwrap());
    assert_eq!(value("6k1/5ppp/8/2n5/8/3P4/5PPP/6K1 w - - 0 1"), value("1k6/ppp5/8/5n2/8/4P3/PPP5/1K6 w - - 0 1"));
}

#[test]
fn bad_files_are_refused() {
    for depth in DEPTHS {
        bad_files_of(depth);
    }
}

fn bad_files_of(depth: Depth) {
    let good = file(0, 32, 8, 1, depth);
    assert!(Network::parse(&good).is_ok());
    assert_eq!(Network::parse(b"").unwrap_err(), NetworkError::Foreign);
    assert_eq!(Network::parse(&[7; 5000]).unwrap_err(), NetworkError::Foreign);
    for cut in [8, 63, 64, 1000, good.len() - 1] {
        assert!(matches!(Network::parse(&good[..cut]).unwrap_err(), NetworkError::Size { .. }), "{cut}");
    }
    let mut longer = good.clone();
    longer.push(0);
    assert!(matches!(Network::parse(&longer).unwrap_err(), NetworkError::Size { .. }));
    // Any flipped bit is noticed.
    let mut rng = Rng::plain(99);
    for _ in 0..300 {
        let mut bad = good.clone();
        let at = rng.below(bad.len());
        bad[at] ^= 1 << rng.below(8);
        let error = Network::parse(&bad).unwrap_err();
        assert!(!error.to_string().is_empty());
    }
    let makruk = file(2, 32, 8, 1, depth);
    let error = Network::parse_for::<Chess>(&makruk).unwrap_err();
    assert_eq!(error.to_string(), "a network for makruk, not for chess");
    // Weights that would overflow are refused even with a correct checksum.
    let head: [u8; 64] = good[..64].try_into().unwrap();
    let mut body = good[64..].to_vec();
    body[..2].copy_from_slice(&600i16.to_le_bytes());
    assert!(matches!(Network::parse(&seal(head, body)).unwrap_err(), NetworkError::Range(_)));
    if depth != Depth::Plain {
        // The last layer's last weight lies before the recipe; a bias of the middle layer behind its weights. -128 is one too small.
        let body = &good[64..];
        let last = body.len() - "random".len() - 2;
        let inputs = if depth == Depth::Zoned { 4 * INPUTS } else { INPUTS };
        let bias = 2 * (32 * inputs + 32 + 8 * 64) + 4 * 8 + 64 * 16;
        for (at, bytes) in [
            (last, &509i16.to_le_bytes()[..]),
            (bias, &(1i32 << 27).to_le_bytes()),
            (bias, &[0, 0, 0, 128]),
            (bias - 1, &[128]),
        ] {
            let mut bent = body.to_vec();
            bent[at..at + bytes.len()].copy_from_slice(bytes);
            assert!(matches!(Network::parse(&seal(head, bent)).unwrap_err(), NetworkError::Range(_)), "{at}");
        }
        let mut other = head;
        other[32] = 8;
        let error = Network::parse(&seal(other, body.to_vec())).unwrap_err();
        assert!(error.to_string().contains("inner layers [8, 32, 64, 256]"), "{error}");
    }
    if depth == Depth::Zoned {
        // Three zones where the weights are those of four.
        let mut other = head;
        other[42..48].fill(0);
        let error = Network::parse(&seal(other, good[64..].to_vec())).unwrap_err();
        assert!(error.to_string().contains("3072 inputs; 2304 are expected"), "{error}");
        let layers = Network::parse(&good).unwrap().layers();
        let bytes = layers.to_bytes().unwrap();
        assert_eq!((layers.zones.0, &bytes), (ZONES, &good));
        assert!(rukh_eval::nnue::Layers { deep: None, ..layers }.to_bytes().is_err(), "zones without inner layers");
    }
}

/// Through the evaluator's hooks, as the search uses them, and never beyond the limit.
#[test]
fn the_evaluator_follows_the_line() {
    let network = Arc::new(Network::parse(&file(0, 32, 8, 77, Depth::Deep)).unwrap());
    let mut eval = Evaluation::<Chess>::with_network(network);
    let mut rng = Rng::plain(3);
    let mut pos = Position::<Chess>::startpos();
    eval.reset(&pos);
    for _ in 0..40 {
        let mv: Move = {
            let legal = pos.legal_moves();
            if legal.is_empty() {
                break;
            }
            legal[rng.below(legal.len())]
        };
        eval.push(&pos, mv);
        pos = pos.after(mv);
        let value = eval.evaluate(&pos);
        let mut fresh = Evaluation::<Chess>::with_network(eval.network().unwrap().clone());
        fresh.reset(&pos);
        assert_eq!(fresh.evaluate(&pos), value);
        assert!(value.abs() < rukh_eval::EVAL_LIMIT);
    }
}

/// `training/nnue/reference.py` wrote these values with Python's integers; the engine must get the same.
fn fixture<R: Terms>(network: Option<Arc<Network>>, text: &str) {
    let Some(network) = network else { return };
    let mut lines = 0;
    for line in text.lines().filter(|line| !line.starts_with('#') && !line.is_empty()) {
        let (fen, value) = line.rsplit_once(';').expect("fen;value");
        let pos = Position::<R>::from_fen(fen).unwrap();
        assert_eq!(network.reference(&pos), value.trim().parse::<i32>().unwrap(), "{fen}");
        let mut sums = Accumulators::new(network.clone());
        sums.reset(&pos);
        assert_eq!(sums.evaluate(&pos), network.reference(&pos), "{fen}");
        lines += 1;
    }
    assert!(lines >= 1000, "{lines} positions");
}

#[test]
fn python_and_rust_agree() {
    fixture::<Chess>(embedded::<Chess>(), include_str!("data/nnue-chess.txt"));
    fixture::<Chess>(embedded_for_pages::<Chess>(), include_str!("data/nnue-chess-page.txt"));
    fixture::<Makruk>(embedded::<Makruk>(), include_str!("data/nnue-makruk.txt"));
    fixture::<Makruk>(embedded_for_pages::<Makruk>(), include_str!("data/nnue-makruk-page.txt"));
}

#[test]
fn embedded_networks_are_sane() {
    if let Some(network) = embedded::<Chess>() {
        let value = |fen: &str| network.reference(&Position::<Chess>::from_fen(fen).unwrap());
        let start = value("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1");
        assert!((-20..=90).contains(&start), "start position {start}");
        let queen_up = value("rnb1kbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1");
        assert!(queen_up > 500, "a queen up is {queen_up}");
        assert_eq!(Color::ALL.len(), 2);
    }
}
