//! A network with damaged bytes and a right checksum is refused, or gives a value without overflow.
#![no_main]

use std::sync::OnceLock;

use rukh_api_fuzz::edited;
use rukh_core::{Chess, Position};
use rukh_eval::nnue::{Layers, Network, Zones, embedded};
use rukh_fuzz::fuzz_target;

/// A network with few neurons, so that an edit often meets its head.
fn small() -> &'static [u8] {
    static FILE: OnceLock<Vec<u8>> = OnceLock::new();
    FILE.get_or_init(|| {
        let large = embedded::<Chess>().expect("a network is embedded").layers();
        let (inputs, hidden, buckets) = (768, 32, 2);
        let layers = Layers {
            zones: Zones::default(),
            first: large.first[..inputs * hidden].to_vec(),
            first_bias: large.first_bias[..hidden].to_vec(),
            second: large.second[..buckets * 2 * hidden].to_vec(),
            second_bias: large.second_bias[..buckets].to_vec(),
            deep: None,
            recipe: String::from("for the fuzzer"),
            ..large
        };
        layers.to_bytes().expect("its shapes fit together")
    })
}

fuzz_target!(|script: &[u8]| {
    let _ = Network::parse(script);
    let mut file = edited(small(), script);
    if file.len() >= 64 {
        let mut sum = crc32fast::Hasher::new();
        sum.update(&file[..60]);
        sum.update(&file[64..]);
        file[60..64].copy_from_slice(&sum.finalize().to_le_bytes());
    }
    if let Ok(network) = Network::parse_for::<Chess>(&file) {
        network.reference(&Position::<Chess>::startpos());
        // Bytes of the head that mean nothing, and words that are no UTF-8, need not come back; the weights must.
        let again = network.layers().to_bytes().and_then(|bytes| Network::parse(&bytes));
        assert_eq!(again.ok().map(|again| again.layers()), Some(network.layers()));
    }
});
