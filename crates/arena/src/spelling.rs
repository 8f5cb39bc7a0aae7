//! Command lines of cutechess-cli and fastchess in our words: `-engine cmd=a tc=8+0.08 -each … -rounds 100 -games 2`.

/// Whether a command line is written so: options of several letters behind a single dash.
pub fn is_foreign(words: &[String]) -> bool {
    words.iter().any(|word| matches!(word.as_str(), "-engine" | "-each"))
}

/// The same command line with our options.
pub fn translated(words: &[String]) -> Result<Vec<String>, String> {
    let mut out = Vec::new();
    let mut limits = Counts::default();
    let mut at = 0;
    while at < words.len() {
        let name = words[at].as_str();
        if !is_option(name) {
            return Err(format!("unexpected argument '{name}'"));
        }
        let end = (at + 1..words.len()).find(|&i| is_option(&words[i])).unwrap_or(words.len());
        let values = &words[at + 1..end];
        at = end;
        if let Some(kept) = name.strip_prefix("--") {
            out.push(format!("--{kept}"));
            out.extend(values.iter().cloned());
            continue;
        }
        one(name.trim_start_matches('-'), values, &mut limits, &mut out)?;
    }
    if let Some(rounds) = limits.rounds {
        // Games of an encounter come in pairs here, as they do there with -repeat.
        push(&mut out, "games", rounds.saturating_mul(limits.games.unwrap_or(2)).to_string());
    } else if let Some(games) = limits.games {
        push(&mut out, "games", games.to_string());
    }
    Ok(out)
}

#[derive(Default)]
struct Counts {
    rounds: Option<u64>,
    games: Option<u64>,
}

/// A dash and a letter; `-` alone and negative numbers are values.
fn is_option(word: &str) -> bool {
    word.trim_start_matches('-').starts_with(|c: char| c.is_ascii_alphabetic()) && word.starts_with('-')
}

fn push(out: &mut Vec<String>, name: &str, value: impl Into<String>) {
    out.push(format!("--{name}"));
    out.push(value.into());
}

fn one(name: &str, values: &[String], counts: &mut Counts, out: &mut Vec<String>) -> Result<(), String> {
    let first = || values.first().cloned().ok_or_else(|| format!("-{name} needs a value"));
    let number = || {
        let text = first()?;
        text.parse::<u64>().map_err(|_| format!("-{name}: '{text}' is not a number"))
    };
    let value_of =
        |key: &str| values.iter().find_map(|word| word.strip_prefix(key)?.strip_prefix('=')).map(str::to_owned);
    match name {
        "engine" | "each" => push(out, name, engine(values)?),
        "concurrency" | "event" => push(out, name, first()?),
        "rounds" => counts.rounds = Some(number()?),
        "games" => counts.games = Some(number()?),
        "srand" | "seed" => push(out, "seed", first()?),
        "maxmoves" => push(out, "max-moves", first()?),
        "tb" => push(out, "syzygy", first()?),
        "ratinginterval" => push(out, "status", first()?),
        "pgnout" => push(out, "pgn", value_of("file").map_or_else(first, Ok)?),
        "log" => push(out, "log", value_of("file").map_or_else(first, Ok)?),
        "openings" => {
            push(out, "openings", value_of("file").ok_or("-openings needs file=…")?);
            for key in ["order", "start", "plies"] {
                if let Some(value) = value_of(key) {
                    push(out, key, value);
                }
            }
        }
        "sprt" => push(out, "sprt", values.join(" ")),
        "resign" | "draw" => {
            let words = values.iter().map(|word| match (name, word.split_once('=')) {
                ("resign", Some(("movecount", value))) => format!("moves={value}"),
                (_, Some((key, "true"))) => format!("{key}=1"),
                (_, Some((key, "false"))) => format!("{key}=0"),
                _ => word.clone(),
            });
            push(out, name, words.collect::<Vec<_>>().join(" "));
        }
        "variant" => push(
            out,
            "variant",
            match first()?.as_str() {
                "standard" => "chess".to_owned(),
                "fischerandom" => "chess960".to_owned(),
                other => other.to_owned(),
            },
        ),
        "tournament" => match first()?.as_str() {
            "gauntlet" => out.push("--gauntlet".to_owned()),
            "round-robin" | "roundrobin" => {}
            other => return Err(format!("-tournament: '{other}' is not supported; gauntlet and round-robin are")),
        },
        // What is always so here, or only a matter of words on the screen.
        "repeat" | "recover" | "noswap" | "output" | "report" | "outcomeinterval" | "scoreinterval" | "wait"
        | "site" | "strict" | "quick" | "autosaveinterval" | "tbpieces" | "force-concurrency" | "use-affinity"
        | "randomseed" => {
            if name == "noswap" {
                return Err("-noswap: openings are played with both colours here".to_owned());
            }
        }
        _ => return Err(format!("-{name} is not supported; 'rukh help match' lists the options")),
    }
    Ok(())
}

/// The words of an engine, quoted where they have blanks.
fn engine(values: &[String]) -> Result<String, String> {
    let mut words = Vec::new();
    for word in values {
        let (key, value) = word.split_once('=').ok_or_else(|| format!("expected key=value, found '{word}'"))?;
        match (key, value) {
            ("proto", "uci") => {}
            ("proto", other) => return Err(format!("proto={other}: engines speak UCI here")),
            ("st", seconds) => {
                let seconds: f64 = seconds.parse().map_err(|_| format!("st: '{seconds}' is not a number"))?;
                words.push(format!("movetime={}", (1000.0 * seconds).round() as u64));
            }
            ("plies", depth) => words.push(format!("depth={depth}")),
            ("tc", "inf" | "infinite") => {}
            ("ponder" | "conf" | "initstr" | "book" | "bookdepth" | "whitepov" | "trust", _) => {
                return Err(format!("unknown engine setting '{key}'"));
            }
            _ => words.push(quoted(key, value)?),
        }
    }
    Ok(words.join(" "))
}

fn quoted(key: &str, value: &str) -> Result<String, String> {
    match (value.contains(char::is_whitespace), value.contains('"'), value.contains('\'')) {
        (_, true, true) => Err(format!("{key}: use only one kind of quotation mark: {value}")),
        (_, true, false) => Ok(format!("{key}='{value}'")),
        (true, false, _) | (_, false, true) => Ok(format!("{key}=\"{value}\"")),
        _ => Ok(format!("{key}={value}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ours(line: &str) -> Result<String, String> {
        let words: Vec<String> = crate::spec::split(line).unwrap();
        assert!(is_foreign(&words), "{line}");
        translated(&words).map(|words| words.join("|"))
    }

    #[test]
    fn cutechess() {
        let line = "-engine cmd=./new name=new proto=uci option.Hash=16 -engine cmd=stockfish 'dir=/opt/my engines' st=0.1 \
                    -each tc=8+0.08 -games 2 -rounds 500 -repeat -recover -concurrency 4 -srand 7 \
                    -openings file=book.pgn format=pgn order=random plies=12 -pgnout out.pgn min \
                    -sprt elo0=0 elo1=5 alpha=0.05 beta=0.05 -resign movecount=3 score=600 twosided=true \
                    -draw movenumber=34 movecount=8 score=20 -tb /tb -variant fischerandom -tournament gauntlet";
        let wanted = "--engine|cmd=./new name=new option.Hash=16|--engine|cmd=stockfish dir=\"/opt/my engines\" movetime=100\
                      |--each|tc=8+0.08|--concurrency|4|--seed|7|--openings|book.pgn|--order|random|--plies|12|--pgn|out.pgn\
                      |--sprt|elo0=0 elo1=5 alpha=0.05 beta=0.05|--resign|moves=3 score=600 twosided=1\
                      |--draw|movenumber=34 movecount=8 score=20|--syzygy|/tb|--variant|chess960|--gauntlet|--games|1000";
        assert_eq!(ours(line).unwrap(), wanted);
    }

    #[test]
    fn fastchess() {
        let line = "-engine cmd=a name=a -engine cmd=b -each tc=1+0.01 nodes=5000 -rounds 10 -pgnout file=g.pgn nodes=true \
                    -sprt elo0=0 elo1=2 alpha=0.05 beta=0.05 model=normalized -log file=log.txt level=trace -seed 3 \
                    -report penta=true -maxmoves 200 --json -";
        let wanted = "--engine|cmd=a name=a|--engine|cmd=b|--each|tc=1+0.01 nodes=5000|--pgn|g.pgn\
                      |--sprt|elo0=0 elo1=2 alpha=0.05 beta=0.05 model=normalized|--log|log.txt|--seed|3\
                      |--max-moves|200|--json|-|--games|20";
        assert_eq!(ours(line).unwrap(), wanted);
    }

    #[test]
    fn what_is_not_known_is_said() {
        for (more, part) in [
            ("-frob 3", "-frob is not supported"),
            ("-games", "-games needs a value"),
            ("-games x", "not a number"),
            ("-noswap", "both colours"),
            ("-engine cmd=x proto=xboard", "UCI"),
            ("-tournament swiss", "swiss"),
            ("-openings format=pgn", "file="),
        ] {
            let error = ours(&format!("-engine cmd=a -engine cmd=b {more}")).unwrap_err();
            assert!(error.contains(part), "{more}: {error}");
        }
        assert!(!is_foreign(&["--engine".to_owned(), "cmd=a".to_owned()]));
    }
}
