//! The requests of one instance.

use crate::selftest;
use rukh_api::{Host, Json, Reporter, limits};
use rukh_engine::{Engine, Options};
use std::cell::RefCell;

thread_local! {
    static HOST: RefCell<Option<Host>> = const { RefCell::new(None) };
    /// The lines of the search that runs, or was paused last.
    static REPORTER: RefCell<Option<Reporter>> = const { RefCell::new(None) };
}

#[cfg(target_arch = "wasm32")]
use crate::host::{connect, tell};

#[cfg(not(target_arch = "wasm32"))]
fn connect() {}

#[cfg(not(target_arch = "wasm32"))]
fn tell(_json: &str) {}

/// Does what a request says and returns the value of `done`.
pub fn handle(text: &str) -> Result<String, String> {
    connect();
    let request = Json::parse(text).map_err(|e| e.to_string())?;
    let word = request.str("do").unwrap_or_default();
    match word {
        // Questions about positions need no engine; an engine's own memory does.
        "ask" if HOST.with_borrow(Option::is_none) => {
            rukh_api::answer_json(request.get("question").ok_or("the request has no `question`")?)
        }
        "bench" => Ok(selftest::bench(&request)),
        #[cfg(feature = "learn")]
        "selftest" => selftest::run(),
        "hello" => {
            if HOST.with_borrow(Option::is_none) {
                let engine = Engine::new(Options::default()).map_err(|e| e.to_string())?;
                HOST.with_borrow_mut(|host| *host = Some(Host::new(engine)));
            }
            with_host(|host| host.request(&request))
        }
        "go" => with_host(|host| go(host, &request)),
        _ => with_host(|host| host.request(&request)),
    }
}

/// Plays with a network from its file's bytes.
pub fn network(bytes: &[u8]) -> Result<String, String> {
    connect();
    with_host(|host| host.engine().set_network(bytes).map(|()| "{}".into()).map_err(|error| error.to_string()))
}

fn with_host<T>(run: impl FnOnce(&Host) -> Result<T, String>) -> Result<T, String> {
    HOST.with_borrow(|host| run(host.as_ref().ok_or("say `hello` first")?))
}

/// Searches until a limit or the host's stop flag; `resume` goes on after a pause.
fn go(host: &Host, request: &Json) -> Result<String, String> {
    let mut limits = limits(request, &host.engine().position())?;
    limits.resume = request.flag("resume") == Some(true);
    let paused = REPORTER.take().filter(|_| limits.resume);
    let mut reporter = paused.unwrap_or_else(|| Reporter::new(host.engine()));
    let result = host.engine().go(limits, |info| tell(&reporter.info(info)));
    let answer = reporter.result(&result);
    REPORTER.set(Some(reporter));
    Ok(answer)
}
