//! Times the generation of endings: `cargo run --release -p rukh-tables --example generate -- 2 KRM KSM` (threads, endings).

use rukh_tables::{Material, Table, Tables};
use std::time::Instant;

fn main() {
    let mut words = std::env::args().skip(1);
    let threads = words.next().and_then(|word| word.parse().ok()).unwrap_or(1);
    let start = Instant::now();
    let mut tables = Tables::default();
    for material in (3..=4).flat_map(Material::all).chain(words.filter_map(|word| word.parse().ok())) {
        let one = Instant::now();
        let table = Table::generate(material, &tables, threads, &mut |_| {}).expect("smaller tables are there");
        println!("{material:6} {:>10} bytes {:8.3} s", table.size(), one.elapsed().as_secs_f64());
        tables.insert(table);
        if material.men() == 4 && tables.iter().count() == 14 {
            println!("all of 3 and 4 men {:.3} s", start.elapsed().as_secs_f64());
        }
    }
}
