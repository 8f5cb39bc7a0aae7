//! `rukh play`: a game against the engine on a terminal.

use std::io::{BufRead, Write};

use clap::Command;
use rukh_core::{Color, Variant, chess960_fen};
use rukh_protocol::terminal::{Style, Table};

use crate::cli::define::{self, choice, fen, file, flag, opt, position};
use crate::cli::{Args, CliError, read_game};
use crate::game::{AnyGame, BoardStyle, EngineArgs, OwnBook, OwnMemory, random_below};

pub fn command() -> Command {
    let command = define::command("play", "play against the engine in this terminal")
        .arg(position())
        .arg(fen())
        .arg(choice("color", "C", &["white", "black", "random"], "white (default), black or random: your side"))
        .arg(opt("level", "N", "strength of the engine from 0 (beginner) to 20 (full strength, default)"))
        .arg(opt("elo", "N", "strength as a rating instead"))
        .arg(opt("movetime", "MS", "thinking time for each move (default 1000)"))
        .arg(file("book", "FILE", "an opening book for the engine (Polyglot, Arena, Amundsen)"))
        .arg(opt("number", "N", "chess960: the starting position, 0 to 959 (default: a random one)"))
        .arg(
            define::notation()
                .help("moves as san (default), lan, and for Makruk thai or thai-lan; typed in any of them"),
        )
        .arg(flag("learn", "what the engine finds is kept and used in later games"))
        .arg(file("learn-file", "FILE", "the same, in this table"))
        .arg(flag("plain", "no colours"))
        .arg(flag("ascii", "letters instead of figures"));
    define::engine(command)
        .after_help("Type moves as e4, Nf3, O-O or e2e4; 'help' lists the other words (hint, undo …).")
}

pub fn run(args: Args) -> Result<(), CliError> {
    let color = args.option("--color")?;
    let level: Option<u32> = args.parsed("--level")?;
    let elo: Option<u32> = args.parsed("--elo")?;
    let movetime: u64 = args.parsed("--movetime")?.unwrap_or(1000);
    let number: Option<u32> = args.parsed("--number")?;
    let book_file = args.option("--book")?;
    let (plain, ascii) = (args.flag("--plain"), args.flag("--ascii"));
    let learn_file = args.option("--learn-file")?;
    let learn = args.flag("--learn") || learn_file.is_some();
    let writing = args.parsed("--notation")?.unwrap_or_default();
    let mut setup = EngineArgs::take(&args)?;
    let fen = args.position()?;

    let human = match color.as_deref() {
        None | Some("white" | "w") => Color::White,
        Some("black" | "b") => Color::Black,
        Some("random") => [Color::White, Color::Black][random_below(2) as usize],
        Some(other) => return Err(CliError::input("--color is white, black or random", other)),
    };
    if number.is_some() {
        setup.variant = Variant::Chess960;
    }
    let game = match (&fen, setup.variant) {
        (Some(text), variant) => read_game(variant, text)?,
        (None, Variant::Chess960) => {
            let number = number.unwrap_or_else(|| random_below(960));
            let fen = chess960_fen(number as usize)
                .ok_or_else(|| CliError::input("--number is a position from 0 to 959", &number.to_string()))?;
            AnyGame::from_fen(Variant::Chess960, &fen).map_err(CliError::new)?
        }
        (None, variant) => AnyGame::new(variant),
    };
    let engine = setup.engine()?;
    let colours = !plain && anstream::AutoStream::choice(&std::io::stdout()) != anstream::ColorChoice::Never;
    let board = match (ascii, colours) {
        (true, _) => BoardStyle::Letters,
        (false, true) => BoardStyle::Colours,
        (false, false) => BoardStyle::Figures,
    };
    // A person wants a game, not the same opening each time: without `--book` the engine thinks from the first move.
    if let Some(file) = book_file {
        engine.attach_book(OwnBook::default());
        engine.set_option("BookFile", &file).map_err(|error| CliError::input(error, &file))?;
        engine.set_option("OwnBook", "true").map_err(CliError::new)?;
    }
    if learn {
        engine.attach_memory_files(OwnMemory);
        engine.set_option("LearnFile", &learn_file.unwrap_or_default()).map_err(CliError::new)?;
        for said in engine.configure("Learn", "true").map_err(CliError::new)? {
            eprintln!("{said}");
        }
    }
    let mut table = Table::new(engine, game, human, movetime, Style { board, colours, writing });
    if let Some(elo) = elo {
        table.set_elo(elo)?;
    } else if let Some(level) = level {
        table.set_level(level)?;
    }

    let mut out = std::io::stdout();
    let stdin = std::io::stdin().lock();
    table.greet(&mut out)?;
    let mut lines = stdin.lines();
    loop {
        table.engine_turn(&mut out)?;
        write!(out, "{}", table.prompt())?;
        out.flush()?;
        let Some(line) = lines.next() else {
            writeln!(out)?;
            return Ok(());
        };
        // A byte that is no UTF-8 is a typing error, not the end of the game.
        let line = match line {
            Ok(line) => line,
            Err(error) if error.kind() == std::io::ErrorKind::InvalidData => "?".to_owned(),
            Err(error) => return Err(error.into()),
        };
        if !table.command(line.trim(), &mut out)? {
            return Ok(());
        }
    }
}
