//! Time controls, search limits and the clock that the runner keeps.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

/// `[moves/]base[+increment]`, in milliseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TimeControl {
    /// Moves until the base time is added again; None for the whole game.
    pub moves: Option<u32>,
    /// Time for the game or the moves.
    pub base: u64,
    /// More per move.
    pub increment: u64,
}

impl FromStr for TimeControl {
    type Err = String;

    /// Reads `8+0.08`, `40/10+0.1`, `5:00+3`: seconds, or minutes and seconds with a colon.
    fn from_str(text: &str) -> Result<Self, String> {
        let (moves, rest) = match text.split_once('/') {
            Some((moves, rest)) => {
                let moves = moves.parse().ok().filter(|&moves| moves > 0);
                (Some(moves.ok_or("expected a number of moves before '/'")?), rest)
            }
            None => (None, text),
        };
        let (base, increment) = rest.split_once('+').unwrap_or((rest, "0"));
        let control = Self { moves, base: milliseconds(base)?, increment: milliseconds(increment)? };
        if control.base == 0 {
            return Err("expected a base time above zero, as in 8+0.08 or 40/10+0.1".to_owned());
        }
        Ok(control)
    }
}

impl fmt::Display for TimeControl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(moves) = self.moves {
            write!(f, "{moves}/")?;
        }
        write!(f, "{}", self.base as f64 / 1000.0)?;
        if self.increment > 0 {
            write!(f, "+{}", self.increment as f64 / 1000.0)?;
        }
        Ok(())
    }
}

/// Seconds (`8`, `0.08`) or minutes and seconds (`1:30`) as milliseconds; a day at most.
fn milliseconds(text: &str) -> Result<u64, String> {
    let error = || format!("'{text}' is not a time in seconds");
    let (minutes, seconds) = match text.split_once(':') {
        Some((minutes, seconds)) => (minutes.parse::<u32>().map_err(|_| error())?, seconds),
        None => (0, text),
    };
    let seconds: f64 = seconds.parse().map_err(|_| error())?;
    let total = f64::from(minutes) * 60.0 + seconds;
    if (0.0..=86_400.0).contains(&total) && seconds.is_sign_positive() {
        Ok((total * 1000.0).round() as u64)
    } else {
        Err(error())
    }
}

/// What an engine may use for a move. At least one limit is set in a match.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct EngineLimits {
    /// A clock.
    pub tc: Option<TimeControl>,
    /// Milliseconds per move.
    pub movetime: Option<u64>,
    /// Nodes per move.
    pub nodes: Option<u64>,
    /// Plies per move.
    pub depth: Option<u32>,
}

impl EngineLimits {
    /// Reads one `key=value` of a limit; Ok(false) if the key is none.
    pub fn set(&mut self, key: &str, value: &str) -> Result<bool, String> {
        match key {
            "tc" => self.tc = Some(value.parse()?),
            "movetime" => self.movetime = Some(positive(value)?),
            "nodes" => self.nodes = Some(positive(value)?),
            "depth" => self.depth = Some(positive(value)?.try_into().map_err(|_| "too deep".to_owned())?),
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// These limits where they say something, else the common ones: an engine's own replace them as a whole, so that
    /// `nodes=20000` against `--tc 8+0.08` means nodes only.
    pub fn or(self, common: Self) -> Self {
        if self == Self::default() { common } else { self }
    }
}

impl fmt::Display for EngineLimits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let parts = [
            self.tc.map(|tc| tc.to_string()),
            self.movetime.map(|ms| format!("{ms} ms/move")),
            self.nodes.map(|nodes| format!("{nodes} nodes")),
            self.depth.map(|depth| format!("depth {depth}")),
        ];
        let parts: Vec<String> = parts.into_iter().flatten().collect();
        f.write_str(&if parts.is_empty() { "no limit".to_owned() } else { parts.join(", ") })
    }
}

fn positive(value: &str) -> Result<u64, String> {
    value.parse().ok().filter(|&n| n > 0).ok_or_else(|| format!("'{value}' is not a positive whole number"))
}

/// One side's clock in one game.
#[derive(Debug, Clone)]
pub struct GameClock {
    limits: EngineLimits,
    /// Left for the rest of the period; meaningful only with a time control.
    remaining: Duration,
    moves_left: Option<u32>,
}

impl GameClock {
    /// A clock at the start of the game.
    pub fn new(limits: EngineLimits) -> Self {
        let remaining = Duration::from_millis(limits.tc.map_or(0, |tc| tc.base));
        Self { limits, remaining, moves_left: limits.tc.and_then(|tc| tc.moves) }
    }

    /// The time the next move may take, if there is such a limit.
    pub fn allowance(&self) -> Option<Duration> {
        let movetime = self.limits.movetime.map(Duration::from_millis);
        let clock = self.limits.tc.map(|_| self.remaining);
        movetime.into_iter().chain(clock).min()
    }

    /// Charges a move; false if it took longer than the clock allowed plus `margin`.
    pub fn charge(&mut self, used: Duration, margin: Duration) -> bool {
        if self.allowance().is_some_and(|allowed| used > allowed + margin) {
            return false;
        }
        if let Some(tc) = self.limits.tc {
            self.remaining = self.remaining.saturating_sub(used) + Duration::from_millis(tc.increment);
            if let (Some(left), Some(period)) = (&mut self.moves_left, tc.moves) {
                *left -= 1;
                if *left == 0 {
                    *left = period;
                    self.remaining += Duration::from_millis(tc.base);
                }
            }
        }
        true
    }

    fn milliseconds(&self) -> u64 {
        // Engines take 0 for "no clock": a side that used its last moment still has one.
        (self.remaining.as_millis() as u64).max(1)
    }
}

/// The `go` line for the side whose clock is `own`; `own_is_white` says which that is.
pub fn go_command(own: &GameClock, other: &GameClock, own_is_white: bool) -> String {
    let mut line = String::from("go");
    if own.limits.tc.is_some() {
        let (white, black) = if own_is_white { (own, other) } else { (other, own) };
        // An opponent without a clock (nodes only) is shown our own.
        let of = |clock: &GameClock| if clock.limits.tc.is_some() { clock.milliseconds() } else { own.milliseconds() };
        let increment = |clock: &GameClock| clock.limits.tc.or(own.limits.tc).map_or(0, |tc| tc.increment);
        line +=
            &format!(" wtime {} btime {} winc {} binc {}", of(white), of(black), increment(white), increment(black));
        if let Some(moves) = own.moves_left {
            line += &format!(" movestogo {moves}");
        }
    }
    let rest =
        [("movetime", own.limits.movetime), ("nodes", own.limits.nodes), ("depth", own.limits.depth.map(u64::from))];
    for (name, value) in rest {
        if let Some(value) = value {
            line += &format!(" {name} {value}");
        }
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tc(text: &str) -> TimeControl {
        text.parse().unwrap()
    }

    fn ms(n: u64) -> Duration {
        Duration::from_millis(n)
    }

    #[test]
    fn time_controls() {
        assert_eq!(tc("8+0.08"), TimeControl { moves: None, base: 8000, increment: 80 });
        assert_eq!(tc("40/10+0.1"), TimeControl { moves: Some(40), base: 10_000, increment: 100 });
        assert_eq!(tc("1:30"), TimeControl { moves: None, base: 90_000, increment: 0 });
        for text in ["8+0.08", "40/10+0.1", "90"] {
            assert_eq!(tc(text).to_string(), text);
        }
        for bad in ["", "x", "0+1", "-1", "0/5", "x/5", "5+", "nan", "inf", "1e9", "5+-1", "1:x"] {
            assert!(bad.parse::<TimeControl>().is_err(), "{bad}");
        }
    }

    #[test]
    fn clocks_count_down_and_up() {
        let mut clock = GameClock::new(EngineLimits { tc: Some(tc("1+0.1")), ..EngineLimits::default() });
        assert_eq!(clock.allowance(), Some(ms(1000)));
        assert!(clock.charge(ms(400), ms(0)));
        assert_eq!(clock.allowance(), Some(ms(700)));
        assert!(!clock.clone().charge(ms(711), ms(10)));
        assert!(clock.charge(ms(710), ms(10)), "the margin forgives");
        assert_eq!(clock.allowance(), Some(ms(100)), "but does not give time");
    }

    #[test]
    fn periods_begin_again() {
        let mut clock = GameClock::new(EngineLimits { tc: Some(tc("2/1+0.5")), ..EngineLimits::default() });
        let other = clock.clone();
        assert_eq!(go_command(&clock, &other, true), "go wtime 1000 btime 1000 winc 500 binc 500 movestogo 2");
        assert!(clock.charge(ms(900), ms(0)));
        assert_eq!(go_command(&clock, &other, false), "go wtime 1000 btime 600 winc 500 binc 500 movestogo 1");
        assert!(clock.charge(ms(600), ms(0)));
        assert_eq!(go_command(&clock, &other, true), "go wtime 1500 btime 1000 winc 500 binc 500 movestogo 2");
    }

    #[test]
    fn fixed_limits() {
        let nodes = GameClock::new(EngineLimits { nodes: Some(5000), ..EngineLimits::default() });
        let timed = GameClock::new(EngineLimits { tc: Some(tc("1")), movetime: Some(50), ..EngineLimits::default() });
        assert_eq!(nodes.allowance(), None);
        assert_eq!(timed.allowance(), Some(ms(50)));
        assert_eq!(go_command(&nodes, &timed, true), "go nodes 5000");
        assert_eq!(go_command(&timed, &nodes, true), "go wtime 1000 btime 1000 winc 0 binc 0 movetime 50");
        let mut free = nodes.clone();
        assert!(free.charge(ms(1_000_000), ms(0)));
    }

    #[test]
    fn own_limits_replace_common_ones() {
        let common = EngineLimits { tc: Some(tc("8+0.08")), ..EngineLimits::default() };
        let mut own = EngineLimits::default();
        assert_eq!(own.or(common), common);
        assert_eq!(own.set("nodes", "100"), Ok(true));
        assert_eq!(own.or(common), own);
        assert_eq!(own.set("hash", "100"), Ok(false));
        assert!(own.set("depth", "0").is_err() && own.set("depth", "99999999999").is_err());
        assert_eq!(common.to_string(), "8+0.08");
    }
}
