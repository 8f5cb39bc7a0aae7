//! Rows into the stored form.

use crate::material::Material;
use crate::rows::{PLANES, Planes, RowHead, encode};
use crate::table::{BLOCK, Census, HEAD, MAGIC, NUMBERS, Table, checksum, data_start, sums_start};

/// Packs the rows of a table, which come in order.
pub(crate) struct Packer {
    rows: usize,
    blocks: usize,
    bytes: Vec<u8>,
    heads: [RowHead; BLOCK],
    planes: Vec<u64>,
    filled: usize,
    block: usize,
}

impl Packer {
    /// For so many rows.
    pub fn new(rows: usize) -> Packer {
        let blocks = rows.div_ceil(BLOCK);
        let data_at = data_start(blocks);
        // A row of a Rua ending needs about three planes; growing from there is cheap.
        let mut bytes = Vec::with_capacity(data_at + rows * 24);
        bytes.resize(data_at, 0);
        let planes = Vec::with_capacity(BLOCK * PLANES);
        Packer { rows, blocks, bytes, heads: [RowHead::default(); BLOCK], planes, filled: 0, block: 0 }
    }

    /// The next row: planes, won squares, squares that count.
    pub fn push(&mut self, row: &Planes, won: u64, quiet: u64) {
        let (head, coded) = encode(row, won, quiet);
        self.heads[self.filled] = head;
        self.planes.extend_from_slice(&coded[..head.width as usize]);
        self.filled += 1;
        if self.filled == BLOCK {
            self.flush();
        }
    }

    fn flush(&mut self) {
        let bytes = &mut self.bytes;
        let start = bytes.len();
        bytes.extend(self.heads.iter().map(|head| head.to_bytes()[0]));
        bytes.extend(self.heads.iter().map(|head| head.to_bytes()[1]));
        for plane in &self.planes {
            bytes.extend_from_slice(&plane.to_le_bytes());
        }
        let sum = checksum(&bytes[start..]);
        let offset = ((start - data_start(self.blocks)) / 8) as u32;
        bytes[HEAD + 4 * self.block..][..4].copy_from_slice(&offset.to_le_bytes());
        bytes[sums_start(self.blocks) + 8 * self.block..][..8].copy_from_slice(&sum.to_le_bytes());
        self.block += 1;
        self.planes.clear();
        self.heads.fill(RowHead::default());
        self.filled = 0;
    }

    /// The table, when all rows are in.
    pub fn finish(mut self, material: Material, census: Census) -> Table {
        if self.filled > 0 {
            self.flush();
        }
        let Packer { rows, blocks, mut bytes, .. } = self;
        bytes.shrink_to_fit();
        let data_at = data_start(blocks);
        let data_len = bytes.len() - data_at;
        // The head last: it holds the sum of the index.
        let mut head = Vec::with_capacity(NUMBERS);
        head.extend_from_slice(&MAGIC);
        head.extend_from_slice(&material.counts());
        head.extend_from_slice(&[0; 4]);
        for number in [rows as u64, blocks as u64, data_len as u64, census.attacker_positions, census.bare_positions] {
            head.extend_from_slice(&number.to_le_bytes());
        }
        for (i, n) in census.attacker_wins.iter().chain(&census.bare_losses).enumerate() {
            bytes[NUMBERS + 8 * i..][..8].copy_from_slice(&n.to_le_bytes());
        }
        head.extend_from_slice(&checksum(&bytes[NUMBERS..data_at]).to_le_bytes());
        let sum = checksum(&head);
        head.extend_from_slice(&sum.to_le_bytes());
        bytes[..NUMBERS].copy_from_slice(&head);
        Table::packed(material, bytes, rows, census)
    }
}
