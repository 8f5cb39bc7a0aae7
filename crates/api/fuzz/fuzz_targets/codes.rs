//! Any text or number as a code of each game: what is accepted is a position whose code is that number again.
#![no_main]

use libfuzzer_sys::fuzz_target;
use rukh_api_fuzz::edited;
use rukh_code::{Codec, Coded, PositionCode};
use rukh_core::{Makruk, Variant};

const MODEL: &[u8] = include_bytes!("../../../code/models/makruk.rkpc");

fn check<R: Coded>(codec: &Codec<R>, code: PositionCode) {
    match codec.decode(code) {
        Ok(position) => assert_eq!(codec.encode(&position).ok(), Some(code)),
        Err(error) => assert!(!error.to_string().is_empty()),
    }
    let text = code.to_string();
    assert_eq!(text.parse::<PositionCode>().ok(), Some(code), "{text}");
}

fuzz_target!(|bytes: &[u8]| {
    let codes = [
        std::str::from_utf8(bytes).ok().and_then(|text| text.parse::<PositionCode>().ok()),
        bytes.first_chunk::<8>().and_then(|raw| PositionCode::from_raw(i64::from_le_bytes(*raw)).ok()),
    ];
    for code in codes.into_iter().flatten() {
        check(Codec::chess(), code);
        check(Codec::chess960(), code);
        check(Codec::makruk(), code);
    }
    if bytes.len() >= 4 {
        let mut model = edited(MODEL, bytes);
        let body = model.len().saturating_sub(8);
        let sum = model[..body].iter().fold(0xCBF2_9CE4_8422_2325_u64, |h, &b| (h ^ u64::from(b)).wrapping_mul(0x100_0000_01B3));
        let (bytes, tail) = (sum.to_le_bytes(), model.len() - body);
        model[body..].copy_from_slice(&bytes[..tail]);
        if let Ok(codec) = Codec::<Makruk>::with_model(Variant::Makruk, &model) {
            let start = rukh_core::Position::<Makruk>::startpos();
            if let Ok(code) = codec.encode(&start) {
                assert_eq!(codec.decode(code).ok(), Some(start));
            }
        }
    }
});
