//! One connection to the native engine: requests in, answers out, within bounds.
//!
//! A session is a thread that takes the requests in order. A search runs beside it, so that `stop` is heard at once. Whatever
//! goes wrong in either ends this session and no other.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use rukh_api::message::{self, done, farewell, refusal};
use rukh_api::{Host, Json, Reporter, limits, named_variant};
use rukh_engine::{Engine, EngineError, GoResult, Info, OptionKind, OptionSpec, Options, lock};

use crate::config::EngineConfig;
use crate::guest::Guest;
use crate::seats::{Seat, Share};
use crate::words;

/// Reports of a line come no faster than this.
pub(crate) const BETWEEN_REPORTS: Duration = Duration::from_millis(90);
/// Most lines of one search.
pub(crate) const MOST_LINES: usize = 32;
/// Mebibytes of a table, for those who do not say.
const HASH: u64 = 64;
/// How often a running search is looked at: one that has died says nothing.
const LOOK: Duration = Duration::from_millis(250);
/// What the page hears when the program has a fault.
const FAULT: &str = "the engine had a fault: this session is closed";

/// What comes from the socket.
pub enum Event {
    /// A message.
    Text(String),
    /// The session is to end, for a reason; and whether the page may open another.
    End(&'static str, bool),
}

/// Takes a message for the page; false when nobody reads any more.
pub type Send = Arc<dyn Fn(String) -> bool + std::marker::Send + Sync>;

/// What a session is given.
pub struct Terms {
    pub config: Arc<EngineConfig>,
    pub seat: Arc<Seat>,
    pub share: Share,
    /// Whether the page is on another computer: nothing is learned from it.
    pub remote: bool,
}

struct Session {
    terms: Terms,
    /// There is none before `hello`: who says nothing costs nothing.
    host: Option<Host>,
    /// Another engine, which answers instead of our own.
    guest: Option<Guest>,
    send: Send,
    search: Option<Search>,
    /// The search died: the engine may not be what it was.
    broken: bool,
}

struct Search {
    id: u64,
    thread: JoinHandle<()>,
    /// When it has lasted long enough.
    end: Instant,
}

/// Serves one connection until its events end.
pub fn run(terms: Terms, events: Receiver<Event>, send: Send) {
    let mut session = Session { terms, host: None, guest: None, send: send.clone(), search: None, broken: false };
    // The session is dropped inside: a panic in there is caught too.
    if catch_unwind(AssertUnwindSafe(move || session.serve(&events))).is_err() {
        tracing::error!("a session has panicked and was closed");
        send(refusal(0, FAULT));
    }
}

fn engine(terms: &Terms, threads: usize, hash: usize) -> Result<Engine, EngineError> {
    let config = &terms.config;
    let memory = !terms.remote && (config.chess_memory.is_some() || config.makruk_memory.is_some());
    let engine = Engine::new(Options {
        threads,
        hash,
        syzygy_path: config.syzygy.clone(),
        makruk_tables: config.makruk_tables.clone(),
        learn: memory,
        ..Options::default()
    })?;
    if memory {
        engine.set_chess_memory(config.chess_memory.clone());
        engine.set_makruk_memory(config.makruk_memory.clone());
    }
    Ok(engine)
}

impl Session {
    fn serve(&mut self, events: &Receiver<Event>) {
        while !self.broken {
            let event = match &self.search {
                Some(search) => events.recv_timeout(LOOK.min(search.end.saturating_duration_since(Instant::now()))),
                None => events.recv().map_err(|_| RecvTimeoutError::Disconnected),
            };
            match event {
                Ok(Event::Text(text)) => {
                    self.terms.seat.asked();
                    self.handle(&text);
                }
                Err(RecvTimeoutError::Timeout) => match &self.search {
                    Some(search) if search.end <= Instant::now() => self.stop(),
                    Some(search) if search.thread.is_finished() => self.join(),
                    _ => {}
                },
                Ok(Event::End(why, again)) => {
                    self.stop();
                    (self.send)(farewell(why, again));
                    return;
                }
                Err(RecvTimeoutError::Disconnected) => {
                    self.stop();
                    return;
                }
            }
        }
        (self.send)(refusal(0, FAULT));
    }

    fn handle(&mut self, text: &str) {
        let (id, result) = match Json::parse(text) {
            Err(error) => (0, Err(error.to_string())),
            Ok(request) => match request.uint("id") {
                None => (0, Err("the request has no number `id`".into())),
                Some(id) => (id, self.request(id, &request)),
            },
        };
        let message = match result {
            Ok(Some(told)) => done(id, &told),
            // Answered when the search has ended.
            Ok(None) => return,
            Err(error) => refusal(id, &error),
        };
        (self.send)(message);
    }

    fn request(&mut self, id: u64, request: &Json) -> Result<Option<String>, String> {
        let word = request.str("do").ok_or("the request has no `do`")?;
        let searching = match (&self.guest, &self.host) {
            (Some(guest), _) => guest.is_searching(),
            (None, Some(host)) => host.engine().is_searching(),
            (None, None) if word == "hello" => return self.hello(request).map(Some),
            (None, None) => return Err("say `hello` first".into()),
        };
        // The page may answer an answer before the thread that sent it has ended: the engine is free by then.
        if self.search.is_some() && !searching {
            self.join();
        }
        if self.search.is_some() && !matches!(word, "stop" | "ask") {
            return Err(EngineError::Busy.to_string());
        }
        match word {
            "stop" => {
                self.stop();
                Ok(Some("{}".into()))
            }
            "go" => self.go(id, request).map(|()| None),
            "hello" => self.hello(request).map(Some),
            "option" => self.option(request).map(Some),
            _ => self.ask(request).map(Some),
        }
    }

    fn host(&self) -> Result<&Host, String> {
        self.host.as_ref().ok_or_else(|| "say `hello` first".into())
    }

    fn ask(&mut self, request: &Json) -> Result<String, String> {
        match &mut self.guest {
            Some(guest) => guest.request(request),
            None => self.host()?.request(request),
        }
    }

    /// Grants what is asked for, as far as the server allows.
    fn hello(&mut self, request: &Json) -> Result<String, String> {
        let variant = named_variant(request)?;
        let config = self.terms.config.clone();
        let asked = |field: &str, default: u64, most: usize| {
            request.uint(field).unwrap_or(default).clamp(1, most as u64) as usize
        };
        let threads = asked("threads", config.threads as u64, config.threads);
        let hash = self.terms.share.grow(asked("hash", HASH, config.hash));
        if hash == 0 {
            return Err("there is no memory left for another engine: close another page".into());
        }
        if let Some(name) = request.str("engine") {
            let told = self.invite(name, threads, hash)?;
            self.terms.share.keep(hash);
            self.terms.seat.greeted();
            return Ok(told);
        }
        self.guest = None;
        match &self.host {
            Some(host) => {
                for (option, value) in [("Hash", hash), ("Threads", threads)] {
                    host.engine().set_option(option, &value.to_string()).map_err(words::engine)?;
                }
            }
            None => self.host = Some(Host::new(engine(&self.terms, threads, hash).map_err(words::engine)?)),
        }
        self.terms.share.keep(hash);
        let host = self.host()?;
        if let Some(variant) = variant {
            host.set_variant(variant)?;
        }
        let told = host.hello();
        self.terms.seat.greeted();
        Ok(told)
    }

    /// Starts another engine, one of those that the server was told of.
    fn invite(&mut self, name: &str, threads: usize, hash: usize) -> Result<String, String> {
        let config = &self.terms.config;
        let spec = config.guests.iter().find(|spec| spec.name == name).cloned();
        let Some(spec) = spec else {
            let shown: String = name.chars().take(60).collect();
            return Err(format!("this server has no engine called {shown}: start it with --engine"));
        };
        let (host, patience) = (self.host.take(), config.guest_patience);
        drop(host);
        self.guest = None;
        let mut guest = Guest::start(spec, patience)?;
        guest.set("Threads", &threads.to_string())?;
        guest.set("Hash", &hash.to_string())?;
        let told = guest.hello(threads, hash);
        self.guest = Some(guest);
        Ok(told)
    }

    /// Sets an option, if it may be set. Of memory there may be less than is asked for; then the answer says how much.
    fn option(&mut self, request: &Json) -> Result<String, String> {
        self.grant_option(request)?;
        let wanted = request.str("value").and_then(|value| value.trim().parse().ok());
        let Some(wanted) = wanted.filter(|_| is_named(request, "Hash")) else { return self.ask(request) };
        let hash = self.terms.share.grow(wanted);
        if let Some(guest) = &mut self.guest {
            guest.set("Hash", &hash.to_string())?;
            self.terms.share.keep(hash);
            return Ok(message::hash(hash));
        }
        let engine = self.host()?.engine();
        let result = engine.set_option("Hash", &hash.to_string()).map_err(words::engine);
        let used = engine.options().hash;
        self.terms.share.keep(used);
        result.map(|()| message::hash(used))
    }

    /// Files are the server's business, and nobody gets more than was granted.
    fn grant_option(&self, request: &Json) -> Result<(), String> {
        let Some(spec) = OptionSpec::find(request.str("name").unwrap_or_default()) else { return Ok(()) };
        let value: Option<usize> = request.str("value").and_then(|value| value.trim().parse().ok());
        let most = match (spec.name, spec.kind) {
            (_, OptionKind::Text { .. }) => {
                return Err(format!("{} is set where the server is started", spec.name));
            }
            ("Learn", _) if self.terms.remote => {
                return Err("Learn: nothing is learned from other computers".into());
            }
            ("Threads", _) => self.terms.config.threads,
            ("Hash", _) => self.terms.config.hash,
            ("MultiPV", _) => MOST_LINES,
            _ => return Ok(()),
        };
        match value {
            Some(value) if value > most => Err(format!("{}: at most {most} here", spec.name)),
            _ => Ok(()),
        }
    }

    fn go(&mut self, id: u64, request: &Json) -> Result<(), String> {
        let longest = self.terms.config.longest_search;
        if let Some(guest) = &mut self.guest {
            let seat = self.terms.seat.clone();
            seat.searches(true);
            let thread = guest.go(id, request, longest, self.send.clone(), move || seat.searches(false));
            let thread = thread.inspect_err(|_| self.terms.seat.searches(false))?;
            // The guest ends itself; this is for one that has forgotten how.
            self.search = Some(Search { id, thread, end: Instant::now() + longest + self.terms.config.guest_patience });
            return Ok(());
        }
        let engine = self.host()?.engine();
        let mut limits = limits(request, &engine.position())?;
        limits.multipv = limits.multipv.min(MOST_LINES);
        let reporter = Arc::new(Mutex::new(Reporter::new(engine)));
        let (infos, results, for_infos) = (self.send.clone(), self.send.clone(), reporter.clone());
        let mut last: [Option<Instant>; MOST_LINES] = [None; MOST_LINES];
        let on_info = move |info: &Info| {
            // The reporter keeps the last report of each line for the answer, also those that are not sent.
            let text = lock(&for_infos).info(info);
            let last = &mut last[info.multipv.clamp(1, MOST_LINES) - 1];
            if last.is_none_or(|last| last.elapsed() >= BETWEEN_REPORTS) {
                *last = Some(Instant::now());
                infos(message::info(id, &text));
            }
        };
        let seat = self.terms.seat.clone();
        let on_done = move |result: GoResult| {
            seat.searches(false);
            results(match &result.error {
                Some(error) => refusal(id, error),
                None => done(id, &lock(&reporter).result(&result)),
            });
        };
        self.terms.seat.searches(true);
        let thread = engine.go_async(limits, on_info, on_done).map_err(|error| {
            self.terms.seat.searches(false);
            words::engine(error)
        })?;
        self.search = Some(Search { id, thread, end: Instant::now() + longest });
        Ok(())
    }

    fn stop(&mut self) {
        if let Some(guest) = &self.guest {
            guest.stop();
        }
        if let Some(host) = &self.host {
            host.engine().stop();
        }
        self.join();
    }

    /// Waits until the search has ended and its answer is on its way.
    fn join(&mut self) {
        let Some(search) = self.search.take() else { return };
        if search.thread.join().is_err() {
            tracing::error!("a search has panicked; its session is closed");
            self.terms.seat.searches(false);
            (self.send)(refusal(search.id, FAULT));
            self.broken = true;
        }
    }
}

/// Whether a request is about this option.
fn is_named(request: &Json, name: &str) -> bool {
    OptionSpec::find(request.str("name").unwrap_or_default()).is_some_and(|spec| spec.name == name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::seats::Seats;
    use std::sync::mpsc::sync_channel;
    use tokio::sync::Semaphore;

    #[test]
    fn a_panic_of_the_session_is_its_last_word() {
        let taken = Seats::new(1, Duration::ZERO).take([127, 0, 0, 1].into()).unwrap();
        let (config, seat) = (Arc::new(EngineConfig::default()), taken.seat().clone());
        let terms = Terms { config, seat, share: Share::new(Arc::new(Semaphore::new(8))), remote: false };
        let (events, inbox) = sync_channel(1);
        let (heard, texts) = sync_channel(8);
        // It cannot say what the first answer is.
        let send = move |text: String| {
            assert!(!text.contains("hello"), "a fault on purpose");
            heard.try_send(text).is_ok()
        };
        events.send(Event::Text(r#"{"id": 7, "do": "go"}"#.into())).unwrap();
        run(terms, inbox, Arc::new(send));
        let texts: Vec<String> = texts.iter().collect();
        assert!(texts.len() == 1 && texts[0].contains(FAULT), "{texts:?}");
    }
}
