//! PGN, books, opening and game tables.
