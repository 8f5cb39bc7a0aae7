//! Position arguments and codes with the tables of the disk, in one process.

use rukh_code::{AnyCode, CodeError, Codec};
use rukh_core::{Chess, Position, Variant};
use rukh_store::codes::{OpenTables, Opened, read_code, resolve, resolve_or_moves};
use rukh_store::learn::LearnStore;
use rukh_testing::NewFile;

const WILD: &str = "q2n1k2/1P1b1R1p/nB2r1P1/2p1Qb2/1N3p1r/p1P1q1B1/1R1p1N2/3K1n2 b - - 0 1";
const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

#[test]
fn every_position_gets_a_code_and_comes_back() {
    let path = NewFile::new("codes");
    let wild = Position::<Chess>::from_fen(WILD).unwrap();
    let mut opened = Opened::reading(Codec::chess(), OpenTables::default(), Some(&path)).unwrap();
    assert!(opened.encode(&wild, None).is_err(), "nowhere to keep it");
    let code = opened.encode(&wild, Some(&path)).unwrap();
    assert_eq!((code.to_string().len(), opened.encode(&wild, Some(&path)).unwrap()), (13, code));
    let again = Opened::reading(Codec::chess(), OpenTables::default(), Some(&path)).unwrap();
    assert_eq!(again.decode(read_code(&code.to_string()).unwrap()), Ok((wild, 0)));
    let bare = Opened::reading(Codec::chess(), OpenTables::default(), None).unwrap();
    assert!(matches!(bare.decode(code.into()), Err(CodeError::NoTable(_))));
    // The openings are built in, and a direct code needs nothing.
    let fifth = bare.decode(read_code("5").unwrap()).unwrap().0;
    assert_eq!(fifth.fullmove(), 1);
    assert!(matches!(opened.encode(&Position::startpos(), None), Ok(AnyCode::Short(code)) if code.is_direct()));
}

/// With a table of learned positions, new codes are numbers of it, and outlive the program.
#[test]
fn a_learned_table_numbers_what_does_not_fit() {
    let (path, wild) = (NewFile::new("numbers"), Position::<Chess>::from_fen(WILD).unwrap());
    let learned = || LearnStore::<Chess>::open(&path, 1 << 30).unwrap();
    fn with(learned: &LearnStore<Chess>) -> Opened<'_, Chess> {
        Opened::reading(Codec::chess(), learned.into(), None).unwrap()
    }
    let code = with(&learned()).encode(&wild, None).unwrap();
    assert!(matches!(code, AnyCode::Short(code) if !code.is_direct()));
    assert_eq!(with(&learned()).decode(read_code(&code.to_string()).unwrap()), Ok((wild, 0)));
    assert_eq!(with(&learned()).encode(&wild, None).unwrap(), code);
}

#[test]
fn arguments_of_all_kinds() {
    let long = Codec::chess().encode_any(&Position::from_fen(WILD).unwrap()).unwrap().to_string();
    for (text, fen) in [
        ("startpos", START),
        (START, START),
        ("fdc_yeyowhwg-", START),
        (" FD1I81YAN7YAS ", START),
        ("-4352707067001205567", START),
        (&long, WILD),
    ] {
        assert_eq!(resolve(Variant::Chess, text).unwrap(), fen, "{text}");
    }
    assert!(resolve(Variant::Makruk, "startpos").unwrap().starts_with("rnsmksnr/"));
    for (text, wanted) in [
        ("fdc_yeyowhwg0", "check character"),
        ("000", "expected a FEN"),
        ("nonsense", "expected a FEN"),
        ("", "expected a FEN"),
        ("+288230376151711744", "--db"),
        ("9223372036854775808", "check character"),
        ("1152921504606846976", "needs a sign: +1152921504606846976"),
        ("+1152921504606846976", "auxiliary record"),
        ("-", "expected a FEN"),
    ] {
        let error = resolve(Variant::Chess, text).unwrap_err().to_string();
        assert!(error.contains(wanted), "{text}: {error}");
    }
    assert!(resolve(Variant::Makruk, "5").unwrap_err().to_string().contains("no built-in openings"));
    // Moves stay moves.
    let place = |text| resolve_or_moves::<Chess>(Variant::Chess, OpenTables::default(), text);
    for text in ["e4 e5 Nf3", "e2e4,e7e5", "e4", ""] {
        assert_eq!(place(text).unwrap(), text);
    }
    assert_eq!(place("startpos").unwrap(), "");
    assert_eq!(place("fdc_yeyowhwg-").unwrap(), START);
    assert!(place("fdc_yeyowhwg0").is_err());
}

/// Who has a file of records open when another takes its place gives numbers of the new one.
#[cfg(unix)]
#[test]
fn numbers_are_of_the_file_that_is_there() {
    let (path, aside) = (NewFile::new("there"), NewFile::new("aside"));
    let wild = Position::<Chess>::from_fen(WILD).unwrap();
    let mut opened = Opened::reading(Codec::chess(), OpenTables::default(), Some(&path)).unwrap();
    let first = opened.encode(&wild, Some(&path)).unwrap();
    std::fs::rename(&path, &aside).unwrap();
    let second = opened.encode(&wild, Some(&path)).unwrap();
    for (code, file) in [(first, &aside), (second, &path)] {
        let read = Opened::reading(Codec::chess(), OpenTables::default(), Some(file)).unwrap();
        assert_eq!(read.decode(code.into()), Ok((wild, 0)));
    }
}
