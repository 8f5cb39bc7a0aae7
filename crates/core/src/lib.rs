//! Rules of chess, Chess960 and Makruk on 64-bit bitboards.
