//! Other people's UCI engines, for a page that asks for one by name.
//!
//! Only engines of the command line run. One runs as long as its session: it is started by `hello`, started anew when it has
//! died, and killed when the session ends. It may be silent, crash or talk nonsense: a page is told, and nothing else happens.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use rukh_api::guest::{GuestReporter, greeting};
use rukh_api::{Json, limits, message, named_variant};
use rukh_arena::UciOption;
use rukh_arena::process::{Failure, Patience, Process};
use rukh_arena::roster::{self, set};
use rukh_arena::spec::{EngineSpec, same_name};
use rukh_core::{AnyGame, Variant};
use rukh_engine::{EngineError, Limits, lock, read_game};

use crate::session::{BETWEEN_REPORTS, MOST_LINES, Send};
use crate::words;

/// How often a search looks whether it is to end.
const LOOK: Duration = Duration::from_millis(20);
/// What a page may set; everything else is set where the server is started.
const SETTABLE: [&str; 5] = ["Hash", "Threads", "MultiPV", "UCI_LimitStrength", "UCI_Elo"];

/// Reads engines as `rukh match` spells them; each gets a name of its own.
pub fn guests(texts: &[String]) -> Result<Vec<EngineSpec>, String> {
    let mut guests: Vec<EngineSpec> = Vec::new();
    for text in texts {
        let mut spec = EngineSpec::parse(text, "").map_err(|error| format!("--engine: {error}"))?;
        spec.name = spec.fallback_name();
        if guests.iter().any(|known| known.name == spec.name) || spec.name.eq_ignore_ascii_case("rukh") {
            return Err(format!("--engine: there is an engine called {} already: give this one a name=…", spec.name));
        }
        guests.push(spec);
    }
    Ok(guests)
}

/// A running engine, and the variant that it was made ready for.
struct Running {
    process: Process,
    variant: Variant,
    lines: usize,
}

/// An engine of a session.
pub struct Guest {
    spec: EngineSpec,
    patience: Duration,
    running: Arc<Mutex<Option<Running>>>,
    /// What it offers, from its first start.
    offered: Vec<UciOption>,
    name: String,
    game: AnyGame,
    variant: Variant,
    /// What the page has set, in order.
    set: Vec<(String, String)>,
    stop: Arc<AtomicBool>,
    busy: Arc<AtomicBool>,
}

impl Guest {
    /// Starts an engine.
    pub fn start(spec: EngineSpec, patience: Duration) -> Result<Guest, String> {
        let mut guest = Guest {
            name: spec.name.clone(),
            spec,
            patience,
            running: Arc::default(),
            offered: Vec::new(),
            game: AnyGame::new(Variant::Chess),
            variant: Variant::Chess,
            set: Vec::new(),
            stop: Arc::default(),
            busy: Arc::default(),
        };
        let process = guest.spawn()?;
        if let Some(name) = &process.id_name {
            guest.name.clone_from(name);
        }
        guest.offered.clone_from(&process.options);
        *lock(&guest.running) = Some(Running { process, variant: Variant::Chess, lines: 1 });
        Ok(guest)
    }

    /// The answer to `hello`.
    pub fn hello(&self, threads: usize, hash: usize) -> String {
        greeting(&self.name, threads, hash, self.option("UCI_Elo").and_then(|option| option.range))
    }

    pub fn is_searching(&self) -> bool {
        self.busy.load(Ordering::Acquire)
    }

    /// Asks the search to end; it is over when its thread is.
    pub fn stop(&self) {
        self.stop.store(true, Ordering::Release);
    }

    fn option(&self, name: &str) -> Option<&UciOption> {
        self.offered.iter().find(|option| same_name(&option.name, name))
    }

    /// What went wrong, with the name that the person at the page knows.
    fn words(&self, failure: &Failure) -> String {
        words::guest(failure, &self.spec.name, &self.spec.command)
    }

    fn spawn(&self) -> Result<Process, String> {
        let patience = Patience { start: self.patience, stall: self.patience, grace: self.patience };
        let never = AtomicBool::new(false);
        let mut process = roster::start(&self.spec, &self.spec.name, self.variant, patience, None, &never)
            .map_err(|failure| self.words(&failure))?;
        for (name, value) in &self.set {
            process.send(&set(name, value)).map_err(|failure| self.words(&failure))?;
        }
        Ok(process)
    }

    /// Requests but `hello`, `go` and `stop`. Returns the value of `done`.
    pub fn request(&mut self, request: &Json) -> Result<String, String> {
        let words = |error: EngineError| error.to_string();
        match request.str("do").ok_or("the request has no `do`")? {
            "position" => {
                let variant = named_variant(request)?.unwrap_or(self.variant);
                let moves = request.get("moves").map_or(&[][..], Json::list);
                let moves = moves.iter().map(|mv| mv.text().unwrap_or_default());
                let game = read_game(variant, request.str("fen").unwrap_or("startpos"), moves).map_err(words)?;
                let settings = roster::settings(&self.spec, variant, &self.offered);
                if let Some(error) = settings.errors.first() {
                    return Err(format!("{}: {error}", self.spec.name));
                }
                (self.game, self.variant) = (game, variant);
            }
            "makeMove" => {
                let uci = request.str("uci").unwrap_or_default();
                let mv = self.game.position().parse_uci(uci).map_err(|error| error.to_string())?;
                self.game.play(mv);
            }
            "newGame" => {
                self.game = AnyGame::new(self.variant);
                if let Some(running) = &mut *lock(&self.running) {
                    running.process.send("ucinewgame").map_err(|failure| self.words(&failure))?;
                }
            }
            "option" => self.set(
                request.str("name").ok_or("the request has no `name`")?,
                request.str("value").unwrap_or_default().trim(),
            )?,
            "ask" => return rukh_api::answer_json(request.get("question").ok_or("the request has no `question`")?),
            other => return Err(format!("there is no request `{}`", other.chars().take(40).collect::<String>())),
        }
        Ok("{}".into())
    }

    /// Sets an option. What the engine does not have is left, unless it would make it play another strength.
    pub fn set(&mut self, name: &str, value: &str) -> Result<(), String> {
        if !SETTABLE.iter().any(|known| same_name(known, name)) {
            return Err(format!("{name} is set where the server is started"));
        }
        let Some(option) = self.option(name) else {
            let limits = same_name(name, "UCI_LimitStrength") && value == "true";
            return if limits { Err(format!("{} plays at full strength only", self.spec.name)) } else { Ok(()) };
        };
        let value = match (option.range, value.parse::<i64>()) {
            (Some((least, most)), Ok(number)) if least <= most => number.clamp(least, most).to_string(),
            _ => value.to_owned(),
        };
        if let Some(why) = option.reject(&value) {
            return Err(format!("{name}={value}: {why}"));
        }
        let name = option.name.clone();
        if let Some(running) = &mut *lock(&self.running) {
            running.process.send(&set(&name, &value)).map_err(|failure| self.words(&failure))?;
        }
        self.set.retain(|(known, _)| *known != name);
        self.set.push((name, value));
        Ok(())
    }

    /// Begins a search; `send` gets its reports and its answer, `after` is called before the answer goes out.
    pub fn go(
        &mut self,
        id: u64,
        request: &Json,
        longest: Duration,
        send: Send,
        after: impl FnOnce() + std::marker::Send + 'static,
    ) -> Result<JoinHandle<()>, String> {
        let root = self.game.position();
        let limits = limits(request, &root)?;
        let many = limits.multipv.clamp(1, MOST_LINES);
        // Another variant, or an engine that has died: a fresh one.
        let mut running = lock(&self.running).take().filter(|running| running.variant == self.variant);
        if running.is_none() {
            running = Some(Running { process: self.spawn()?, variant: self.variant, lines: 1 });
        }
        let Some(mut running) = running else { return Err("no engine".into()) };
        let mut commands = Vec::new();
        if running.lines != many && self.option("MultiPV").is_some() {
            running.lines = many;
            commands.push(set("MultiPV", &many.to_string()));
        }
        commands.push(position_command(&self.game));
        commands.push(go_command(&limits, &root));
        let (place, stop, busy) = (self.running.clone(), self.stop.clone(), self.busy.clone());
        let (name, grace) = (self.spec.name.clone(), self.patience);
        stop.store(false, Ordering::Release);
        busy.store(true, Ordering::Release);
        let search = move || {
            let mut reporter = GuestReporter::new(root);
            let end = Instant::now() + longest;
            let told = watch(&mut running.process, &commands, &mut reporter, id, &send, &stop, end, grace);
            let message = match told.map_err(|failure| failure.to_string()).and_then(|best| reporter.result(&best)) {
                Ok(result) => {
                    *lock(&place) = Some(running);
                    message::done(id, &result)
                }
                // It is not asked again: dropped, it is killed, and the next search starts another.
                Err(why) => message::refusal(id, &format!("{name} {why}")),
            };
            after();
            busy.store(false, Ordering::Release);
            send(message);
        };
        let spawned = std::thread::Builder::new().name("guest".into()).spawn(search);
        spawned.map_err(|_| {
            self.busy.store(false, Ordering::Release);
            "no thread for the search".to_owned()
        })
    }
}

/// Lets the engine search; returns what it says behind `bestmove`.
#[expect(clippy::too_many_arguments, reason = "one call, and each is another thing")]
fn watch(
    process: &mut Process,
    commands: &[String],
    reporter: &mut GuestReporter,
    id: u64,
    send: &Send,
    stop: &AtomicBool,
    end: Instant,
    grace: Duration,
) -> Result<String, Failure> {
    for command in commands {
        process.send(command)?;
    }
    let mut last: [Option<Instant>; MOST_LINES] = [None; MOST_LINES];
    let mut stopped: Option<Instant> = None;
    loop {
        let now = Instant::now();
        match stopped {
            None if stop.load(Ordering::Acquire) || now >= end => {
                process.send("stop")?;
                stopped = Some(now);
            }
            Some(at) if now > at + grace => return Err(Failure::Hang("stop".into())),
            _ => {}
        }
        let Some(line) = process.line(LOOK)? else { continue };
        if let Some(best) = line.trim_start().strip_prefix("bestmove") {
            return Ok(best.trim().to_owned());
        }
        let Some((number, text)) = reporter.info(&line) else { continue };
        let last = &mut last[number - 1];
        if last.is_none_or(|last| last.elapsed() >= BETWEEN_REPORTS) {
            *last = Some(now);
            send(message::info(id, &text));
        }
    }
}

fn position_command(game: &AnyGame) -> String {
    let moves = game.moves_uci();
    let line = if moves.is_empty() { String::new() } else { format!(" moves {}", moves.join(" ")) };
    format!("position fen {}{line}", game.start().fen())
}

fn go_command(limits: &Limits, root: &rukh_core::AnyPosition) -> String {
    let mut text = String::from("go");
    let mut say = |name: &str, value: Option<u64>| {
        if let Some(value) = value {
            text += &format!(" {name} {value}");
        }
    };
    say("depth", limits.depth.map(u64::from));
    say("nodes", limits.nodes);
    say("movetime", limits.movetime);
    if limits.time != [None; 2] {
        for (i, names) in [["wtime", "winc"], ["btime", "binc"]].iter().enumerate() {
            say(names[0], Some(limits.time[i].unwrap_or(0)));
            say(names[1], Some(limits.inc[i]));
        }
        say("movestogo", limits.movestogo.map(u64::from));
    }
    say("mate", limits.mate.map(u64::from));
    if limits.infinite {
        text += " infinite";
    }
    if !limits.searchmoves.is_empty() {
        let moves: Vec<String> = limits.searchmoves.iter().map(|&mv| root.uci(mv)).collect();
        text += &format!(" searchmoves {}", moves.join(" "));
    }
    text
}
