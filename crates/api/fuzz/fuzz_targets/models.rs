//! A model of codes with damaged bytes and a right checksum is refused, or codes the start position there and back.
#![no_main]

use rukh_api_fuzz::edited;
use rukh_code::Codec;
use rukh_core::{Makruk, Position, Variant};
use rukh_fuzz::fuzz_target;

const MODEL: &[u8] = include_bytes!("../../../code/models/makruk-2.rkpc");

fuzz_target!(|bytes: &[u8]| {
    let mut model = edited(MODEL, bytes);
    let body = model.len().saturating_sub(8);
    let sum =
        model[..body].iter().fold(0xCBF2_9CE4_8422_2325_u64, |h, &b| (h ^ u64::from(b)).wrapping_mul(0x100_0000_01B3));
    let (sum, tail) = (sum.to_le_bytes(), model.len() - body);
    model[body..].copy_from_slice(&sum[..tail]);
    if let Ok(codec) = Codec::<Makruk>::with_model(Variant::Makruk, &model) {
        let start = Position::<Makruk>::startpos();
        if let Ok(code) = codec.encode(&start) {
            assert_eq!(codec.decode(code).ok(), Some(start));
        }
    }
});
