//! Any text or number as a short or long code of each game: what is accepted is a position whose code is that number again.
#![no_main]

use rukh_code::{AnyCode, Codec, Coded, LongCode, PositionCode};
use rukh_fuzz::fuzz_target;

fn check<R: Coded>(codec: &Codec<R>, code: AnyCode) {
    match codec.decode_any(code) {
        Ok(position) => assert_eq!(codec.encode_any(&position).ok(), Some(code)),
        Err(error) => assert!(!error.to_string().is_empty()),
    }
}

fuzz_target!(|bytes: &[u8]| {
    let codes = [
        std::str::from_utf8(bytes).ok().and_then(|text| text.parse::<AnyCode>().ok()),
        bytes
            .first_chunk::<8>()
            .and_then(|raw| PositionCode::from_raw(i64::from_le_bytes(*raw)).ok())
            .map(AnyCode::Short),
        LongCode::from_bytes(bytes).ok().map(AnyCode::Long),
    ];
    for code in codes.into_iter().flatten() {
        let text = code.to_string();
        assert_eq!(text.parse::<AnyCode>().ok(), Some(code), "{text}");
        check(Codec::chess(), code);
        check(Codec::chess960(), code);
        check(Codec::makruk(), code);
    }
});
