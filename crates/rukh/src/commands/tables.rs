//! `rukh tables`: makes and checks the bare-Khun end-game tables of Makruk.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Instant;

use clap::Command;
use rukh_core::Variant;
use rukh_tables::{Found, Material, Table, Tables};

use crate::cli::define::{self, choice, file, flag, opt, threads, words};
use crate::cli::{Args, CliError, Progress, Result, counted, percent};

pub fn command() -> Command {
    define::command("tables", "generate and verify Makruk's bare-Khun tablebases")
        .arg(words("ending", "only these endings, such as KRMM KSSM (and the smaller ones they need)").required(false))
        .arg(choice("variant V", &["makruk"], "makruk (default), the only one with such tables"))
        .arg(opt("men N", "endings with up to N men, including both Khuns: 4 (default), or 5 (about 2.5 GB, a few minutes)"))
        .arg(file("dir FOLDER", "output folder (default makruk-tables)"))
        .arg(flag("verify", "also check every distance against its successors, and a sample against the rules"))
        .arg(threads())
        .after_help(
            "Generates exact distance-to-mate tables for a bare Khun against up to three pieces. The engine reads them from the\n\
             folder set by its option MakrukTables. Endings with up to four men it generates by itself when it first needs\n\
             them, in about a second, and caches them in your cache folder. Intact files are kept, damaged ones are\n\
             regenerated.\n\n\
             Columns: with the attacker to move, won and longest mate; with the bare Khun to move, lost, lost within the count\n\
             and longest mate.",
        )
}

/// Positions per ending that are compared with the rules.
const SAMPLES: u64 = 20_000;

pub fn run(args: Args) -> Result {
    let men: u32 = args.or("--men", 4)?;
    let folder = args.path("--dir").unwrap_or_else(|| PathBuf::from("makruk-tables"));
    let threads = args.threads()?.min(256);
    let verify = args.flag("--verify");
    let (variant, words) = args.variant_and_words("ending")?;
    if let Some(other) = variant.filter(|variant| *variant != Variant::Makruk) {
        return Err(CliError::input("these tables are for makruk only", other.name()));
    }
    if !(3..=5).contains(&men) {
        return Err(CliError::usage("--men must be 3, 4 or 5"));
    }
    let ending = |word: OsString| {
        let word = word.to_string_lossy();
        word.parse().map_err(|error| CliError::input(error, &word))
    };
    let wanted = words.into_iter().map(ending).collect::<Result<Vec<Material>>>()?;
    let list: Vec<Material> = if wanted.is_empty() {
        (3..=men).flat_map(Material::all).collect()
    } else {
        (3..=5).flat_map(Material::all).filter(|part| wanted.iter().any(|&whole| part.is_part_of(whole))).collect()
    };
    std::fs::create_dir_all(&folder).map_err(|error| CliError::new(format!("{}: {error}", folder.display())))?;
    let start = Instant::now();
    let (mut tables, mut bytes) = (Tables::default(), 0);
    outln!("ending       positions       won  longest      lost  in count  longest       bytes  seconds");
    let mut progress = Progress::new("tables", Some(list.len() as u64));
    for (done, &material) in list.iter().enumerate() {
        let one = Instant::now();
        progress.set(done as u64, &format!("{material}: reading"));
        let (table, found) = Table::open_or_generate(&folder, material, &tables, threads, &mut |at| {
            progress.set(done as u64, &format!("{material}: mates in {}", at.distance));
        })?;
        let remark = match found {
            Found::Whole => "kept",
            Found::Damaged => "was damaged, made again",
            Found::Nothing => "",
        };
        let seconds = one.elapsed().as_secs_f64();
        bytes += table.size();
        let census = table.census();
        let (attacker_longest, bare_longest) = census.longest();
        outln!(
            "{:6} {:15} {:9.4} {:8} {:9.4} {:9.4} {:8} {:11} {:8.1}  {remark}",
            material.to_string(),
            census.attacker_positions + census.bare_positions,
            percent(census.won(), census.attacker_positions),
            attacker_longest,
            percent(census.lost(), census.bare_positions),
            percent(census.lost_within(material.moves_allowed()), census.bare_positions),
            bare_longest,
            table.size(),
            seconds
        );
        if verify {
            progress.set(done as u64, &format!("{material}: verifying"));
            table.verify(&tables, threads)?;
        }
        tables.insert(table);
        if verify {
            tables.cross_check(material, SAMPLES, 1)?;
        }
    }
    progress.finish();
    let verified = if verify { ", all verified" } else { "" };
    let folder = folder.display();
    let tables = counted(list.len() as u64, "table");
    outln!("{tables}, {bytes} bytes in '{folder}', {:.1} s{verified}", start.elapsed().as_secs_f64());
    Ok(())
}
