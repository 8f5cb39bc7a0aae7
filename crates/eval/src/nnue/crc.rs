//! CRC-32 (the polynomial of zip and PNG), so that a damaged network is never played with.

const TABLE: [u32; 256] = {
    let mut table = [0u32; 256];
    let mut i = 0;
    while i < 256 {
        let mut crc = i as u32;
        let mut bit = 0;
        while bit < 8 {
            crc = if crc & 1 != 0 { crc >> 1 ^ 0xedb8_8320 } else { crc >> 1 };
            bit += 1;
        }
        table[i] = crc;
        i += 1;
    }
    table
};

/// The checksum of the parts one after the other.
pub(super) fn crc32(parts: &[&[u8]]) -> u32 {
    let mut crc = !0u32;
    for &byte in parts.iter().copied().flatten() {
        crc = crc >> 8 ^ TABLE[((crc ^ u32::from(byte)) & 255) as usize];
    }
    !crc
}

#[cfg(test)]
mod tests {
    #[test]
    fn known_value() {
        assert_eq!(super::crc32(&[b"1234", b"56789"]), 0xcbf4_3926);
    }
}
