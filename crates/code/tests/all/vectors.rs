//! The test vectors of docs/formats/position-code.md and of tests/data: codes never change within a version.

use rukh_code::{
    AnyCode, CodeError, Codec, Coded, ExtendedCode, Format, MemoryTables, NoTables, PositionCode, Selector, Stamp,
    Table, Tables, without_clocks,
};
use rukh_core::{Chess, Makruk, Position, Variant};

const PAGE: &str = include_str!("../../../../docs/formats/position-code.md");
const MORE: &str = include_str!("../data/vectors.tsv");
const OLD_MAKRUK: &str = include_str!("../data/makruk-2.tsv");
const OLD_CHESS: &str = include_str!("../data/chess-2.tsv");
const OLD_CHESS960: &str = include_str!("../data/chess960-2.tsv");
const MAKRUK_3: &str = include_str!("../data/makruk-3.tsv");
const CHESS960_3: &str = include_str!("../data/chess960-3.tsv");
const LONG: &str = include_str!("../data/long.tsv");

fn check<R: Coded>(codec: &Codec<R>, fen: &str, number: &str, text: &str) {
    let pos = Position::<R>::from_fen(fen).unwrap();
    let code = codec.encode_any(&pos).unwrap();
    let found = match code {
        AnyCode::Short(code) => code.raw().to_string(),
        AnyCode::Long(code) => code.number(),
    };
    assert_eq!(found, number, "{fen}");
    assert!(text == codec.text(code) || text == codec.text(codec.extended(&pos, 0).unwrap()), "{fen}");
    let (back, _) = codec.decode_text(text).unwrap();
    assert_eq!(codec.encode_any(&back), Ok(code));
}

/// Variant, FEN, code and text of each row: a table of the page, or columns between tabs.
fn vectors(text: &str) -> Vec<[String; 4]> {
    let clean = |cell: &str| cell.trim().trim_matches('`').replace('\u{2212}', "-");
    let rows = text.lines().filter_map(|line| {
        let cells: Vec<_> = match line.strip_prefix('|') {
            Some(row) => row.trim_end_matches('|').split('|').map(clean).collect(),
            None => line.split('\t').map(clean).collect(),
        };
        <[String; 4]>::try_from(cells).ok()
    });
    rows.filter(|row| row[1].matches('/').count() == 7).collect()
}

#[test]
fn documented_codes() {
    for (text, expected) in [(PAGE, 12), (MORE, 59), (LONG, 17)] {
        let vectors = vectors(text);
        assert!(vectors.len() >= expected, "{} vectors found", vectors.len());
        for [variant, fen, number, text] in vectors {
            match variant.as_str() {
                "chess" => check(Codec::chess(), &fen, &number, &text),
                "Chess960" => check(Codec::chess960(), &fen, &number, &text),
                "Makruk" => check(Codec::makruk(), &fen, &number, &text),
                _ => panic!("unknown variant {variant}"),
            }
        }
    }
}

#[test]
fn stamps_tell_codecs_apart() {
    let stamp = Codec::chess().stamp();
    assert_eq!(Stamp::from_bytes(stamp.to_bytes()), Some(stamp));
    let versions = [stamp, Codec::chess960().stamp(), Codec::makruk().stamp()].map(|stamp| stamp.version);
    assert_eq!(versions, [4, 4, 4]);
    assert_eq!(stamp.check(Codec::chess()), Ok(()));
    assert_eq!(stamp.check(Codec::chess960()), Err(CodeError::Version(stamp.variant, stamp.version)));
    let other = Stamp { checksum: stamp.checksum ^ 1, ..stamp };
    assert_eq!(other.check(Codec::chess()), Err(CodeError::Checksum(stamp.variant, stamp.version)));
    assert_eq!(Stamp::from_bytes([9; 12]), None);
}

/// A released version's codes stay what they were, and are read with its own model.
#[test]
fn version_2_of_makruk_stays_readable() {
    let old = Makruk::codec_of_version(Variant::Makruk, 2).unwrap();
    assert_eq!((old.variant(), old.stamp().version), (Variant::Makruk, 2));
    for [variant, fen, number, text] in vectors(OLD_MAKRUK) {
        assert_eq!(variant, "Makruk");
        check(old, &fen, &number, &text);
    }
    assert_eq!(vectors(OLD_MAKRUK).len(), 20);
    // The stamp finds the codec; of an unknown version, or another model, there is none.
    let stamp = old.stamp();
    assert!(stamp.codec::<Makruk>().is_ok_and(|found| found.stamp() == stamp));
    assert!(Codec::makruk().stamp().codec::<Makruk>().is_ok_and(|found| found.stamp().version == 4));
    for (other, error) in [
        (Stamp { version: 1, ..stamp }, CodeError::Version(Variant::Makruk, 1)),
        (Stamp { version: 5, ..stamp }, CodeError::Version(Variant::Makruk, 5)),
        (Stamp { checksum: 7, ..stamp }, CodeError::Checksum(Variant::Makruk, 2)),
        (Codec::chess().stamp(), CodeError::Version(Variant::Chess, 4)),
    ] {
        assert_eq!(other.codec::<Makruk>().err(), Some(error));
    }
    assert!(Chess::codec_of_version(Variant::Chess960, 2).is_ok_and(|found| found.variant() == Variant::Chess960));
    assert!(
        Chess::codec_of_version(Variant::Chess, 3).is_err() && Chess::codec_of_version(Variant::Makruk, 2).is_err()
    );
}

#[test]
fn models_stay_small() {
    let models: [&[u8]; 3] = [
        include_bytes!("../../models/chess.rkpc"),
        include_bytes!("../../models/chess960.rkpc"),
        include_bytes!("../../models/makruk.rkpc"),
    ];
    assert!(models.iter().all(|model| model.len() < 1_500_000));
}

#[test]
fn damaged_models_are_refused() {
    let good = include_bytes!("../../models/makruk.rkpc");
    let refused = |bytes: &[u8]| {
        assert!(matches!(Codec::<Makruk>::with_model(Variant::Makruk, bytes), Err(CodeError::Model(_))));
    };
    for length in [0, 7, 8, 31, 32, 1000, good.len() - 1] {
        refused(&good[..length]);
    }
    for at in [0, 9, 12, 30, good.len() / 2, good.len() - 1] {
        let mut bad = good.to_vec();
        bad[at] ^= 4;
        refused(&bad);
    }
    assert!(Codec::<Chess>::with_model(Variant::Chess, good).is_err());
}

/// A position that needs more than 63 bits.
fn wild() -> Position<Chess> {
    Position::from_fen("q2n1k2/1P1b1R1p/nB2r1P1/2p1Qb2/1N3p1r/p1P1q1B1/1R1p1N2/3K1n2 b - - 0 1").unwrap()
}

#[test]
fn selector_falls_through_the_formats() {
    let pos = wild();
    let chess = Codec::chess();
    assert_eq!(chess.encode(&pos), Err(CodeError::DoesNotFit));
    assert_eq!(Selector::new(chess, NoTables).encode(&pos), Err(CodeError::NoRoom));

    let mut selector = Selector::new(chess, MemoryTables::new(1));
    assert_eq!(selector.find(&pos), Ok(None));
    let code = selector.encode(&pos).unwrap();
    assert_eq!(code.format(), Format::Indexed { table: Table::Reachability, edition: 0, index: 0 });
    assert_eq!(selector.encode(&pos), Ok(code));
    assert_eq!(selector.decode(code), Ok(pos));
    assert_eq!(chess.decode(code), Err(CodeError::NoTable(Table::Reachability)));

    // The table is full: the next one becomes a record.
    let mv = pos.legal_moves()[0];
    let next = pos.after(mv);
    if chess.encode(&next) == Err(CodeError::DoesNotFit) {
        let code = selector.encode(&next).unwrap();
        assert_eq!(code.format(), Format::Indexed { table: Table::Record, edition: 0, index: 0 });
        assert_eq!(selector.decode(code).unwrap().key(), next.key());
    }

    let start = Position::<Chess>::startpos();
    let direct = selector.encode(&start).unwrap();
    assert!(direct.is_direct());
    assert_eq!(selector.decode(direct), Ok(start));
    assert_eq!(Tables::<Chess>::edition(&selector.tables, Table::Opening), None);
}

#[test]
fn foreign_codes_are_typed_errors() {
    let selector = Selector::new(Codec::chess(), MemoryTables::<Chess>::new(4));
    let code = |table, edition, index| PositionCode::indexed(table, edition, index).unwrap();
    assert_eq!(selector.decode(code(Table::Opening, 1, 7)), Err(CodeError::NoTable(Table::Opening)));
    assert_eq!(
        selector.decode(code(Table::Reachability, 3, 0)),
        Err(CodeError::TableVersion { table: Table::Reachability, code: 3, ours: 0 })
    );
    assert_eq!(selector.decode(code(Table::Record, 0, 9)), Err(CodeError::NoEntry { table: Table::Record, index: 9 }));
    let shuffled = Position::<Chess>::from_fen("1r2k1r1/8/8/8/8/8/8/1R1K2R1 b BGg - 0 1").unwrap();
    assert_eq!(Codec::chess().encode(&shuffled), Err(CodeError::Castling));
}

/// Texts of version 2 of chess and Chess960 have no mark and are read as what they are, by who knows no better too.
#[test]
fn version_2_of_chess_and_chess960_stays_readable() {
    for (variant, rows, count) in [(Variant::Chess, OLD_CHESS, 49), (Variant::Chess960, OLD_CHESS960, 17)] {
        let (old, today) = (Chess::codec_of_version(variant, 2).unwrap(), Chess::codec(variant));
        assert_eq!((old.variant(), old.stamp().version, vectors(rows).len()), (variant, 2, count));
        for [_, fen, number, text] in vectors(rows) {
            check(old, &fen, &number, &text);
            let pos = Position::<Chess>::from_fen(&fen).unwrap();
            let wanted = without_clocks(&pos).unwrap();
            let (found, _) = today.decode_text(&text).unwrap();
            assert_eq!(without_clocks(&found).unwrap(), wanted);
            let readings = today.readings(&text).unwrap();
            assert!(matches!(readings[..], [(codec, _)] if codec.stamp() == old.stamp()), "{text} has two meanings");
            let new = today.encode_text(&found).unwrap();
            // Digits alone may also be a number without its sign.
            let refused = matches!(old.decode_text(&new), Err(CodeError::TextCheck | CodeError::Unsigned(_)));
            assert!(new != text && refused, "{new}");
        }
    }
}

/// There was no version 3 of chess: what would be a text of it is a slip like any other.
#[test]
fn a_version_that_never_was_has_no_texts() {
    let start = Position::<Chess>::startpos();
    let digits = b"0123456789abcdefghijklmnopqrstuvwxyz_~-";
    let codec = Codec::chess();
    for old in [codec.encode_text(&start).unwrap(), vectors(OLD_CHESS)[0][3].clone()] {
        let (head, last) = old.split_at(12);
        let read: Vec<_> =
            digits.iter().filter(|&&digit| codec.decode_text(&format!("{head}{}", digit as char)).is_ok()).collect();
        assert!(read.contains(&&last.as_bytes()[0]), "{old}");
        for &digit in digits {
            let text = format!("{head}{}", digit as char);
            match codec.readings(&text) {
                Ok(readings) => assert!(readings.iter().all(|(codec, _)| [2, 4].contains(&codec.stamp().version))),
                Err(error) => assert_eq!(error, CodeError::TextCheck, "{text}"),
            }
        }
    }
}

/// Version 3's texts of Chess960 have a mark of their own; Makruk's have none, and version 3 is asked before version 2.
#[test]
fn version_3_stays_readable() {
    fn reads<R: Coded>(variant: Variant, rows: &str) -> usize {
        let old = R::codec_of_version(variant, 3).unwrap();
        let rows = vectors(rows);
        for [_, fen, number, text] in &rows {
            check(old, fen, number, text);
            let wanted = without_clocks(&Position::<R>::from_fen(fen).unwrap()).unwrap();
            let (pos, _) = R::codec(variant).decode_text(text).unwrap();
            assert_eq!(without_clocks(&pos).unwrap(), wanted);
            let new = R::codec(variant).encode_text(&pos).unwrap();
            assert!(new != *text && old.decode_text(&new) == Err(CodeError::TextCheck), "{new}");
        }
        rows.len()
    }
    assert_eq!(reads::<Makruk>(Variant::Makruk, MAKRUK_3), 22);
    assert_eq!(reads::<Chess>(Variant::Chess960, CHESS960_3), 17);
}

/// The model of Chess960 as if it were of another version.
fn chess960_of_version(version: u8) -> Codec<Chess> {
    let mut model = include_bytes!("../../models/chess960-2.rkpc").to_vec();
    model[8] = version;
    let end = model.len() - 8;
    let sum = model[..end]
        .iter()
        .fold(0xcbf2_9ce4_8422_2325u64, |sum, &byte| (sum ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3));
    model[end..].copy_from_slice(&sum.to_le_bytes());
    Codec::with_model(Variant::Chess960, &model).unwrap()
}

/// A text says its version: with the mark of a later one it is read by that one and refused by all others.
#[test]
fn texts_of_later_versions_are_marked() {
    let codecs = [5, 6, 14].map(chess960_of_version);
    let old = Chess::codec_of_version(Variant::Chess960, 2).unwrap();
    // Where White moves a model sees the same board in all versions.
    let rows = vectors(OLD_CHESS960).into_iter().filter(|[_, fen, _, text]| text.len() == 13 && fen.contains(" w "));
    for [_, fen, _, text] in rows {
        let pos = Position::<Chess>::from_fen(&fen).unwrap();
        assert_eq!(old.encode_text(&pos).unwrap(), text, "version 2 has no mark");
        for codec in &codecs {
            let marked = codec.encode_text(&pos).unwrap();
            assert_eq!(marked[..12], text[..12]);
            assert_eq!(codec.decode_text(&marked), Ok((without_clocks(&pos).unwrap(), 0)));
            for other in codecs.iter().chain([Codec::chess960()]).filter(|other| other.stamp() != codec.stamp()) {
                assert_eq!(other.decode_text(&marked), Err(CodeError::TextCheck));
            }
            assert_eq!(codec.decode_text(&text), Err(CodeError::TextCheck));
            // Clocks stand behind the code and its mark; codes of tables have none.
            let clocked = codec.text(ExtendedCode { halfmove: 7, fullmove: 31, ..codec.extended(&pos, 0).unwrap() });
            assert!(clocked.starts_with(&format!("{marked}.")) && codec.decode_text(&clocked).is_ok());
            let entry = PositionCode::indexed(Table::Record, 1, 5).unwrap();
            assert_eq!(codec.text(AnyCode::Short(entry)), entry.to_string());
        }
    }
}

/// Texts of Makruk's version 2 have no mark, nor have those of version 3: what version 3 refuses is read by version 2.
#[test]
fn old_texts_of_makruk_are_read_where_they_can_be() {
    let (mut read, mut another) = (0, 0);
    for [_, fen, _, text] in vectors(OLD_MAKRUK) {
        let wanted = without_clocks(&Position::<Makruk>::from_fen(&fen).unwrap()).unwrap();
        let is_wanted = |found: Result<(Position<Makruk>, u8), CodeError>| {
            found.is_ok_and(|(pos, _)| without_clocks(&pos).unwrap() == wanted)
        };
        if is_wanted(Codec::makruk().decode_text(&text)) {
            read += 1
        } else {
            another += 1
        }
        // Who asks sees both.
        let readings = Codec::makruk().readings(&text).unwrap();
        let [(new, _), (old, code)] = readings[..] else { panic!("{text} has one meaning") };
        assert_eq!((new.stamp().version, old.stamp().version), (3, 2));
        assert!(is_wanted(old.decode_extended(code)), "{text}");
    }
    assert!(read > another, "{read} old texts read, {another} taken for another position");
}

/// Prices are those of the board's own squares, also where the model has seen it turned: a king that only the view's last square is left for
/// costs nothing.
#[test]
fn prices_belong_to_their_squares() {
    let certain = |fen: &str| {
        let price = Codec::chess960().price(&Position::<Chess>::from_fen(fen).unwrap()).unwrap();
        (0..64).filter(|&square| price.squares[square] == 65536).collect::<Vec<_>>()
    };
    assert_eq!(certain("7K/pp6/8/8/8/8/6PP/1k6 w - - 0 1"), [63]);
    assert_eq!(certain("1k6/pp6/8/8/8/8/6PP/7K b - - 0 1"), [7]);
    let price = Codec::makruk().price(&Position::from_fen("8/1k6/8/pp6/8/6PP/8/K7 b - - 0 1").unwrap()).unwrap();
    let certain: Vec<_> = (0..64).filter(|&square| price.squares[square] == 65536).collect();
    assert_eq!(certain, [0]);
}
