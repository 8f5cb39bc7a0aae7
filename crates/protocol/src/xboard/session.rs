//! One dialogue with an XBoard-like GUI: the state, and what each command does to it.

use std::fmt::Write as _;
use std::sync::atomic::{AtomicBool, AtomicI32, AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, mpsc};
use std::thread::JoinHandle;

use rukh_core::{AnyGame, Color, Move, Variant};
use rukh_engine::{Engine, EngineError, GoResult, Info, Limits, Manners, OPTIONS, OptionKind, Options};

use rukh_store::codes::resolve;

use super::Event;
use super::clock::Clocks;
use super::command::{self, Command};
use crate::game::{OwnBook, OwnMemory};
use crate::{Output, guarded};

/// Whose moves the engine makes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mode {
    /// Nobody's.
    Force,
    /// One side's.
    Play(Color),
    /// None, but it thinks aloud.
    Analyze,
}

/// Why the engine thinks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Purpose {
    /// Its own move.
    Move,
    /// On the opponent's time, about the reply it expects.
    Ponder(Move),
    /// Analysis.
    Analyze,
}

struct Thinking {
    id: u64,
    purpose: Purpose,
    thread: JoinHandle<()>,
}

/// What the searching thread leaves for `.`, `draw` and the thinking output.
#[derive(Default)]
struct Shared {
    post: AtomicBool,
    /// Centipawns for the side to move in the last report.
    score: AtomicI32,
    depth: AtomicU32,
    nodes: AtomicU64,
    time: AtomicU64,
}

/// The state behind one pair of pipes.
pub(super) struct Session {
    engine: Engine,
    output: Arc<Output>,
    sender: mpsc::Sender<Event>,
    shared: Arc<Shared>,
    game: AnyGame,
    mode: Mode,
    clock: Clocks,
    ponder: bool,
    thinking: Option<Thinking>,
    searches: u64,
    /// Pings that wait for our move.
    pings: Vec<String>,
    /// The reply we expect, for `hint`.
    expected: Option<String>,
    /// The result was told: no more moves.
    over: bool,
}

impl Session {
    pub fn new(sender: mpsc::Sender<Event>, output: Arc<Output>) -> Result<Self, EngineError> {
        let shared = Arc::new(Shared::default());
        shared.post.store(true, Ordering::Relaxed);
        let engine = Engine::new(Options::default())?;
        engine.attach_book(OwnBook::default());
        engine.attach_memory_files(OwnMemory);
        Ok(Self {
            engine,
            output,
            sender,
            shared,
            game: AnyGame::new(Variant::Chess),
            mode: Mode::Force,
            clock: Clocks::default(),
            ponder: false,
            thinking: None,
            searches: 0,
            pings: Vec::new(),
            expected: None,
            over: false,
        })
    }

    /// Acts on what happened; false means `quit`.
    pub fn hear(&mut self, event: Event) -> bool {
        match event {
            Event::Eof => return false,
            Event::Done { id, result } => self.done(id, result),
            Event::Line(line) => match command::parse(&line) {
                Ok(None) => {}
                Ok(Some(Command::Quit)) => return false,
                Ok(Some(command)) => {
                    if let Err(message) = guarded(|| self.act(command)) {
                        self.output.line(&message);
                    }
                }
                Err(error) => {
                    let line: String = line.trim().chars().filter(|c| !c.is_control()).take(200).collect();
                    self.output.line(&format!("Error ({error}): {line}"));
                }
            },
        }
        !self.output.closed()
    }

    /// Ends what runs.
    pub fn finish(&mut self) {
        self.abandon();
        // What was learned is written before the process ends.
        self.engine.close_memory();
    }

    fn act(&mut self, command: Command) -> Result<(), String> {
        match command {
            Command::XBoard | Command::Ignored | Command::NodeRate(_) => {}
            // Lines that begin with a blank are shown to the user; a blank line ends them.
            Command::Book => {
                let known = self.engine.book_moves(&self.game);
                let lines = known.iter().map(|(mv, weight)| format!(" {} {weight}\n", self.game.san(*mv)));
                self.output.line(&lines.collect::<String>());
            }
            Command::ProtoVer(version) => {
                if version >= 2 {
                    self.output.line(&features(&self.engine));
                }
            }
            Command::New => self.new_game(Variant::Chess)?,
            Command::Variant(name) => {
                self.new_game(name.parse().map_err(|_| format!("Error (unsupported variant): {name}"))?)?;
            }
            Command::Quit => {}
            Command::Force | Command::Exit => {
                self.abandon();
                self.mode = Mode::Force;
            }
            Command::Go => {
                self.abandon();
                self.mode = Mode::Play(self.game.side_to_move());
                self.think();
            }
            Command::PlayOther => {
                self.abandon();
                self.mode = Mode::Play(!self.game.side_to_move());
                self.start_pondering();
            }
            Command::SideToMove(white) => {
                // Protocol 1: the engine takes the other side and waits for `go` or a move.
                let other = if white { Color::Black } else { Color::White };
                self.abandon();
                self.mode = Mode::Play(other);
            }
            Command::Level { moves, base, inc } => self.clock.level(moves, base, inc),
            Command::MoveTime(millis) => self.clock.exact(millis),
            Command::Depth(depth) => self.clock.depth(depth),
            Command::Time(millis) => self.clock.set(true, millis),
            Command::OppTime(millis) => self.clock.set(false, millis),
            Command::Move(text) => self.user_move(&text)?,
            Command::MoveNow => {
                if self.thinking.as_ref().is_some_and(|thinking| thinking.purpose == Purpose::Move) {
                    self.engine.stop();
                }
            }
            Command::Ping(n) => {
                // Commands before a ping must be finished; our own move is one of them, pondering is not.
                if self.thinking.as_ref().is_some_and(|thinking| thinking.purpose == Purpose::Move) {
                    self.pings.push(n);
                } else {
                    self.output.line(&format!("pong {n}"));
                }
            }
            Command::Draw => {
                let ours = matches!(self.mode, Mode::Play(_));
                let manners = Manners { opinion: self.shared.score.load(Ordering::Relaxed) };
                if ours && manners.agrees_to_draw(self.game.fullmove()) {
                    self.output.line("offer draw");
                }
            }
            Command::Result(_) => {
                self.abandon();
                self.mode = Mode::Force;
                self.over = true;
            }
            Command::SetBoard(fen) => {
                let variant = self.game.variant();
                let game = resolve(variant, &fen)
                    .map_err(|error| error.to_string())
                    .and_then(|fen| AnyGame::from_fen(variant, &fen).map_err(|error| error.reason.to_string()))
                    .map_err(|error| format!("tellusererror Illegal position: {error}"))?;
                self.change(|session| session.game = game);
            }
            Command::Hint => {
                if let Some(hint) = self.hint() {
                    self.output.line(&format!("Hint: {hint}"));
                }
            }
            Command::Undo => self.take_back(1, "undo")?,
            Command::Remove => self.take_back(2, "remove")?,
            Command::Ponder(on) => {
                self.ponder = on;
                if !on && matches!(self.thinking, Some(Thinking { purpose: Purpose::Ponder(_), .. })) {
                    self.abandon();
                }
            }
            Command::Post(on) => self.shared.post.store(on, Ordering::Relaxed),
            Command::Analyze => {
                self.abandon();
                self.mode = Mode::Analyze;
                self.think();
            }
            Command::Status => {
                let shared = &self.shared;
                self.output.line(&format!(
                    "stat01: {} {} {} 0 0",
                    shared.time.load(Ordering::Relaxed) / 10,
                    shared.nodes.load(Ordering::Relaxed),
                    shared.depth.load(Ordering::Relaxed)
                ));
            }
            Command::Memory(megabytes) => self.set_option("Hash", &megabytes.max(1).to_string())?,
            Command::Cores(cores) => self.set_option("Threads", &cores.max(1).to_string())?,
            Command::TablePath(kind, path) => {
                if kind != "syzygy" {
                    return Err(format!("Error (unsupported tables): {kind}"));
                }
                self.set_option("SyzygyPath", &path)?;
            }
            Command::Option(name, value) => {
                // XBoard writes check boxes as 0 and 1.
                let check = OPTIONS.iter().any(|option| {
                    option.name.eq_ignore_ascii_case(&name) && matches!(option.kind, OptionKind::Check { .. })
                });
                let value = match value.as_deref() {
                    Some("0") if check => "false",
                    Some("1") if check => "true",
                    other => other.unwrap_or_default(),
                };
                self.set_option(&name, value)?;
            }
        }
        Ok(())
    }

    fn new_game(&mut self, variant: Variant) -> Result<(), String> {
        self.abandon();
        // An analysis ends here: it must not be taken up again between one option and the next.
        self.mode = Mode::Force;
        if variant != self.game.variant() {
            self.set_option("UCI_Chess960", "false")?;
            self.set_option("UCI_Variant", variant.name())?;
        }
        self.engine.new_game();
        self.game = AnyGame::new(variant);
        self.mode = Mode::Play(Color::Black);
        self.clock.new_game();
        self.expected = None;
        self.over = false;
        Ok(())
    }

    fn set_option(&mut self, name: &str, value: &str) -> Result<(), String> {
        // A running search is interrupted and taken up again.
        let mut result = Ok(Vec::new());
        self.change(|session| result = session.engine.configure(name, value));
        let said = result.map_err(|error| match error {
            EngineError::Book(error) => format!("tellusererror {error}"),
            error => format!("Error ({error}): option {name}"),
        })?;
        said.iter().for_each(|said| self.output.line(&format!("# {said}")));
        Ok(())
    }

    /// Changes something the search depends on; analysis goes on afterwards.
    fn change(&mut self, change: impl FnOnce(&mut Self)) {
        let purpose = self.thinking.as_ref().map(|thinking| thinking.purpose);
        self.abandon();
        change(self);
        self.expected = None;
        if self.mode == Mode::Analyze || purpose == Some(Purpose::Move) {
            self.think();
        }
    }

    fn take_back(&mut self, plies: usize, word: &str) -> Result<(), String> {
        if self.game.moves().len() < plies {
            return Err(format!("Error (nothing to take back): {word}"));
        }
        self.over = false;
        if self.mode != Mode::Analyze {
            self.abandon();
        }
        self.change(|session| {
            for _ in 0..plies {
                session.game.undo();
            }
        });
        Ok(())
    }

    fn user_move(&mut self, text: &str) -> Result<(), String> {
        if self.over && self.mode != Mode::Analyze {
            return Err(format!("Illegal move (the game is over): {text}"));
        }
        if self.mode == Mode::Play(self.game.side_to_move()) && self.thinking.is_some() {
            return Err(format!("Illegal move (not your turn): {text}"));
        }
        let Ok(mv) = self.game.parse_move(text) else {
            return Err(format!("Illegal move: {text}"));
        };
        if let Some(thinking) = &mut self.thinking
            && thinking.purpose == Purpose::Ponder(mv)
        {
            // As expected: the search goes on as our own.
            thinking.purpose = Purpose::Move;
            self.game.play(mv);
            self.engine.ponderhit();
            return Ok(());
        }
        self.abandon();
        self.game.play(mv);
        self.expected = None;
        // An analysis goes on through draws that the players may claim.
        if self.mode != Mode::Analyze && self.announce_end() {
            return Ok(());
        }
        if self.mode == Mode::Analyze || self.mode == Mode::Play(self.game.side_to_move()) {
            self.think();
        }
        Ok(())
    }

    /// Says how the game ended, if it did.
    fn announce_end(&mut self) -> bool {
        let Some(outcome) = self.game.outcome() else { return false };
        self.over = true;
        self.output.line(&format!("{} {{{outcome}}}", outcome.result()));
        true
    }

    fn own_moves(&self, us: Color) -> u32 {
        let first = self.game.start().side_to_move();
        let plies = self.game.moves().len() as u32;
        if first == us { plies.div_ceil(2) } else { plies / 2 }
    }

    /// Starts the search that the mode asks for.
    fn think(&mut self) {
        let us = self.game.side_to_move();
        let (purpose, limits) = match self.mode {
            Mode::Analyze => (Purpose::Analyze, Limits { infinite: true, ..Limits::default() }),
            Mode::Play(side) if side == us => (Purpose::Move, self.clock.limits(us, self.own_moves(us))),
            _ => return,
        };
        if self.game.legal_moves().is_empty() {
            if purpose == Purpose::Move {
                self.announce_end();
            }
            return;
        }
        self.search(self.game.clone(), purpose, limits);
    }

    fn start_pondering(&mut self) {
        let Some(expected) = self.expected.clone().filter(|_| self.ponder) else { return };
        let Ok(mv) = self.game.parse_uci(&expected) else { return };
        let mut game = self.game.clone();
        game.play(mv);
        if game.finished().is_some() {
            return;
        }
        let us = game.side_to_move();
        let limits = Limits { ponder: true, ..self.clock.limits(us, self.own_moves(us)) };
        self.search(game, Purpose::Ponder(mv), limits);
    }

    fn search(&mut self, game: AnyGame, purpose: Purpose, limits: Limits) {
        if let Err(error) = self.engine.set_game(game) {
            self.output.line(&format!("tellusererror {error}"));
            return;
        }
        if let Some(mv) = self.engine.book_move(&limits) {
            self.expected = None;
            self.answer(mv);
            return;
        }
        self.searches += 1;
        let id = self.searches;
        let (output, shared, sender) = (Arc::clone(&self.output), Arc::clone(&self.shared), self.sender.clone());
        let mut text = String::with_capacity(1024);
        let on_info = move |info: &Info| {
            shared.score.store(info.centipawns(), Ordering::Relaxed);
            shared.depth.store(info.depth, Ordering::Relaxed);
            shared.nodes.store(info.nodes, Ordering::Relaxed);
            shared.time.store(info.time_ms, Ordering::Relaxed);
            if shared.post.load(Ordering::Relaxed) {
                text.clear();
                thinking_line(&mut text, info);
                output.line(&text);
            }
        };
        let warned = Arc::clone(&self.output);
        let on_done = move |result: GoResult| {
            result.warnings.iter().for_each(|warning| warned.line(&format!("tellusererror {warning}")));
            // The session may be gone already.
            let _ = sender.send(Event::Done { id, result });
        };
        match self.engine.go_async(limits, on_info, on_done) {
            Ok(thread) => self.thinking = Some(Thinking { id, purpose, thread }),
            Err(error) => self.output.line(&format!("tellusererror {error}")),
        }
    }

    /// Stops a search and forgets its result; pings that waited for it are answered.
    fn abandon(&mut self) {
        if let Some(thinking) = self.thinking.take() {
            self.engine.stop();
            let _ = thinking.thread.join();
        }
        self.answer_pings();
    }

    fn answer_pings(&mut self) {
        for n in std::mem::take(&mut self.pings) {
            self.output.line(&format!("pong {n}"));
        }
    }

    fn done(&mut self, id: u64, result: GoResult) {
        // An abandoned search may still report.
        let Some(thinking) = self.thinking.take_if(|thinking| thinking.id == id) else { return };
        let _ = thinking.thread.join();
        if let Some(error) = &result.error {
            self.output.line(&format!("tellusererror {error}"));
        }
        if thinking.purpose == Purpose::Move
            && let Some(mv) = result.best_move.and_then(|best| self.game.parse_uci(&best).ok())
        {
            self.expected = result.ponder;
            self.answer(mv);
        }
        self.answer_pings();
    }

    /// Plays our move.
    fn answer(&mut self, mv: Move) {
        self.output.line(&format!("move {}", self.move_text(mv)));
        self.game.play(mv);
        if !self.announce_end() {
            self.start_pondering();
        }
    }

    /// Chess960 castling is written as people write it; all else as coordinates.
    fn move_text(&self, mv: Move) -> String {
        match (self.game.variant(), mv.is_castle()) {
            (Variant::Chess960, true) => self.game.san(mv).trim_end_matches(['+', '#']).to_owned(),
            _ => self.game.uci(mv),
        }
    }

    /// The expected reply, or what a short search finds.
    fn hint(&mut self) -> Option<String> {
        if let Some(expected) = &self.expected {
            return Some(expected.clone());
        }
        if self.thinking.is_some() || self.game.finished().is_some() {
            return None;
        }
        self.engine.set_game(self.game.clone()).ok()?;
        self.engine.go(Limits::movetime(200), |_| {}).best_move
    }
}

/// `ply score time nodes pv`: centipawns, centiseconds; mates are 100000 and more.
fn thinking_line(text: &mut String, info: &Info) {
    let score = match info.mate() {
        Some(moves) if moves > 0 => 100_000 + moves,
        Some(moves) => -100_000 + moves,
        None => info.centipawns(),
    };
    let _ = write!(text, "{} {score} {} {}", info.depth, info.time_ms / 10, info.nodes);
    if !info.pv.moves().is_empty() {
        let _ = write!(text, " {}", info.pv);
    }
}

/// The answer to `protover 2`.
fn features(engine: &Engine) -> String {
    let mut text = format!(
        "feature done=0\nfeature myname=\"Rukh {}\" variants=\"normal,fischerandom,makruk\"\n\
         feature ping=1 setboard=1 playother=1 san=0 usermove=1 time=1 draw=1 sigint=0 sigterm=0 reuse=1\n\
         feature analyze=1 colors=0 ics=0 name=0 pause=0 nps=0 debug=1 memory=1 smp=1 egt=\"syzygy\"",
        env!("CARGO_PKG_VERSION")
    );
    for option in engine.option_list() {
        // These have commands of their own.
        let name = &option.name;
        if ["Hash", "Threads", "SyzygyPath", "Ponder", "MultiPV"].contains(name)
            || ["UCI_Variant", "UCI_Chess960", "UCI_ShowWDL"].contains(name)
        {
            continue;
        }
        let kind = match &option.kind {
            OptionKind::Spin { default, min, max } => format!("-spin {default} {min} {max}"),
            OptionKind::Check { default } => format!("-check {}", u8::from(*default)),
            OptionKind::Text { default } => format!("-string {default}"),
            OptionKind::Combo { default, choices } => {
                let marked = choices.iter().map(|v| if v == default { format!("*{v}") } else { v.to_string() });
                format!("-combo {}", marked.collect::<Vec<_>>().join(" /// "))
            }
            OptionKind::Button => "-button".into(),
        };
        text += &format!("\nfeature option=\"{name} {kind}\"");
    }
    text + "\nfeature done=1"
}
