//! Position arguments and codes with the tables of the disk, in one process.

use rukh_code::{AnyCode, CodeError, Codec};
use rukh_core::{Chess, Position, Variant};
use rukh_store::codes::{Opened, read_code, resolve, resolve_or_moves};

const WILD: &str = "q2n1k2/1P1b1R1p/nB2r1P1/2p1Qb2/1N3p1r/p1P1q1B1/1R1p1N2/3K1n2 b - - 0 1";
const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

#[test]
fn every_position_gets_a_code_and_comes_back() {
    let path = std::env::temp_dir().join(format!("rukh-codes-{}", std::process::id()));
    let wild = Position::<Chess>::from_fen(WILD).unwrap();
    let mut opened = Opened::reading(Codec::chess(), None, Some(&path)).unwrap();
    assert!(opened.encode(&wild, None).is_err(), "nowhere to keep it");
    let code = opened.encode(&wild, Some(&path)).unwrap();
    assert_eq!((code.to_string().len(), opened.encode(&wild, Some(&path)).unwrap()), (13, code));
    let again = Opened::reading(Codec::chess(), None, Some(&path)).unwrap();
    assert_eq!(again.decode(read_code(&code.to_string()).unwrap()), Ok((wild, 0)));
    let bare = Opened::reading(Codec::chess(), None, None).unwrap();
    assert!(matches!(bare.decode(code.into()), Err(CodeError::NoTable(_))));
    // The openings are built in, and a direct code needs nothing.
    let fifth = bare.decode(read_code("5").unwrap()).unwrap().0;
    assert_eq!(fifth.fullmove(), 1);
    assert!(matches!(opened.encode(&Position::startpos(), None), Ok(AnyCode::Short(code)) if code.is_direct()));
    std::fs::remove_file(path).unwrap();
}

#[test]
fn arguments_of_all_kinds() {
    let long = Codec::chess().encode_any(&Position::from_fen(WILD).unwrap()).unwrap().to_string();
    for (text, fen) in [
        ("startpos", START),
        (START, START),
        ("fd1i81yan7yas", START),
        (" FD1I81YAN7YAS ", START),
        ("-4355103028923420304", START),
        (&long, WILD),
    ] {
        assert_eq!(resolve(Variant::Chess, text).unwrap(), fen, "{text}");
    }
    assert!(resolve(Variant::Makruk, "startpos").unwrap().starts_with("rnsmksnr/"));
    for (text, wanted) in [
        ("fd1i81yan7yat", "check character"),
        ("000", "13 characters"),
        ("nonsense", "13 characters"),
        ("", "13 characters"),
        ("+288230376151711744", "--db"),
        ("9223372036854775808", "check character"),
    ] {
        let error = resolve(Variant::Chess, text).unwrap_err().to_string();
        assert!(error.contains(wanted), "{text}: {error}");
    }
    assert!(resolve(Variant::Makruk, "5").unwrap_err().to_string().contains("no openings"));
    // Moves stay moves.
    for text in ["e4 e5 Nf3", "e2e4,e7e5", "e4", ""] {
        assert_eq!(resolve_or_moves(Variant::Chess, text).unwrap(), text);
    }
    assert_eq!(resolve_or_moves(Variant::Chess, "startpos").unwrap(), "");
    assert_eq!(resolve_or_moves(Variant::Chess, "fd1i81yan7yas").unwrap(), START);
    assert!(resolve_or_moves(Variant::Chess, "fd1i81yan7yat").is_err());
}
