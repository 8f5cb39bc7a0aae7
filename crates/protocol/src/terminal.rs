//! A game between a person and the engine on a terminal: lines in, boards and words out.

use std::io::{self, BufRead, Write};

use rukh_core::{Color, Move, Variant, Writing};
use rukh_engine::{Engine, Limits, Manners};
use rukh_pgn::{AppendFile, GameResult, PgnGame, PgnWriter, Tags};

use crate::game::{AnyGame, BoardStyle, draw_board};

/// How things look.
#[derive(Clone, Copy)]
pub struct Style {
    /// The board.
    pub board: BoardStyle,
    /// Whether other text may use colours.
    pub colours: bool,
    /// Moves and numbers.
    pub writing: Writing,
}

/// One game in progress.
pub struct Table {
    engine: Engine,
    game: AnyGame,
    human: Color,
    view: Color,
    movetime: u64,
    style: Style,
    strength: String,
    /// A result agreed on or given up, beyond what the rules say.
    agreed: Option<(&'static str, String)>,
    manners: Manners,
}

const HELP: &str = "  e4, Nf3, O-O, e2e4   play a move            moves      list your legal moves
  hint                 ask for a good move    undo       take your last move back
  eval                 who is better          go         let the engine move for you
  flip                 flip the board         board      draw it again
  level N              strength 0 to 20       elo N      strength as an Elo rating
  time MS              time per move          draw       offer a draw
  resign               resign the game        new        new game, colours swapped
  pgn, fen             show the game          save FILE  write it as PGN
  help                 this text              quit       leave";

impl Table {
    /// Sits down.
    pub fn new(engine: Engine, game: AnyGame, human: Color, movetime: u64, style: Style) -> Self {
        Self {
            engine,
            game,
            human,
            view: human,
            movetime: movetime.max(1),
            style,
            strength: "full strength".into(),
            agreed: None,
            manners: Manners::default(),
        }
    }

    /// Sets the strength by level.
    pub fn set_level(&mut self, level: u32) -> io::Result<()> {
        self.engine
            .set_option("Skill Level", &level.to_string())
            .and_then(|()| self.engine.set_option("UCI_LimitStrength", "false"))
            .map_err(io::Error::other)?;
        self.strength = if level >= 20 { "full strength".into() } else { format!("level {level}") };
        Ok(())
    }

    /// Sets the strength by rating.
    pub fn set_elo(&mut self, elo: u32) -> io::Result<()> {
        self.engine
            .set_option("UCI_Elo", &elo.to_string())
            .and_then(|()| self.engine.set_option("UCI_LimitStrength", "true"))
            .map_err(io::Error::other)?;
        self.strength = format!("about {elo} Elo");
        Ok(())
    }

    /// Plays until the person leaves or the lines end.
    pub fn run(&mut self, input: impl BufRead, out: &mut impl Write) -> io::Result<()> {
        self.greet(out)?;
        let mut lines = input.lines();
        loop {
            self.engine_turn(out)?;
            write!(out, "{}", self.prompt())?;
            out.flush()?;
            let line = match lines.next() {
                None => return writeln!(out),
                Some(Ok(line)) => line,
                // A byte that is no UTF-8 is a typing error, not the end of the game.
                Some(Err(error)) if error.kind() == io::ErrorKind::InvalidData => "?".to_owned(),
                Some(Err(error)) => return Err(error),
            };
            if !self.command(line.trim(), out)? {
                return Ok(());
            }
        }
    }

    /// The first words.
    fn greet(&self, out: &mut impl Write) -> io::Result<()> {
        let side = match self.human {
            Color::White => "White",
            Color::Black => "Black",
        };
        writeln!(
            out,
            "{}: you play {side} against Rukh at {}. Type 'help' for the commands.",
            self.title(),
            self.strength
        )?;
        self.show(out)
    }

    fn title(&self) -> &'static str {
        self.game.variant().title()
    }

    /// What stands before the cursor.
    fn prompt(&self) -> String {
        if self.over() {
            return "game over (new, undo, save FILE, quit) > ".into();
        }
        let side = match self.game.side_to_move() {
            Color::White => "White",
            Color::Black => "Black",
        };
        format!("{}. {side} > ", self.style.writing.number(self.game.fullmove()))
    }

    fn written(&self, mv: Move) -> String {
        self.game.written(mv, self.style.writing)
    }

    fn over(&self) -> bool {
        self.agreed.is_some() || self.game.finished().is_some()
    }

    fn result(&self) -> &'static str {
        match (&self.agreed, self.game.finished()) {
            (Some((result, _)), _) => result,
            (None, Some(outcome)) => outcome.result(),
            (None, None) => "*",
        }
    }

    /// Draws the board with what one must know: the count, a check, the end.
    fn show(&self, out: &mut impl Write) -> io::Result<()> {
        let last = self.game.moves().last().copied();
        write!(out, "\n{}", draw_board(&self.game, self.view, self.style.board, last))?;
        if let Some(count) = self.game.count() {
            let [spoken, last] = [count.spoken(), count.last_number()].map(|n| self.style.writing.number(n.into()));
            writeln!(out, "   count {spoken} / {last}")?;
        }
        if let Some((result, reason)) = &self.agreed {
            writeln!(out, "   {result}: {reason}")?;
        } else if let Some(outcome) = self.game.finished() {
            writeln!(out, "   {}: {outcome}", outcome.result())?;
        } else if self.game.checked_king().is_some() {
            writeln!(out, "   check!")?;
        }
        writeln!(out)?;
        Ok(())
    }

    /// The engine moves if it is its turn.
    fn engine_turn(&mut self, out: &mut impl Write) -> io::Result<()> {
        if self.over() || self.game.side_to_move() == self.human {
            return Ok(());
        }
        self.engine_move(out)
    }

    fn engine_move(&mut self, out: &mut impl Write) -> io::Result<()> {
        self.engine.set_game(self.game.clone()).map_err(io::Error::other)?;
        let known = self.engine.book_move(&Limits::default()).map(|mv| (mv, 0));
        let found = if known.is_some() { known } else { self.think()? };
        if let Some((mv, cp)) = found {
            self.manners.opinion = if self.game.side_to_move() == self.human { -cp } else { cp };
            let number = self.style.writing.number(self.game.fullmove());
            let dots = if self.game.side_to_move() == Color::White { "." } else { "..." };
            let san = self.written(mv);
            let (bold, normal) = if self.style.colours { ("\x1b[1m", "\x1b[0m") } else { ("", "") };
            writeln!(out, "{number}{dots} {bold}{san}{normal}")?;
            self.game.play(mv);
            self.show(out)?;
        }
        Ok(())
    }

    /// The engine's choice here and its opinion, in centipawns for the side to move.
    fn think(&self) -> io::Result<Option<(Move, i32)>> {
        self.engine.set_game(self.game.clone()).map_err(io::Error::other)?;
        let mut cp = 0;
        let limits = Limits { movetime: Some(self.movetime), ..Limits::default() };
        let result = self.engine.go(limits, |info| cp = info.centipawns());
        Ok(result.best_move.and_then(|best| self.game.parse_uci(&best).ok()).map(|mv| (mv, cp)))
    }

    /// Does what the human says; false means good-bye.
    fn command(&mut self, line: &str, out: &mut impl Write) -> io::Result<bool> {
        let (word, rest) = line.split_once(char::is_whitespace).map_or((line, ""), |(word, rest)| (word, rest.trim()));
        match word.to_ascii_lowercase().as_str() {
            "" => {}
            "help" | "h" | "?" => writeln!(out, "{HELP}")?,
            "quit" | "q" | "exit" | "bye" => return Ok(false),
            "board" => self.show(out)?,
            "flip" => {
                self.view = !self.view;
                self.show(out)?;
            }
            "fen" => writeln!(out, "{}", self.game.fen())?,
            "pgn" => write!(out, "{}", self.pgn()?)?,
            "save" => self.save(rest, out)?,
            "moves" => {
                let sans: Vec<String> = self.game.legal_moves().iter().map(|&mv| self.written(mv)).collect();
                writeln!(out, "{}", sans.join(" "))?;
            }
            "level" | "elo" | "time" => self.adjust(&word.to_ascii_lowercase(), rest, out)?,
            "undo" | "back" | "u" | "takeback" => self.undo(out)?,
            "new" => {
                self.engine.new_game();
                self.game = AnyGame::from(&self.game.start());
                self.human = !self.human;
                self.view = self.human;
                self.agreed = None;
                self.greet(out)?;
            }
            _ if self.over() => writeln!(out, "The game is over. Try 'new', 'undo', 'save FILE' or 'quit'.")?,
            "hint" | "eval" => self.advise(word, out)?,
            "go" => {
                self.human = !self.game.side_to_move();
                self.engine_move(out)?;
                self.human = self.game.side_to_move();
            }
            "draw" => self.offer_draw(out)?,
            "resign" => {
                let result = if self.human == Color::White { "0-1" } else { "1-0" };
                self.agreed = Some((result, "you resigned".into()));
                self.show(out)?;
            }
            _ => match self.game.parse_move(line) {
                Ok(mv) => {
                    self.game.play(mv);
                    if self.over() {
                        self.show(out)?;
                    }
                }
                Err(error) => writeln!(out, "{error} (type 'help' for commands, 'moves' for your legal moves)")?,
            },
        }
        Ok(true)
    }

    fn adjust(&mut self, word: &str, rest: &str, out: &mut impl Write) -> io::Result<()> {
        let Ok(number) = rest.parse::<u32>() else {
            writeln!(out, "'{word}' needs a number")?;
            return Ok(());
        };
        let done = match word {
            "level" => self.set_level(number),
            "elo" => self.set_elo(number),
            _ => {
                self.movetime = u64::from(number).max(1);
                Ok(())
            }
        };
        match done {
            Ok(()) => writeln!(out, "Rukh plays at {}, {} ms per move.", self.strength, self.movetime)?,
            Err(error) => writeln!(out, "{error}")?,
        }
        Ok(())
    }

    /// Takes back up to the human's last move.
    fn undo(&mut self, out: &mut impl Write) -> io::Result<()> {
        self.agreed = None;
        if self.game.undo().is_none() {
            writeln!(out, "There is nothing to take back.")?;
            return Ok(());
        }
        if self.game.side_to_move() != self.human {
            self.game.undo();
        }
        self.show(out)
    }

    fn advise(&mut self, word: &str, out: &mut impl Write) -> io::Result<()> {
        let Some((mv, cp)) = self.think()? else { return Ok(()) };
        if word == "hint" {
            writeln!(out, "How about {}?", self.written(mv))?;
            return Ok(());
        }
        let white = if self.game.side_to_move() == Color::White { cp } else { -cp };
        let words = match white {
            i32::MIN..-300 => "Black is winning",
            -300..-100 => "Black is clearly better",
            -100..-30 => "Black is a little better",
            -30..=30 => "about equal",
            31..=100 => "White is a little better",
            101..=300 => "White is clearly better",
            301.. => "White is winning",
        };
        writeln!(out, "{:+.2}: {words}", f64::from(white) / 100.0)?;
        Ok(())
    }

    fn offer_draw(&mut self, out: &mut impl Write) -> io::Result<()> {
        if self.manners.agrees_to_draw(self.game.fullmove()) {
            self.agreed = Some(("1/2-1/2", "draw agreed".into()));
            self.show(out)
        } else {
            writeln!(out, "Rukh would rather play on.")?;
            Ok(())
        }
    }

    fn pgn(&self) -> io::Result<String> {
        let you = ("you".to_owned(), format!("Rukh ({})", self.strength));
        let (white, black) = if self.human == Color::White { you } else { (you.1, you.0) };
        let mut tags = Tags::default();
        for (name, value) in [
            ("Event", "A game on the terminal"),
            ("Site", "?"),
            ("Date", &rukh_pgn::today()),
            ("Round", "-"),
            ("White", &white),
            ("Black", &black),
            ("Result", self.result()),
        ] {
            tags.set(name, value);
        }
        if self.game.variant() != Variant::Chess {
            tags.set("Variant", self.title());
        }
        let game = PgnGame {
            tags,
            start: self.game.start(),
            moves: self.game.moves().to_vec(),
            result: GameResult::from_tag(self.result().as_bytes()),
            ..PgnGame::default()
        };
        let mut writer = PgnWriter::new(Vec::new());
        writer.write_game(&game)?;
        Ok(String::from_utf8_lossy(&writer.finish()?).into_owned())
    }

    fn save(&self, file: &str, out: &mut impl Write) -> io::Result<()> {
        if file.is_empty() {
            writeln!(out, "'save' needs a file name")?;
            return Ok(());
        }
        let text = self.pgn()?;
        // Append: a game saved before is not lost.
        let text = format!("{}\n\n", text.trim_end());
        match AppendFile::open(file).and_then(|mut file| file.add(&text)) {
            Ok(()) => writeln!(out, "Saved to {file}.")?,
            Err(error) => writeln!(out, "Cannot write {file}: {error}")?,
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rukh_engine::Options;

    fn table(human: Color) -> Table {
        let style = Style { board: BoardStyle::Figures, colours: false, writing: Writing::default() };
        Table::new(Engine::new(Options::default()).unwrap(), AnyGame::new(Variant::Chess), human, 20, style)
    }

    fn say(table: &mut Table, line: &str) -> String {
        let mut out = Vec::new();
        assert!(table.command(line, &mut out).unwrap());
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn a_short_game() {
        let mut table = table(Color::White);
        assert_eq!(table.prompt(), "1. White > ");
        assert!(say(&mut table, "Ke5").contains("help"));
        assert!(say(&mut table, "moves").contains("Nf3"));
        say(&mut table, "e4");
        let mut out = Vec::new();
        table.engine_turn(&mut out).unwrap();
        assert!(String::from_utf8(out).unwrap().starts_with("1... "));
        assert_eq!(table.game.moves().len(), 2);
        assert!(say(&mut table, "hint").starts_with("How about "));
        say(&mut table, "undo");
        assert_eq!(table.game.moves().len(), 0);
        assert!(say(&mut table, "undo").contains("nothing"));
        assert!(say(&mut table, "level x").contains("number"));
        assert!(say(&mut table, "level 3").contains("level 3"));
        assert!(say(&mut table, "level 99").len() > 5);
        assert!(say(&mut table, "resign").contains("0-1"));
        assert!(say(&mut table, "e4").contains("over"));
        assert!(say(&mut table, "pgn").contains("[Result \"0-1\"]"));
        assert!(say(&mut table, "save").contains("file name"));
        say(&mut table, "new");
        assert_eq!(table.human, Color::Black);
    }

    #[test]
    fn mate_ends_the_game() {
        let mut table = table(Color::White);
        table.game = AnyGame::from_fen(Variant::Chess, "6k1/5ppp/8/8/8/8/8/R3K3 w Q - 0 1").unwrap();
        let shown = say(&mut table, "Ra8");
        assert!(shown.contains("1-0"), "{shown}");
        assert!(table.prompt().starts_with("game over"));
    }
}
