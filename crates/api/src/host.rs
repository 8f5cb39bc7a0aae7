//! One connection to an engine: requests in, answers out.

use crate::learn;
use crate::told::{Answer, Lines, Report, ShownScore};
use rukh_core::{AnyGame, AnyPosition, Move, Variant};
use rukh_engine::{Engine, GoResult, Info, Limits, Scale, read_game};
use rukh_json::{Json, object};

/// The requests of one page to one engine, but for `go` and `stop`: those depend on how the host runs a search. See
/// [`limits`] and [`Reporter`] for what it needs.
pub struct Host {
    engine: Engine,
}

impl Host {
    /// A host of this engine.
    pub fn new(engine: Engine) -> Host {
        Host { engine }
    }

    /// The engine.
    pub fn engine(&self) -> &Engine {
        &self.engine
    }

    /// Does what a request says and returns the value of `done`; an error changes nothing.
    pub fn request(&self, request: &Json) -> Result<String, String> {
        let engine = &self.engine;
        let words = |e: rukh_engine::EngineError| e.to_string();
        match request.str("do").ok_or("the request has no `do`")? {
            "hello" => {
                let (variant, before) = (named_variant(request)?, engine.options().hash);
                let (hash, threads) = (whole(request, "hash")?, whole(request, "threads")?);
                let set = |option: &str, value: Option<u64>| match value {
                    Some(value) => engine.set_option(option, &value.to_string()).map_err(words),
                    None => Ok(()),
                };
                set("Hash", hash)?;
                if let Err(error) = set("Threads", threads) {
                    set("Hash", Some(before as u64))?;
                    return Err(error);
                }
                if let Some(variant) = variant {
                    self.set_variant(variant)?;
                }
                return Ok(self.hello());
            }
            "position" => {
                let variant = named_variant(request)?.unwrap_or(engine.options().variant);
                let moves = request.get("moves").map_or(&[][..], Json::list);
                let moves = moves.iter().map(|mv| mv.text().unwrap_or_default());
                let game = read_game(variant, request.str("fen").unwrap_or("startpos"), moves).map_err(words)?;
                engine.set_game(game).map_err(words)?;
            }
            "makeMove" => engine.make_move(request.str("uci").unwrap_or_default()).map_err(words)?,
            "newGame" => engine.new_game(),
            "option" => {
                let name = request.str("name").ok_or("the request has no `name`")?;
                engine.set_option(name, request.str("value").unwrap_or_default()).map_err(words)?;
            }
            "ask" => return self.ask(request.get("question").ok_or("the request has no `question`")?),
            other => return Err(format!("there is no request `{}`", other.chars().take(40).collect::<String>())),
        }
        Ok("{}".into())
    }

    /// What this host is: the answer to `hello`.
    pub fn hello(&self) -> String {
        let options = self.engine.options();
        object(|out| {
            out.str("name", concat!("Rukh ", env!("CARGO_PKG_VERSION")));
            out.str("kind", if cfg!(target_family = "wasm") { "wasm" } else { "native" });
            out.num("threads", options.threads);
            out.num("hash", options.hash);
        })
    }

    /// Changes to the start position of another variant; the one in use stays as it is.
    pub fn set_variant(&self, variant: Variant) -> Result<(), String> {
        if self.engine.options().variant == variant {
            return Ok(());
        }
        self.engine.set_game(AnyGame::new(variant)).map_err(|e| e.to_string())
    }

    fn ask(&self, question: &Json) -> Result<String, String> {
        match question.str("ask") {
            Some("hashProbe") => learn::hash_probe(&self.engine, question),
            Some("hashMap") => learn::hash_map(&self.engine, question),
            _ => crate::answer_json(question),
        }
    }
}

/// The variant that a request names.
pub fn named_variant(request: &Json) -> Result<Option<Variant>, String> {
    request.str("variant").map(|name| name.parse().map_err(|e| format!("{e}"))).transpose()
}

/// The limits of a `go` request for a search of this position; without any, until stopped. One that is no limit is refused: without it the search
/// would not end. (A number that is none in JavaScript arrives as `null`.)
pub fn limits(request: &Json, position: &AnyPosition) -> Result<Limits, String> {
    let members = if let Json::Object(members) = request { &members[..] } else { &[] };
    let number = |name: &str| match members.iter().find(|(member, _)| member == name).map(|(_, value)| value) {
        None => Ok(None),
        Some(Json::Number(n)) if *n >= 0.0 => Ok(Some(*n as u64)),
        // A clock that has run out.
        Some(Json::Number(_)) if name.ends_with("time") && name != "movetime" => Ok(Some(0)),
        Some(_) => Err(format!("{name} must be a number, and not a negative one")),
    };
    let small = |name: &str| Ok::<_, String>(number(name)?.map(|n| n.min(u64::from(u32::MAX)) as u32));
    let mut limits = Limits {
        depth: small("depth")?,
        nodes: number("nodes")?,
        movetime: number("movetime")?,
        time: [number("wtime")?, number("btime")?],
        inc: [number("winc")?.unwrap_or(0), number("binc")?.unwrap_or(0)],
        movestogo: small("movestogo")?,
        mate: small("mate")?,
        infinite: request.flag("infinite") == Some(true),
        multipv: number("multipv")?.unwrap_or(0).min(256) as usize,
        ..Limits::default()
    };
    let moves = request.get("searchmoves").map_or(&[][..], Json::list);
    limits.searchmoves = moves.iter().filter_map(|mv| position.parse_uci(mv.text()?).ok()).collect();
    // Of all moves the answer would be another's.
    if limits.searchmoves.is_empty() && !moves.is_empty() {
        return Err("none of the searchmoves is legal here".into());
    }
    let bounded =
        limits.depth.is_some() || limits.nodes.is_some() || limits.movetime.is_some() || limits.mate.is_some();
    limits.infinite |= !bounded && limits.time == [None; 2];
    Ok(limits)
}

/// Writes the reports and the answer of one search. Make it before the search starts.
pub struct Reporter {
    root: AnyPosition,
    scale: Scale,
    lines: Lines,
}

impl Reporter {
    /// For a search from the engine's position.
    pub fn new(engine: &Engine) -> Reporter {
        let root = engine.position();
        let scale = Scale::of(root.variant(), root.men());
        Reporter { root, scale, lines: Lines::default() }
    }

    /// One report.
    pub fn info(&mut self, info: &Info) -> String {
        let pv: Vec<String> = info.pv.uci().map(|mv| mv.to_string()).collect();
        self.lines.report(&Report {
            depth: info.depth.into(),
            seldepth: info.seldepth.into(),
            multipv: info.multipv,
            score: (ShownScore::of(info.score, info.scale), info.bound),
            wdl: info.wdl(),
            turn: self.root.side_to_move(),
            nodes: info.nodes,
            nps: info.nps,
            hashfull: info.hashfull.into(),
            tbhits: info.tbhits,
            time: info.time_ms,
            pv: &pv,
            san: &self.san(info.pv.moves()),
        })
    }

    /// The answer.
    pub fn result(&self, result: &GoResult) -> String {
        let best = result.best_move.as_deref();
        self.lines.answer(&Answer {
            best: best.map(str::to_owned),
            san: best.and_then(|best| self.root.parse_uci(best).ok()).map(|mv| self.root.san(mv)),
            ponder: result.ponder.clone(),
            score: ShownScore::of(result.score, self.scale),
            depth: result.depth.into(),
            nodes: result.nodes,
        })
    }

    fn san(&self, moves: &[Move]) -> Vec<String> {
        let mut pos = self.root.clone();
        let name = |&mv: &Move| {
            let san = pos.san(mv);
            pos.play(mv);
            san
        };
        moves.iter().map(name).collect()
    }
}

/// A member that is a whole number, where there is one.
fn whole(request: &Json, field: &str) -> Result<Option<u64>, String> {
    match request.get(field) {
        None | Some(Json::Null) => Ok(None),
        Some(value) => {
            let number = value.number().filter(|n| *n >= 0.0 && n.fract() == 0.0);
            number.map(|n| Some(n as u64)).ok_or_else(|| format!("`{field}` is not a whole number"))
        }
    }
}
