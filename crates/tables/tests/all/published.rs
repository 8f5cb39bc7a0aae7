//! The published totals of bare-Khun endings must come out.

use rukh_tables::{Material, Table, Tables};

fn material(name: &str) -> Material {
    name.parse().unwrap()
}

/// Ending; percent lost with the bare Khun to move, in all and within the count; the longest; percent won with the attacker
/// to move, and the longest (`None` where the source names none).
type Line = (&'static str, f64, f64, usize, f64, Option<usize>);

/// To two digits, or as many as the source has.
fn about(value: f64, wanted: f64) -> bool {
    let unit = if wanted < 0.1 {
        0.0005
    } else if wanted < 5.0 {
        0.0006
    } else {
        0.0051
    };
    (value - wanted).abs() <= unit
}

fn check_line(table: &Table, (name, lost, counted, bare_longest, won, longest): Line) {
    let census = table.census();
    let percent = |n: u64, of: u64| 100.0 * n as f64 / of as f64;
    let allowed = table.material().moves_allowed();
    let is_lost = percent(census.lost(), census.bare_positions);
    let in_count = percent(census.lost_within(allowed), census.bare_positions);
    let is_won = percent(census.won(), census.attacker_positions);
    assert!(about(is_lost, lost), "{name}: lost {is_lost}, not {lost}");
    assert!(about(in_count, counted), "{name}: lost in count {in_count}, not {counted}");
    assert!(about(is_won, won), "{name}: won {is_won}, not {won}");
    assert_eq!(census.longest().1, bare_longest, "{name}: longest");
    if let Some(longest) = longest {
        assert_eq!(census.longest().0, longest, "{name}: longest, attacker to move");
    }
}

const FOUR_MEN: [Line; 13] = [
    ("KM", 0.0, 0.0, 0, 0.0, Some(0)),
    ("KN", 0.0, 0.0, 0, 0.0, Some(0)),
    ("KS", 0.016, 0.016, 3, 0.077, None),
    ("KR", 90.07, 64.74, 16, 100.0, Some(16)),
    ("KMM", 0.0014, 0.0014, 1, 0.003, None),
    ("KNN", 0.0018, 0.0018, 0, 0.011, Some(1)),
    ("KNM", 0.964, 0.964, 36, 3.964, Some(36)),
    ("KNS", 74.71, 74.71, 38, 95.81, Some(38)),
    ("KSM", 63.76, 59.66, 57, 85.77, Some(57)),
    ("KSS", 66.37, 13.66, 51, 88.39, Some(51)),
    ("KRM", 90.46, 68.69, 16, 100.0, Some(16)),
    ("KRS", 90.57, 78.32, 16, 100.0, None),
    ("KRN", 90.82, 88.18, 16, 100.0, None),
];

#[test]
fn four_men() {
    let tables = Tables::four_men();
    assert_eq!(tables.iter().count(), 14);
    for line in FOUR_MEN {
        check_line(tables.table(material(line.0)).unwrap(), line);
    }
    check_line(tables.table(material("KRR")).unwrap(), ("KRR", 99.71, 54.20, 16, 100.0, Some(7)));

    let won = |name| tables.table(material(name)).unwrap().census().won();
    assert_eq!(won("KNM"), 472_900);
    assert_eq!(won("KS"), 162);
    // The attacker's first move is free of the count: 41 in all.
    let ksm = tables.table(material("KSM")).unwrap().census();
    assert_eq!(ksm.won() - ksm.won_within(41), 278_040);
}

#[test]
fn distances_follow_from_their_successors() {
    let tables = Tables::four_men();
    for table in tables.iter() {
        // Here, in the debug profile, the full check of the longest two would take most of the time.
        if !["KSM", "KSS"].contains(&table.material().to_string().as_str()) {
            table.verify(tables, 2).unwrap();
        }
        assert!(tables.cross_check(table.material(), 4000, 8).unwrap() > 1000);
    }
}

const FIVE_MEN: [Line; 7] = [
    ("KMMM", 42.58, 42.58, 40, 63.16, Some(40)),
    ("KNMM", 64.53, 64.53, 44, 92.57, Some(45)),
    ("KNNM", 70.98, 70.80, 41, 96.90, Some(41)),
    ("KSMM", 83.40, 81.63, 57, 96.67, Some(55)),
    ("KNSM", 87.90, 87.01, 57, 98.89, Some(57)),
    ("KSSM", 95.90, 25.96, 57, 99.997, Some(50)),
    ("KRMM", 90.83, 69.26, 16, 99.9997, Some(16)),
];

#[test]
#[ignore = "long: generates and verifies seven 5-man tables, 1 GB and minutes"]
fn five_men() {
    let tables = Tables::four_men();
    for line in FIVE_MEN {
        let table = Table::generate(material(line.0), tables, 2, &mut |_| {}).unwrap();
        check_line(&table, line);
        table.verify(tables, 2).unwrap();
    }
}
