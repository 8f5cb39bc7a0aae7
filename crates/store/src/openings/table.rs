//! The opening table's file: see `docs/formats/openings.md`.

use std::collections::HashMap;

use rukh_range::{Bit, Coder, Decoder, Encoder, Error, Mix, Number};

use super::{Line, Table};

const MAGIC: &[u8; 8] = b"RUKHOPN2";
/// Magic, CRC-32 of the code.
const HEADER: usize = 12;
const MAX_NAME: usize = 255;

/// Why a table was refused.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TableError {
    /// Wrong magic or too short.
    #[error("not an opening table")]
    NotATable,
    /// The checksum or the structure is wrong.
    #[error("opening table is damaged")]
    Damaged,
}

impl From<Error> for TableError {
    fn from(_: Error) -> Self {
        TableError::Damaged
    }
}

/// Packs a table: fewer than 65,535 lines in pre-order, names of at most 255 bytes that are not zero; others are refused. A name
/// that no line has is left out.
pub fn pack(table: &Table) -> Result<Vec<u8>, TableError> {
    let mut encoder = Encoder::new();
    let count = u16::try_from(table.lines.len()).ok().filter(|&n| n < 0xffff).ok_or(TableError::Damaged)?;
    encoder.uniform(count.into(), 0xffff)?;
    let mut model = Model::new();
    let mut first_use = HashMap::new();
    for line in &table.lines {
        let name = line.name.map(|(name, eco)| {
            let number = first_use.len();
            let text = table.names.get(usize::from(name)).map_or("", String::as_str);
            (*first_use.entry(name).or_insert(number), text.as_bytes(), eco)
        });
        let coded = model.line(&mut encoder, line.depth, line.mv, name)?;
        let same_name = name.is_none_or(|(number, text, _)| model.names[number] == text);
        if (coded.depth, coded.mv) != (line.depth, line.mv) || !same_name {
            return Err(TableError::Damaged);
        }
    }
    let code = encoder.finish();
    Ok([&MAGIC[..], &checksum(&code).to_le_bytes(), &code].concat())
}

/// Unpacks a table and checks it.
pub fn unpack(bytes: &[u8]) -> Result<Table, TableError> {
    let (head, code) = bytes.split_at_checked(HEADER).ok_or(TableError::NotATable)?;
    let (magic, sum) = head.split_at(MAGIC.len());
    if magic != MAGIC {
        return Err(TableError::NotATable);
    }
    if sum != checksum(code).to_le_bytes() {
        return Err(TableError::Damaged);
    }
    let mut decoder = Decoder::new(code);
    let count = decoder.uniform(0, 0xffff)?;
    let mut model = Model::new();
    let mut lines = Vec::new();
    for _ in 0..count {
        lines.push(model.line(&mut decoder, 0, 0, None)?);
    }
    // Coded in the order of their first use, they stand in that of their bytes.
    let mut order: Vec<usize> = (0..model.names.len()).collect();
    order.sort_unstable_by_key(|&i| &model.names[i]);
    let mut rank = vec![0u16; order.len()];
    for (to, &from) in order.iter().enumerate() {
        rank[from] = to as u16;
    }
    for (name, _) in lines.iter_mut().filter_map(|line| line.name.as_mut()) {
        *name = rank[usize::from(*name)];
    }
    let names = order.iter().map(|&i| String::from_utf8(model.names[i].clone()));
    let names = names.collect::<Result<_, _>>().map_err(|_| TableError::Damaged)?;
    Ok(Table { names, lines })
}

/// What is coded, question by question, in either direction.
struct Model {
    /// Names so far.
    names: Vec<Vec<u8>>,
    /// The line being coded and those before it, by depth: move, nearest name and its code.
    path: Vec<(u16, Option<(usize, u16)>)>,
    /// The last move at each depth.
    cousins: Vec<u16>,
    text: Mix,
    moves: Mix,
    up: Number,
    promotion: [Bit; 8],
    named: [Bit; 4],
    new: Bit,
    back: Number,
    whole: Bit,
    shared: Vec<Bit>,
    same_eco: Bit,
    less: Bit,
    eco: Number,
}

impl Model {
    fn new() -> Model {
        Model {
            names: Vec::new(),
            path: vec![(0, None)],
            cousins: vec![0; 256],
            text: Mix::new(19),
            moves: Mix::new(17),
            up: Number::default(),
            promotion: [Bit::EVEN; 8],
            named: [Bit::EVEN; 4],
            new: Bit::EVEN,
            back: Number::default(),
            whole: Bit::EVEN,
            shared: vec![Bit::EVEN; 256],
            same_eco: Bit::EVEN,
            less: Bit::EVEN,
            eco: Number::default(),
        }
    }

    /// One line. Its name is the number of its first use, its bytes and the ECO code; a decoder ignores all that is given.
    fn line<C: Coder>(
        &mut self,
        coder: &mut C,
        depth: u8,
        mv: u16,
        name: Option<(usize, &[u8], u16)>,
    ) -> Result<Line, Error> {
        // A line continues the one before, or one that this one continues.
        let deepest = self.path.len();
        let up = deepest.saturating_sub(usize::from(depth)) as u32;
        let up = coder.number(&mut self.up, up)? as usize;
        let depth = deepest.checked_sub(up).filter(|depth| (1..256).contains(depth)).ok_or(Error::Number)?;
        self.path.truncate(depth);

        let (parent, nearest) = self.path[depth - 1];
        let grand = if depth > 1 { self.path[depth - 2].0 } else { 0 };
        let side = depth as u32 & 1;
        let hash = |kind: u32, a: u16, b: u16| {
            let word = u32::from(a) << 16 | u32::from(b);
            (2 * kind + side + 1).wrapping_mul(0x2545_F491) ^ word.wrapping_mul(0x9E37_79B1)
        };
        let contexts = [hash(0, 0, 0), hash(1, self.cousins[depth], 0), hash(2, parent, 0), hash(3, parent, grand)];
        let squares = u32::from(mv & 63) << 6 | u32::from(mv >> 6 & 63);
        let squares = coder.mixed(&mut self.moves, &contexts, 12, squares)?;
        let promotion = coder.tree(&mut self.promotion, 3, u32::from(mv >> 12))?;
        let mv = (squares >> 6 | (squares & 63) << 6 | promotion << 12) as u16;
        self.cousins[depth] = mv;

        let named = &mut self.named[usize::from(nearest.is_some())];
        let mut found = None;
        if coder.bit(named, name.is_some())? {
            let (number, text, eco) = name.unwrap_or_default();
            let number = self.name(coder, number, text, nearest.map(|n| n.0))?;
            found = Some((number, self.eco(coder, eco, nearest.map_or(0, |n| n.1))?));
        }
        self.path.push((mv, found.or(nearest)));
        Ok(Line { depth: depth as u8, mv, name: found.map(|(number, eco)| (number as u16, eco)) })
    }

    /// A name: one of those before, or a new one that begins as the nearest does.
    fn name<C: Coder>(
        &mut self,
        coder: &mut C,
        number: usize,
        text: &[u8],
        nearest: Option<usize>,
    ) -> Result<usize, Error> {
        let count = self.names.len();
        if !coder.bit(&mut self.new, number >= count)? {
            let back = count.saturating_sub(number + 1) as u32;
            let back = coder.number(&mut self.back, back)? as usize;
            return count.checked_sub(back + 1).ok_or(Error::Number);
        }
        let like = nearest.map_or(&[][..], |nearest| &self.names[nearest]);
        let mut shared = like.iter().zip(text).take_while(|(a, b)| a == b).count();
        if coder.bit(&mut self.whole, shared == like.len())? {
            shared = like.len();
        } else {
            shared = coder.tree(&mut self.shared, 8, shared as u32)? as usize;
        }
        let mut name = like.get(..shared).ok_or(Error::Number)?.to_vec();
        // What the other name goes on with, this one does not.
        let other = u32::from(like.get(shared).copied().unwrap_or(0));
        loop {
            let at = name.len();
            let before = |n: usize| {
                let known = &name[at.saturating_sub(n)..];
                known.iter().fold(n as u32 + 1, |sum, &c| sum.wrapping_mul(0x0100_0193) ^ u32::from(c))
            };
            let word = at - name.iter().rposition(|&c| c == b' ').map_or(0, |space| space + 1);
            let last = if at == shared { other + 0x7000_0000 } else { before(word) ^ 0x5000_0000 };
            let contexts = [before(2), before(3), before(5), last];
            let wanted = text.get(at).copied().unwrap_or(0);
            let byte = coder.mixed(&mut self.text, &contexts, 8, wanted.into())? as u8;
            if byte == 0 {
                break;
            }
            if at == MAX_NAME || count == 0xffff {
                return Err(Error::Number);
            }
            name.push(byte);
        }
        self.names.push(name);
        Ok(count)
    }

    /// An ECO code, by its distance from the nearest.
    fn eco<C: Coder>(&mut self, coder: &mut C, eco: u16, nearest: u16) -> Result<u16, Error> {
        if coder.bit(&mut self.same_eco, eco == nearest)? {
            return Ok(nearest);
        }
        let less = coder.bit(&mut self.less, eco < nearest)?;
        let away = u32::from(eco.abs_diff(nearest)).max(1) - 1;
        let away = coder.number(&mut self.eco, away)?;
        let away = u16::try_from(away).ok().and_then(|away| away.checked_add(1)).ok_or(Error::Number)?;
        let eco = if less { nearest.checked_sub(away) } else { nearest.checked_add(away) };
        eco.ok_or(Error::Number)
    }
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
            names: vec!["Réti Opening".into(), "Réti Opening: X".into(), "Zukertort".into()],
            lines: vec![
                Line { depth: 1, mv: 0x0abc, name: Some((1, 4)) },
                Line { depth: 2, mv: 7, name: None },
                Line { depth: 3, mv: 0x7fff, name: Some((0, 65_535)) },
                Line { depth: 1, mv: 9, name: Some((2, 399)) },
                Line { depth: 2, mv: 9, name: Some((0, 0)) },
            ],
        };
        assert_eq!(unpack(&pack(&table).unwrap()).unwrap(), table);
        assert_eq!(unpack(&pack(&Table::default()).unwrap()).unwrap(), Table::default());
        // Not what the format can say: refused, not written wrong.
        let name =
            |text: &str| Table { names: vec![text.into()], lines: vec![Line { depth: 1, mv: 1, name: Some((0, 0)) }] };
        assert!(pack(&name(&"x".repeat(255))).is_ok() && pack(&name(&"x".repeat(256))).is_err());
        assert!(pack(&name("a\0b")).is_err());
        assert!(pack(&Table { names: vec![], lines: vec![Line { depth: 2, mv: 1, name: None }] }).is_err());
    }
}
