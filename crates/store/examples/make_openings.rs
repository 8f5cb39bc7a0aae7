//! Makes the opening table from the CC0 list lichess-org/chess-openings:
//! `cargo run -p rukh-store --example make_openings -- a.tsv b.tsv c.tsv d.tsv e.tsv > crates/store/data/openings.bin`

use std::collections::BTreeMap;
use std::error::Error;
use std::io::Write;

use rukh_core::{Chess, Position};
use rukh_store::openings::{Line, Table, move_bits, pack};

/// A node of the tree of moves.
#[derive(Default)]
struct Node {
    opening: Option<(String, u16)>,
    next: BTreeMap<u16, Node>,
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut root = Node::default();
    let mut count = 0;
    for file in std::env::args().skip(1) {
        for row in std::fs::read_to_string(&file)?.lines().skip(1) {
            let mut columns = row.split('\t');
            let (Some(eco), Some(name), Some(moves)) = (columns.next(), columns.next(), columns.next()) else {
                return Err(format!("{file}: {row:?} has no three columns").into());
            };
            let letter = u16::from(eco.as_bytes()[0] - b'A');
            let eco = letter * 100 + eco[1..].parse::<u16>()?;
            let mut node = &mut root;
            let mut pos = Position::<Chess>::startpos();
            for san in moves.split_whitespace().filter(|word| !word.ends_with('.')) {
                let mv = pos.parse_san(san)?;
                node = node.next.entry(move_bits(mv)).or_default();
                pos = pos.after(mv);
            }
            node.opening = Some((name.to_owned(), eco));
            count += 1;
        }
    }
    let mut table = Table::default();
    collect_names(&root, &mut table.names);
    table.names.sort();
    table.names.dedup();
    collect_lines(&root, 1, &mut table);
    let packed = pack(&table)?;
    eprintln!("{count} lines, {} names, {} positions: {} bytes", table.names.len(), table.lines.len(), packed.len());
    std::io::stdout().write_all(&packed)?;
    Ok(())
}

fn collect_names(node: &Node, names: &mut Vec<String>) {
    names.extend(node.opening.iter().map(|(name, _)| name.clone()));
    node.next.values().for_each(|child| collect_names(child, names));
}

fn collect_lines(node: &Node, depth: u8, table: &mut Table) {
    for (&mv, child) in &node.next {
        let name = child
            .opening
            .as_ref()
            .map(|(name, eco)| (table.names.binary_search(name).unwrap_or(usize::MAX) as u16, *eco));
        table.lines.push(Line { depth, mv, name });
        collect_lines(child, depth + 1, table);
    }
}
