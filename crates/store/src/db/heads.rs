//! Unpacked blocks of headers. The examples of neighbouring positions are mostly the same few games, and unpacking their blocks costs
//! more than everything else in an answer.

use std::cell::RefCell;
use std::sync::{Arc, Mutex, PoisonError};

use super::container::Room;

/// Places for blocks of a segment.
const KEPT: usize = 256;
/// Largest block that is kept: usual ones have some ten thousand bytes.
const LARGEST: usize = 64 << 10;

thread_local! {
    /// Making one takes longer than unpacking a block with it.
    static UNPACKER: RefCell<zstd::bulk::Decompressor<'static>> = RefCell::default();
}

/// Unpacks a block of at most so many bytes; `None` if it is damaged or larger.
pub fn unpack(packed: &[u8], most: usize) -> Option<Vec<u8>> {
    // Blocks say how long they are. What damage says is bounded, and costs memory only where bytes come.
    let len = zstd::zstd_safe::get_frame_content_size(packed).ok()?.map_or(most, |len| len.min(most as u64) as usize);
    UNPACKER.with_borrow_mut(|unpacker| unpacker.decompress(packed, len).ok())
}

/// The blocks of a segment that were asked for last, each in the place that its number gives it.
pub struct Heads {
    places: Box<[Mutex<Kept>]>,
    /// The memory that they share with all files of the database.
    room: Arc<Room>,
}

type Kept = Option<(usize, Arc<[u8]>)>;

impl Heads {
    pub fn new(blocks: usize, room: &Arc<Room>) -> Heads {
        Heads { places: (0..blocks.clamp(1, KEPT)).map(|_| Mutex::default()).collect(), room: room.clone() }
    }

    /// A block, from memory or unpacked now.
    pub fn get<E>(&self, block: usize, unpack: impl FnOnce() -> Result<Vec<u8>, E>) -> Result<Arc<[u8]>, E> {
        let place = || self.places[block % self.places.len()].lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((number, bytes)) = &*place()
            && *number == block
        {
            return Ok(bytes.clone());
        }
        let bytes: Arc<[u8]> = unpack()?.into();
        if bytes.len() <= LARGEST && self.room.take(bytes.len()) {
            let before = place().replace((block, bytes.clone()));
            self.room.give_back(before.map_or(0, |(_, bytes)| bytes.len()));
        }
        Ok(bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_block_is_unpacked_once_until_another_takes_its_place() {
        let room = Room::new(LARGEST);
        let heads = Heads::new(1000, &room);
        let asked = RefCell::new(Vec::new());
        let get = |block: usize| {
            heads.get(block, || {
                asked.borrow_mut().push(block);
                Ok::<_, ()>(vec![block as u8; 3])
            })
        };
        for block in [1, 1, 2, 1, 1 + KEPT, 1] {
            assert_eq!(*get(block).unwrap(), [block as u8; 3]);
        }
        assert_eq!(asked.take(), [1, 2, 1 + KEPT, 1]);
        // What cannot be unpacked is tried again, and does not push out what is there.
        assert_eq!(heads.get(1 + KEPT, || Err("damaged")), Err("damaged"));
        assert_eq!(*get(1).unwrap(), [1; 3]);
        assert!(asked.take().is_empty());
        // Nor does what is too large to be kept.
        assert_eq!(heads.get(1 + KEPT, || Ok::<_, ()>(vec![0; LARGEST + 1])).unwrap().len(), LARGEST + 1);
        get(1).unwrap();
        assert!(asked.take().is_empty());
        // The room holds two blocks of three bytes; without room, blocks are unpacked each time.
        assert!(room.take(LARGEST - 6) && !room.take(1));
        for block in [3, 3, 2, 1] {
            get(block).unwrap();
        }
        assert_eq!(asked.take(), [3, 3]);
    }

    #[test]
    fn packed_blocks_come_back_within_bounds() {
        let text = b"White, Black, White, Black, White, Black".repeat(50);
        let packed = zstd::bulk::compress(&text, 6).unwrap();
        assert_eq!(unpack(&packed, text.len()).unwrap(), text);
        assert_eq!(unpack(&packed, text.len() - 1), None);
        assert_eq!(unpack(&packed[..packed.len() - 1], text.len()), None);
        assert_eq!(unpack(b"no block at all", 100), None);
        // After a failure the next one is read as ever.
        assert_eq!(unpack(&packed, text.len()).unwrap(), text);
    }
}
