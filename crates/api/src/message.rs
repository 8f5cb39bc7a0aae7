//! What goes to a page over a socket: the number of the request it answers, and one of `info`, `done` and `error`.

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

/// The last word of a session that is ended in good order; `again`: another may be opened.
pub fn farewell(why: &str, again: bool) -> String {
    object(|out| {
        out.num("id", 0);
        out.str("error", why);
        out.flag("again", again);
    })
}
