//! Commands inside comments: `[%clk 0:09:57]`, `[%eval 0.31]`, `[%eval #-4,22]`.

/// An engine's verdict from White's side, as comments carry it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Eval {
    /// Hundredths of a pawn.
    Centipawns(i32),
    /// Moves to mate; negative when Black mates.
    Mate(i32),
}

/// The text after `[%name ` up to the closing bracket.
fn command<'a>(comment: &'a str, name: &str) -> Option<&'a str> {
    let mut rest = comment;
    loop {
        rest = &rest[rest.find("[%")? + 2..];
        if let Some(value) = rest.strip_prefix(name)
            && value.starts_with(|c: char| c.is_whitespace())
        {
            return value.split(']').next().map(str::trim);
        }
    }
}

/// The clock after a move in milliseconds: `[%clk 1:02:03.4]`.
pub fn clock_ms(comment: &str) -> Option<u64> {
    let mut ms = 0u64;
    let mut parts = 0;
    for part in command(comment, "clk")?.split(':') {
        let (whole, fraction) = part.split_once('.').unwrap_or((part, ""));
        let whole: u64 = whole.trim().parse().ok().filter(|&n| n < 1_000_000)?;
        // Three digits of the fraction, right-padded.
        let fraction = fraction
            .bytes()
            .chain(*b"000")
            .take(3)
            .try_fold(0u64, |sum, b| b.is_ascii_digit().then(|| sum * 10 + u64::from(b - b'0')))?;
        ms = ms * 60 + whole * 1000 + fraction;
        parts += 1;
    }
    (parts <= 3).then_some(ms)
}

/// The evaluation after a move: `[%eval -0.42]`, `[%eval #3]`, `[%eval 1.5,20]`.
pub fn eval(comment: &str) -> Option<Eval> {
    let value = command(comment, "eval")?.split(',').next()?.trim();
    if let Some(mate) = value.strip_prefix('#') {
        return mate.parse().ok().filter(|n: &i32| n.abs() < 10_000).map(Eval::Mate);
    }
    hundredths(value).map(Eval::Centipawns)
}

/// `-0.425` as -43: whole pawns and a fraction, rounded. Up to 99,999 pawns.
fn hundredths(text: &str) -> Option<i32> {
    let (sign, digits) = match text.as_bytes().first()? {
        b'-' => (-1, &text[1..]),
        b'+' => (1, &text[1..]),
        _ => (1, text),
    };
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    let all_digits = |part: &str| part.bytes().all(|b| b.is_ascii_digit());
    if whole.len() + fraction.len() == 0 || whole.len() > 5 || !all_digits(whole) || !all_digits(fraction) {
        return None;
    }
    let whole: i32 = if whole.is_empty() { 0 } else { whole.parse().ok()? };
    let digit = |at: usize| fraction.as_bytes().get(at).map_or(0, |b| i32::from(b - b'0'));
    let rest = 10 * digit(0) + digit(1) + i32::from(digit(2) >= 5);
    Some(sign * (100 * whole + rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clocks_and_evaluations() {
        assert_eq!(clock_ms(" [%eval 0.31] [%clk 1:02:03.45] "), Some(3_723_450));
        assert_eq!(clock_ms("[%clk 0:00:07]"), Some(7_000));
        assert_eq!(clock_ms("[%clk x]"), None);
        assert_eq!(clock_ms("[%clk 9999999999999999:00:00]"), None);
        assert_eq!(clock_ms("[%clock 1:00]"), None);
        assert_eq!(eval("[%clk 0:1:2][%eval -0.42,18]"), Some(Eval::Centipawns(-42)));
        assert_eq!(eval("[%eval #-3]"), Some(Eval::Mate(-3)));
        assert_eq!(eval("[%eval nan]"), None);
        assert_eq!(eval("[%eval .5]"), Some(Eval::Centipawns(50)));
        assert_eq!(eval("[%eval +12]"), Some(Eval::Centipawns(1200)));
        assert_eq!(eval("[%eval -0.425]"), Some(Eval::Centipawns(-43)));
        assert_eq!([eval("[%eval -]"), eval("[%eval 1e9]"), eval("[%eval 999999]")], [None; 3]);
        assert_eq!(eval("no"), None);
    }
}
