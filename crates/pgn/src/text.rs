//! Bytes to text. PGN is Latin-1 by its standard, UTF-8 in practice, and Windows-1252 by accident.

use std::borrow::Cow;

/// Windows-1252 for 0x80–0x9F; the five holes map to the C1 controls, as browsers do.
const CP1252: [char; 32] = [
    '€', '\u{81}', '‚', 'ƒ', '„', '…', '†', '‡', 'ˆ', '‰', 'Š', '‹', 'Œ', '\u{8d}', 'Ž', '\u{8f}', '\u{90}', '‘', '’',
    '“', '”', '•', '–', '—', '˜', '™', 'š', '›', 'œ', '\u{9d}', 'ž', 'Ÿ',
];

/// UTF-8 if the bytes are UTF-8, else Windows-1252 (which contains Latin-1). Never fails.
pub fn decode(bytes: &[u8]) -> Cow<'_, str> {
    match std::str::from_utf8(bytes) {
        Ok(text) => Cow::Borrowed(text),
        Err(_) => Cow::Owned(
            bytes
                .iter()
                .map(|&b| match b {
                    0x80..=0x9f => CP1252[usize::from(b - 0x80)],
                    _ => char::from(b),
                })
                .collect(),
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::decode;

    #[test]
    fn utf8_latin1_and_cp1252() {
        assert_eq!(decode("Müller".as_bytes()), "Müller");
        assert_eq!(decode(b"M\xfcller"), "Müller");
        assert_eq!(decode(b"\x93Ra\x8aa\x94"), "“RaŠa”");
        assert_eq!(decode(b""), "");
    }
}
