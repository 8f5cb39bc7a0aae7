//! What goes to a page over a socket: the number of the request it answers, and one of `info`, `done` and `error`.
//! A worker answers one request at a time and leaves the number out ([`reply`]).

use rukh_json::object;

/// A report of the search that request `id` began; `info` is JSON already.
pub fn info(id: u64, info: &str) -> String {
    with(id, "info", info)
}

/// The answer; `done` is JSON already.
pub fn done(id: u64, done: &str) -> String {
    with(id, "done", done)
}

fn with(id: u64, field: &str, json: &str) -> String {
    object(|out| {
        out.num("id", id);
        out.raw(field, json);
    })
}

/// The request was refused or failed, in a sentence.
pub fn refusal(id: u64, error: &str) -> String {
    object(|out| {
        out.num("id", id);
        out.str("error", error);
    })
}

/// The answer of a worker: `done`, which is JSON already, or `error`.
pub fn reply(answer: Result<String, String>) -> String {
    match answer {
        Ok(done) => object(|out| out.raw("done", &done)),
        Err(error) => object(|out| out.str("error", &error)),
    }
}

/// How much memory an engine was given, in MB, where that may be less than was asked for.
pub fn hash(megabytes: usize) -> String {
    object(|out| out.num("hash", megabytes))
}

/// What `bench` counted, and in how many milliseconds.
pub fn bench(nodes: u64, time_ms: u64) -> String {
    object(|out| {
        out.num("nodes", nodes);
        out.num("time", time_ms);
    })
}

/// In how many positions `selftest` found the vector code and its reference to agree.
pub fn selftest(positions: u64) -> String {
    object(|out| out.num("positions", positions))
}

/// The last word of a session that is ended in good order; `again`: another may be opened.
pub fn farewell(why: &str, again: bool) -> String {
    object(|out| {
        out.num("id", 0);
        out.str("error", why);
        out.flag("again", again);
    })
}
