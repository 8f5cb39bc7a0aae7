//! Reversible 64-bit position codes.
