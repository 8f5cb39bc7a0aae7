//! One connection to the native engine: requests in, answers out, within bounds.
//!
//! A session is a thread that takes the requests in order. A search runs beside it, so that `stop` is heard at once.

use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use rukh_api::{Host, Json, Reporter, limits, object};
use rukh_engine::{Engine, EngineError, GoResult, Info, OptionKind, OptionSpec, Options};

use crate::server::EngineConfig;

/// Reports of a line come no faster than this.
const BETWEEN_REPORTS: Duration = Duration::from_millis(90);
/// Most lines of one search.
const MOST_LINES: usize = 32;

/// What comes from the socket.
pub enum Event {
    /// A message.
    Text(String),
    /// The server ends.
    Ending,
}

/// Takes a message for the page; false when nobody reads any more.
pub type Send = Arc<dyn Fn(String) -> bool + std::marker::Send + Sync>;

struct Session {
    host: Host,
    config: Arc<EngineConfig>,
    send: Send,
    greeted: bool,
    search: Option<Search>,
}

struct Search {
    thread: JoinHandle<()>,
    /// When it has lasted long enough.
    end: Instant,
}

/// Serves one connection until its events end.
pub fn run(config: Arc<EngineConfig>, events: Receiver<Event>, send: Send) {
    let engine = match engine(&config) {
        Ok(engine) => engine,
        Err(error) => {
            send(refusal(0, &error.to_string()));
            return;
        }
    };
    let mut session = Session { host: Host::new(engine), config, send, greeted: false, search: None };
    loop {
        let event = match &session.search {
            Some(search) => events.recv_timeout(search.end.saturating_duration_since(Instant::now())),
            None => events.recv().map_err(|_| RecvTimeoutError::Disconnected),
        };
        match event {
            Ok(Event::Text(text)) => session.handle(&text),
            Err(RecvTimeoutError::Timeout) => session.stop(),
            Ok(Event::Ending) => {
                session.stop();
                (session.send)(refusal(0, "the server ends"));
                return;
            }
            Err(RecvTimeoutError::Disconnected) => {
                session.stop();
                return;
            }
        }
    }
}

fn engine(config: &EngineConfig) -> Result<Engine, EngineError> {
    let engine = Engine::new(Options {
        threads: config.threads,
        hash: config.hash.min(64),
        syzygy_path: config.syzygy.clone(),
        makruk_tables: config.makruk_tables.clone(),
        learn: config.chess_memory.is_some() || config.makruk_memory.is_some(),
        ..Options::default()
    })?;
    engine.set_chess_memory(config.chess_memory.clone());
    engine.set_makruk_memory(config.makruk_memory.clone());
    Ok(engine)
}

impl Session {
    fn handle(&mut self, text: &str) {
        let (id, result) = match Json::parse(text) {
            Err(error) => (0, Err(error.to_string())),
            Ok(request) => match request.uint("id") {
                None => (0, Err("the request has no number `id`".into())),
                Some(id) => (id, self.request(id, &request)),
            },
        };
        let message = match result {
            Ok(Some(done)) => answer(id, "done", &done),
            // Answered when the search has ended.
            Ok(None) => return,
            Err(error) => refusal(id, &error),
        };
        (self.send)(message);
    }

    fn request(&mut self, id: u64, request: &Json) -> Result<Option<String>, String> {
        let word = request.str("do").ok_or("the request has no `do`")?;
        // The page may answer an answer before the thread that sent it has ended: the engine is free by then.
        if self.search.is_some() && !self.host.engine().is_searching() {
            self.join();
        }
        if !self.greeted && word != "hello" {
            return Err("say `hello` first".into());
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
            "option" => {
                self.grant_option(request)?;
                self.host.request(request).map(Some)
            }
            _ => self.host.request(request).map(Some),
        }
    }

    /// Grants what is asked for, as far as the server allows.
    fn hello(&mut self, request: &Json) -> Result<String, String> {
        for (field, option, most) in [("hash", "Hash", self.config.hash), ("threads", "Threads", self.config.threads)] {
            if let Some(value) = request.uint(field) {
                let value = value.clamp(1, most as u64).to_string();
                self.host.engine().set_option(option, &value).map_err(|error| error.to_string())?;
            }
        }
        let variant = request.str("variant").unwrap_or(self.host.engine().options().variant.name());
        let rest = object(|out| {
            out.str("do", "hello");
            out.str("variant", variant);
        });
        let done = self.host.request(&Json::parse(&rest).map_err(|error| error.to_string())?)?;
        self.greeted = true;
        Ok(done)
    }

    /// Files are the server's business, and nobody gets more than was granted.
    fn grant_option(&self, request: &Json) -> Result<(), String> {
        let Some(spec) = OptionSpec::find(request.str("name").unwrap_or_default()) else { return Ok(()) };
        let value: Option<usize> = request.str("value").and_then(|value| value.trim().parse().ok());
        let most = match (spec.name, spec.kind) {
            (_, OptionKind::Text { .. }) => {
                return Err(format!("{} is set where the server is started", spec.name));
            }
            ("Threads", _) => self.config.threads,
            ("Hash", _) => self.config.hash,
            ("MultiPV", _) => MOST_LINES,
            _ => return Ok(()),
        };
        match value {
            Some(value) if value > most => Err(format!("{}: at most {most} here", spec.name)),
            _ => Ok(()),
        }
    }

    fn go(&mut self, id: u64, request: &Json) -> Result<(), String> {
        let mut limits = limits(request);
        limits.multipv = limits.multipv.min(MOST_LINES);
        let reporter = Arc::new(Mutex::new(Reporter::new(self.host.engine())));
        let (infos, results, for_infos) = (self.send.clone(), self.send.clone(), reporter.clone());
        let mut last: [Option<Instant>; MOST_LINES] = [None; MOST_LINES];
        let on_info = move |info: &Info| {
            // The reporter keeps the last report of each line for the answer, also those that are not sent.
            let text = lock(&for_infos).info(info);
            let last = &mut last[info.multipv.clamp(1, MOST_LINES) - 1];
            if last.is_none_or(|last| last.elapsed() >= BETWEEN_REPORTS) {
                *last = Some(Instant::now());
                infos(answer(id, "info", &text));
            }
        };
        let on_done = move |result: GoResult| {
            results(match &result.error {
                Some(error) => refusal(id, error),
                None => answer(id, "done", &lock(&reporter).result(&result)),
            });
        };
        let thread = self.host.engine().go_async(limits, on_info, on_done).map_err(|error| error.to_string())?;
        self.search = Some(Search { thread, end: Instant::now() + self.config.longest_search });
        Ok(())
    }

    fn stop(&mut self) {
        self.host.engine().stop();
        self.join();
    }

    /// Waits until the search has ended and its answer is on its way.
    fn join(&mut self) {
        if let Some(search) = self.search.take() {
            let _ = search.thread.join();
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A message: the request's number, and one field that is JSON already.
fn answer(id: u64, field: &str, json: &str) -> String {
    object(|out| {
        out.num("id", id);
        out.raw(field, json);
    })
}

fn refusal(id: u64, error: &str) -> String {
    object(|out| {
        out.num("id", id);
        out.str("error", error);
    })
}
