//! `rukh tables`: makes and checks the bare-Khun end-game tables of Makruk.

use std::path::{Path, PathBuf};
use std::time::Instant;

use clap::Command;
use rukh_tables::{Material, Table, TableError, Tables};

use crate::cli::define::{self, file, flag, opt, threads, word, words};
use crate::cli::{Args, CliError, Progress};
use crate::outln;

pub fn command() -> Command {
    define::command("tables", "make and verify Makruk's bare-Khun end-game tables")
        .arg(word("game", "makruk"))
        .arg(words("ending", "only these, such as KRMM KSSM (and the smaller ones they need)").required(false))
        .arg(opt("men", "N", "endings of up to N men, both Khuns included: 4 (default), or 5 (about 2.5 GB, some minutes)"))
        .arg(file("dir", "FOLDER", "where the files go (default makruk-tables)"))
        .arg(flag("verify", "also check that every distance follows from its successors, and a sample against the rules"))
        .arg(threads())
        .after_help(
            "Makes exact distance-to-mate tables for a bare Khun against up to three pieces. The engine reads them from the\n\
             folder in its option MakrukTables; endings of up to four men it makes by itself when it first needs them, in\n\
             about a second, and keeps them in your cache folder. Files that are there and whole are kept, damaged ones are\n\
             made again.\n\n\
             The columns: attacker to move, won and longest mate; bare Khun to move, lost, lost within the count, longest mate.",
        )
}

/// Positions per ending that are compared with the rules.
const SAMPLES: u64 = 20_000;

pub fn run(args: Args) -> Result<(), CliError> {
    let men: u32 = args.parsed("--men")?.unwrap_or(4);
    let folder = args.path("--dir").unwrap_or_else(|| PathBuf::from("makruk-tables"));
    let threads = args.threads()?.min(256);
    let verify = args.flag("--verify");
    let game: String = args.required("game")?;
    if game != "makruk" {
        return Err(CliError::input("there are tables for makruk only", &game));
    }
    if !(3..=5).contains(&men) {
        return Err(CliError::usage("--men must be 3, 4 or 5"));
    }
    let mut wanted: Vec<Material> = Vec::new();
    for word in args.options("ending")? {
        wanted.push(word.parse().map_err(|error| CliError::input(error, &word))?);
    }
    let list: Vec<Material> = if wanted.is_empty() {
        (3..=men).flat_map(Material::all).collect()
    } else {
        (3..=5).flat_map(Material::all).filter(|&m| wanted.iter().any(|&w| m == w || is_part(m, w))).collect()
    };
    std::fs::create_dir_all(&folder).map_err(|error| CliError::new(format!("{}: {error}", folder.display())))?;
    make(&list, &folder, threads, verify)
}

/// Whether `part` arises from `whole` by captures.
fn is_part(part: Material, whole: Material) -> bool {
    part.counts().iter().zip(whole.counts()).all(|(&a, b)| a <= b)
}

fn make(list: &[Material], folder: &Path, threads: usize, verify: bool) -> Result<(), CliError> {
    let start = Instant::now();
    let mut tables = Tables::default();
    let mut bytes = 0;
    outln!("ending       positions       won  longest      lost  in count  longest       bytes  seconds");
    let mut progress = Progress::new("tables", Some(list.len() as u64));
    for (done, &material) in list.iter().enumerate() {
        let one = Instant::now();
        progress.set(done as u64, &format!("{material}: reading"));
        let (table, remark) = match whole_table(folder, material) {
            Ok(Some(table)) => (table, "kept"),
            state => {
                let table = Table::generate(material, &tables, threads, &mut |at| {
                    progress.set(done as u64, &format!("{material}: mates in {}", at.distance));
                })
                .map_err(CliError::new)?;
                table.save(folder).map_err(CliError::new)?;
                let remark = if state.is_err() { "was damaged, made again" } else { "" };
                // From here on the file, not the copy in memory.
                (Table::open(folder, material).map_err(CliError::new)?, remark)
            }
        };
        let seconds = one.elapsed().as_secs_f64();
        bytes += table.size();
        let census = table.census();
        let percent = |n: u64, of: u64| 100.0 * n as f64 / of.max(1) as f64;
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
            table.verify(&tables, threads).map_err(CliError::new)?;
        }
        tables.insert(table);
        if verify {
            tables.cross_check(material, SAMPLES, 1).map_err(CliError::new)?;
        }
    }
    progress.finish();
    let verified = if verify { ", all verified" } else { "" };
    let folder = folder.display();
    outln!("{} tables, {bytes} bytes in '{folder}', {:.1} s{verified}", list.len(), start.elapsed().as_secs_f64());
    Ok(())
}

/// The table of a file that is there and right in every block; an error for a damaged one.
fn whole_table(folder: &Path, material: Material) -> Result<Option<Table>, TableError> {
    let path = Table::path(folder, material);
    if !path.exists() {
        return Ok(None);
    }
    let table = Table::open(folder, material)?;
    if table.check() {
        Ok(Some(table))
    } else {
        Err(TableError::Damaged { path, reason: "a block's checksum is wrong" })
    }
}
