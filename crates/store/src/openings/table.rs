//! The opening table's file: see `docs/formats/openings.md`.

use std::io::{Read, Write};

use flate2::Compression;
use flate2::read::DeflateDecoder;
use flate2::write::DeflateEncoder;

use super::{Line, Table};

const MAGIC: &[u8; 8] = b"RUKHOPN1";
/// Magic, CRC-32 of the unpacked body, its length.
const HEADER: usize = 16;
/// No table of names is larger; a damaged length must not ask for gigabytes.
const MAX_BODY: usize = 4 << 20;

/// Why a table was refused.
#[derive(Debug, thiserror::Error)]
pub enum TableError {
    /// Wrong magic or too short.
    #[error("not an opening table")]
    NotATable,
    /// The checksum or the structure is wrong.
    #[error("opening table is damaged")]
    Damaged,
}

/// Packs a table. Streams of one kind stand together, which packs better than records.
pub fn pack(table: &Table) -> Vec<u8> {
    let mut body = Vec::new();
    body.extend((table.names.len() as u16).to_le_bytes());
    body.extend((table.lines.len() as u16).to_le_bytes());
    let mut last: &[u8] = b"";
    for name in &table.names {
        let shared = last.iter().zip(name.as_bytes()).take_while(|(a, b)| a == b).count().min(255);
        let rest = &name.as_bytes()[shared..];
        body.push(shared as u8);
        body.push(rest.len() as u8);
        body.extend(rest);
        last = name.as_bytes();
    }
    body.extend(table.lines.iter().map(|l| l.depth));
    for plane in 0..2 {
        body.extend(table.lines.iter().map(|l| l.mv.to_le_bytes()[plane]));
    }
    for line in &table.lines {
        body.extend(line.name.map_or(u16::MAX, |n| n.0).to_le_bytes());
    }
    for line in &table.lines {
        if let Some((_, eco)) = line.name {
            body.extend(eco.to_le_bytes());
        }
    }
    let mut out = MAGIC.to_vec();
    out.extend(checksum(&body).to_le_bytes());
    out.extend((body.len() as u32).to_le_bytes());
    let mut encoder = DeflateEncoder::new(out, Compression::best());
    // Writing to memory cannot fail.
    let _ = encoder.write_all(&body);
    encoder.finish().unwrap_or_default()
}

/// Unpacks a table and checks it.
pub fn unpack(bytes: &[u8]) -> Result<Table, TableError> {
    let (head, packed) = bytes.split_at_checked(HEADER).ok_or(TableError::NotATable)?;
    if &head[..8] != MAGIC {
        return Err(TableError::NotATable);
    }
    let word = |i: usize| u32::from_le_bytes([head[i], head[i + 1], head[i + 2], head[i + 3]]);
    let (crc, len) = (word(8), word(12) as usize);
    if len > MAX_BODY {
        return Err(TableError::Damaged);
    }
    let mut body = Vec::with_capacity(len);
    DeflateDecoder::new(packed).take(len as u64 + 1).read_to_end(&mut body).map_err(|_| TableError::Damaged)?;
    if body.len() != len || checksum(&body) != crc {
        return Err(TableError::Damaged);
    }
    parse(&body).ok_or(TableError::Damaged)
}

fn parse(body: &[u8]) -> Option<Table> {
    let mut rest = body;
    let mut take = |n: usize| {
        let (taken, left) = rest.split_at_checked(n)?;
        rest = left;
        Some(taken)
    };
    let u16_at = |bytes: &[u8], i: usize| u16::from_le_bytes([bytes[2 * i], bytes[2 * i + 1]]);
    let counts = take(4)?;
    let (names_len, lines_len) = (usize::from(u16_at(counts, 0)), usize::from(u16_at(counts, 1)));
    let mut names: Vec<String> = Vec::with_capacity(names_len);
    let mut last: Vec<u8> = Vec::new();
    for _ in 0..names_len {
        let lens = take(2)?;
        let (shared, new) = (usize::from(lens[0]), usize::from(lens[1]));
        if shared > last.len() {
            return None;
        }
        last.truncate(shared);
        last.extend_from_slice(take(new)?);
        names.push(String::from_utf8(last.clone()).ok()?);
    }
    let depths = take(lines_len)?;
    let low = take(lines_len)?;
    let high = take(lines_len)?;
    let ids = take(2 * lines_len)?;
    let mut lines = Vec::with_capacity(lines_len);
    for i in 0..lines_len {
        let id = u16_at(ids, i);
        let name = if id == u16::MAX {
            None
        } else if usize::from(id) < names_len {
            Some((id, u16_at(take(2)?, 0)))
        } else {
            return None;
        };
        lines.push(Line { depth: depths[i], mv: u16::from_le_bytes([low[i], high[i]]), name });
    }
    rest.is_empty().then_some(Table { names, lines })
}

/// CRC-32. Without the large tables of the usual crate where every kilobyte is downloaded.
fn checksum(bytes: &[u8]) -> u32 {
    #[cfg(not(target_family = "wasm"))]
    return crc32fast::hash(bytes);
    #[cfg(target_family = "wasm")]
    !bytes.iter().fold(!0u32, |crc, &byte| {
        (0..8).fold(crc ^ u32::from(byte), |crc, _| crc >> 1 ^ if crc & 1 != 0 { 0xedb8_8320 } else { 0 })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn round_trip() {
        let table = Table {
            names: vec!["Réti Opening".into(), "Réti Opening: X".into()],
            lines: vec![
                Line { depth: 1, mv: 0x0abc, name: Some((1, 4)) },
                Line { depth: 2, mv: 7, name: None },
                Line { depth: 1, mv: 9, name: Some((0, 399)) },
            ],
        };
        assert_eq!(unpack(&pack(&table)).unwrap(), table);
        assert_eq!(unpack(&pack(&Table::default())).unwrap(), Table::default());
    }
}
