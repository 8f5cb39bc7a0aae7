//! Which codes a file holds.

use rukh_core::Variant;

use crate::plain::Coded;
use crate::{CodeError, Codec};

/// Variant, version and checksum of the codec that made some codes. Files with codes carry the twelve bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Stamp {
    /// The variant, whose code space is its own.
    pub variant: Variant,
    /// The version of the codes.
    pub version: u16,
    /// The checksum of the model.
    pub checksum: u64,
}

impl Stamp {
    /// Bytes of a stamp.
    pub const SIZE: usize = 12;

    /// Variant and version (two bytes each), checksum (eight), little-endian.
    pub fn to_bytes(self) -> [u8; Self::SIZE] {
        let mut bytes = [0; Self::SIZE];
        bytes[0] = self.variant as u8;
        bytes[2..4].copy_from_slice(&self.version.to_le_bytes());
        bytes[4..].copy_from_slice(&self.checksum.to_le_bytes());
        bytes
    }

    /// Reads a stamp; none if the variant is unknown.
    pub fn from_bytes(bytes: [u8; Self::SIZE]) -> Option<Self> {
        let [variant, 0, low, high, checksum @ ..] = bytes else { return None };
        Some(Self {
            variant: *Variant::ALL.get(usize::from(variant))?,
            version: u16::from_le_bytes([low, high]),
            checksum: u64::from_le_bytes(checksum),
        })
    }

    /// The codec of these codes, if this build has it: the present one or an older one.
    pub fn codec<R: Coded>(self) -> Result<&'static Codec<R>, CodeError> {
        let codec = R::codec_of_version(self.variant, self.version)?;
        self.check(codec).map(|()| codec)
    }

    /// Whether `codec` reads the codes of this stamp; the error says what differs.
    pub fn check<R: Coded>(self, codec: &Codec<R>) -> Result<(), CodeError> {
        let ours = codec.stamp();
        if self.variant != ours.variant || self.version != ours.version {
            Err(CodeError::Version(self.variant, self.version))
        } else if self.checksum != ours.checksum {
            Err(CodeError::Checksum(self.variant, self.version))
        } else {
            Ok(())
        }
    }
}
