//! What the fuzz targets share.
#![forbid(unsafe_code)]

/// A good file with the edits that `script` names: four bytes each, three for the place and one for the new value. An odd rest cuts the
/// file short.
pub fn edited(file: &[u8], script: &[u8]) -> Vec<u8> {
    let mut bytes = file.to_vec();
    let (edits, rest) = script.as_chunks::<4>();
    for &[a, b, c, value] in edits {
        let at = u32::from_le_bytes([a, b, c, 0]) as usize % bytes.len().max(1);
        bytes[at] = value;
    }
    if let [first, ..] = rest {
        bytes.truncate(bytes.len() * usize::from(*first) / 256);
    }
    bytes
}
