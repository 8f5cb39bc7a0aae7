//! `rukh play`: a game against the engine on a terminal.

use clap::Command;
use rukh_core::{Color, Variant, chess960_fen};
use rukh_engine::ELO_RANGE;
use rukh_protocol::game::{AnyGame, BoardStyle, OwnBook, OwnMemory, random_below};
use rukh_protocol::terminal::{Style, Table};

use crate::cli::define::{self, choice, fen, file, flag, opt, position};
use crate::cli::{Args, CliError, EngineArgs, Result, read_game, refused};

pub fn command() -> Command {
    let command = define::command("play", "play against the engine in the terminal")
        .arg(position())
        .arg(fen())
        .arg(choice("color C", &["white", "black", "random"], "your colour: white (default), black or random"))
        .arg(opt("level N", "engine strength, from 0 (beginner) to 20 (full strength, the default)"))
        .arg(opt("elo N", "engine strength as an Elo rating"))
        .arg(opt("movetime MS", "thinking time per move (default 1000)"))
        .arg(file("book FILE", "opening book for the engine (Polyglot, Arena or Amundsen)"))
        .arg(opt("number N", "Chess960 starting position, 0 to 959 (default: random)"))
        .arg(
            define::notation()
                .help("show moves as san (default) or lan, in Makruk also thai or thai-lan; you can type any of them"),
        )
        .arg(flag("learn", "remember what the engine finds and use it in later games"))
        .arg(file("learn-file FILE", "the same, with this table"))
        .arg(flag("plain", "no colours"))
        .arg(flag("ascii", "letters instead of chess symbols"));
    define::engine(command)
        .after_help("Enter moves as e4, Nf3, O-O or e2e4. Type 'help' for the other commands (hint, undo …).")
}

pub fn run(args: Args) -> Result {
    let color = args.option("--color")?;
    let number_of = |name, range| args.option(name)?.map(|_| args.within(name, 0, range)).transpose();
    let [level, elo] =
        [number_of("--level", 0..=20)?, number_of("--elo", ELO_RANGE)?].map(|n| n.map(|n: i64| n as u32));
    let movetime: u64 = args.positive("--movetime")?.unwrap_or(1000);
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
            AnyGame::from_fen(Variant::Chess960, &fen)?
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
        engine.set_option("BookFile", &file).map_err(|error| refused("--book", &file, error))?;
        engine.set_option("OwnBook", "true")?;
    }
    if learn {
        engine.attach_memory_files(OwnMemory);
        engine.set_option("LearnFile", &learn_file.unwrap_or_default())?;
        for said in engine.configure("Learn", "true")? {
            errln!("{said}");
        }
    }
    let mut table = Table::new(engine, game, human, movetime, Style { board, colours, writing });
    if let Some(elo) = elo {
        table.set_elo(elo)?;
    } else if let Some(level) = level {
        table.set_level(level)?;
    }

    Ok(table.run(std::io::stdin().lock(), &mut std::io::stdout())?)
}
