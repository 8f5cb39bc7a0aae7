//! The games of one user of Lichess or chess.com.
//!
//! Lichess answers `GET /api/games/user/NAME?sort=dateAsc&since=…` with all games as one PGN, the oldest first, while it finds
//! them. chess.com answers `GET /pub/player/NAME/games/archives` with the addresses of months, and each with `/pgn` behind it
//! with that month's games; it wants one question at a time.
//!
//! With a cache folder what has arrived stays: the next time only newer games (Lichess) or months (chess.com) are asked for, and
//! a broken download goes on where it stopped. Without one the games are read while they arrive.

use std::collections::VecDeque;
use std::fs;
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use rukh_json::Json;
use rukh_pgn::{PgnReader, days_since_1970};

use super::dump::{Failed, download, sole};
use super::http::Client;
use super::pgn::Games;
use super::{Access, Adapter, Item, Opened, Opener, Source, SourceError};

pub(super) const LICHESS: Adapter =
    Adapter { name: "Lichess user", usage: "lichess-user:<name>", open: Opener::Service(lichess) };

pub(super) const CHESSCOM: Adapter =
    Adapter { name: "chess.com user", usage: "chesscom-user:<name>", open: Opener::Service(chesscom) };

fn lichess(what: &str, access: &Access) -> Option<Opened> {
    Some(named(what, "lichess-user", access)?.and_then(User::lichess))
}

fn chesscom(what: &str, access: &Access) -> Option<Opened> {
    let months = named(what, "chesscom-user", access)?.and_then(User::months);
    Some(months.map(|months| Box::new(months) as Box<dyn Source>))
}

/// `kind:name`, or `kind:name@address` for another server that speaks the same.
fn named(what: &str, kind: &str, access: &Access) -> Option<Result<User, SourceError>> {
    let (name, base) = match what.strip_prefix(kind)?.strip_prefix(':')? {
        rest if rest.contains("@http") => rest.split_once('@')?,
        name if kind == "lichess-user" => (name, "https://lichess.org"),
        name => (name, "https://api.chess.com"),
    };
    let plain = !name.is_empty() && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-' || b == b'_');
    if !plain {
        return Some(Err(SourceError::bad(what, "a user's name has letters, digits, - and _ only")));
    }
    let user = User { what: what.to_owned(), user: name.to_lowercase(), base: base.to_owned(), access: access.clone() };
    Some(Ok(user))
}

/// Fetches the games of a user (`lichess-user:name`, `chesscom-user:name`) into the cache folder, which must be given, and says
/// in which files they are, as the service wrote them: with clocks and comments. Without the network: what is there.
pub fn fetch_user(what: &str, access: &Access) -> Result<Vec<PathBuf>, SourceError> {
    fetch_user_while(what, access, &mut |_| true)
}

/// The same, telling how many games have come as they come. What `go_on` refuses is not asked for any more; the rest stays.
pub fn fetch_user_while(
    what: &str,
    access: &Access,
    go_on: &mut dyn FnMut(u64) -> bool,
) -> Result<Vec<PathBuf>, SourceError> {
    if let Some(user) = named(what, "lichess-user", access) {
        let user = user?;
        return user
            .lichess_file(go_on)
            .and_then(|path| path.ok_or_else(|| SourceError::bad(what, "a folder is missing")))
            .map(|path| vec![path]);
    }
    let user = named(what, "chesscom-user", access).unwrap_or_else(|| Err(SourceError::bad(what, "no user")))?;
    let mut months = user.months()?;
    let mut files = Vec::new();
    let mut count = 0;
    while let Some(month) = months.months.pop_front() {
        if !go_on(count) {
            break;
        }
        if let Place::File(path) = months.fetch(month)? {
            count += games_in(&path).map_err(|error| months.user.disk(&path, error))?;
            files.push(path);
        }
    }
    go_on(count);
    Ok(files)
}

/// How many games a file has, of any size and in any encoding.
fn games_in(path: &Path) -> io::Result<u64> {
    let (mut reader, mut start, mut count) = (BufReader::new(fs::File::open(path)?), Vec::new(), 0);
    loop {
        start.clear();
        // The rest of a longer line looks like a line of its own, and begins no game.
        if reader.by_ref().take(1 << 16).read_until(b'\n', &mut start)? == 0 {
            return Ok(count);
        }
        count += u64::from(start.starts_with(b"[Event "));
    }
}

struct User {
    what: String,
    user: String,
    base: String,
    access: Access,
}

impl User {
    fn unknown(&self, error: SourceError) -> SourceError {
        match error {
            SourceError::Missing(service) => {
                SourceError::bad(&service, format!("there is no user {} with public games", self.user))
            }
            other => other,
        }
    }

    fn file(&self, name: &str) -> Result<Option<PathBuf>, SourceError> {
        let Some(folder) = &self.access.cache else { return Ok(None) };
        fs::create_dir_all(folder).map_err(|error| self.disk(folder, error))?;
        Ok(Some(folder.join(name)))
    }

    fn disk(&self, path: &Path, error: io::Error) -> SourceError {
        SourceError::bad(&self.what, format!("{}: {error}", path.display()))
    }

    fn lichess_url(&self) -> String {
        format!("{}/api/games/user/{}?sort=dateAsc&clocks=true&evals=false", self.base, self.user)
    }

    fn lichess(self) -> Opened {
        let bad = |error: rukh_pgn::PgnError| SourceError::bad(&self.what, error);
        let reader = match self.lichess_file(&mut |_| true)? {
            Some(path) => PgnReader::open(&path).map_err(bad)?,
            None => {
                let mut client = Client::new("Lichess", &self.access)?;
                let bytes = client.bytes(&self.lichess_url()).map_err(|error| self.unknown(error))?;
                PgnReader::new(&self.what, bytes).map_err(bad)?
            }
        };
        Ok(Box::new(Games::new(&self.what, reader)))
    }

    /// The file of all games in the cache folder, if there is such a folder, brought up to date if there is a network.
    fn lichess_file(&self, go_on: &mut dyn FnMut(u64) -> bool) -> Result<Option<PathBuf>, SourceError> {
        let Some(path) = self.file(&format!("lichess-user-{}.pgn", self.user))? else { return Ok(None) };
        // Without the network there is still what was fetched before.
        if self.access.online || !path.exists() {
            self.add_newer(&mut Client::new("Lichess", &self.access)?, &self.lichess_url(), &path, go_on)?;
        }
        Ok(Some(path))
    }

    /// Adds the games that began no earlier than the last one in the file, each when it is whole, and none twice.
    fn add_newer(
        &self,
        client: &mut Client,
        url: &str,
        path: &Path,
        go_on: &mut dyn FnMut(u64) -> bool,
    ) -> Result<(), SourceError> {
        let disk = |error| self.disk(path, error);
        let mut file = sole(path).map_err(disk)?;
        let length = file.metadata().map_err(disk)?.len();
        let tail_at = length.saturating_sub(TAIL);
        let mut tail = Vec::new();
        file.seek(SeekFrom::Start(tail_at)).and_then(|_| file.read_to_end(&mut tail)).map_err(disk)?;
        match End::of(&tail) {
            End::Whole => {}
            End::Cut(whole) => {
                file.set_len(tail_at + whole as u64).map_err(disk)?;
                tail.truncate(whole);
            }
            // Somebody has worked on the file: it stays as it is, and what is new comes behind it.
            End::Edited => file.write_all(b"\n\n\n").map_err(disk)?,
            End::Foreign => {
                let problem = format!("{} does not end with a game: move it away", path.display());
                return Err(SourceError::bad(&self.what, problem));
            }
        }
        let known = String::from_utf8_lossy(&tail);
        let url = match last_start(&known) {
            Some(ms) => format!("{url}&since={ms}"),
            None => url.to_owned(),
        };
        let bytes = client.bytes(&url).map_err(|error| self.unknown(error))?;
        let mut bytes = BufReader::new(bytes);
        let mut count = 0;
        while go_on(count) {
            let game = next_game(&mut bytes).map_err(|error| SourceError::Unreachable {
                name: "Lichess".into(),
                problem: format!("{error}; what was downloaded is kept, and the same command continues from there"),
            })?;
            let Some(game) = game else { break };
            // The last one comes again: `since` counts seconds that the tags round down to.
            let site = game.lines().find(|line| line.starts_with("[Site "));
            if site.is_none_or(|site| !known.contains(site)) {
                file.write_all(game.as_bytes()).map_err(disk)?;
                count += 1;
            }
        }
        file.sync_all().map_err(disk)
    }

    fn months(self) -> Result<Months, SourceError> {
        let mut access = self.access.clone();
        // A token is for the service that it was made for.
        access.token = None;
        let prefix = format!("chesscom-user-{}-", self.user);
        if !access.online
            && let Some(folder) = &access.cache
        {
            let entries = fs::read_dir(folder).into_iter().flatten().flatten();
            // `2024-01.pgn` or `2024-01.open.pgn`; another user's name may begin like this one's.
            let ours = |path: &PathBuf| {
                let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
                let month = name.strip_prefix(&prefix).and_then(|rest| rest.strip_suffix(".pgn")).unwrap_or_default();
                let month = month.strip_suffix(".open").unwrap_or(month);
                let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
                month.split_once('-').is_some_and(|(year, month)| digits(year) && digits(month))
            };
            let mut kept: Vec<PathBuf> = entries.map(|entry| entry.path()).filter(ours).collect();
            kept.sort();
            if !kept.is_empty() {
                let months = kept.into_iter().map(Month::Kept).collect();
                return Ok(Months { user: self, client: None, months, current: None });
            }
        }
        let mut client = Client::new("chess.com", &access)?;
        let url = format!("{}/pub/player/{}/games/archives", self.base, self.user);
        let text = client.text(&url, |_| false).map_err(|error| self.unknown(error))?;
        let answer = Json::parse(&text).map_err(|error| SourceError::bad("chess.com", error))?;
        let list = answer.get("archives").ok_or_else(|| SourceError::bad("chess.com", "there is no list of months"))?;
        // Only what belongs to the service that was asked.
        let mut months: VecDeque<Month> = list
            .list()
            .iter()
            .filter_map(Json::text)
            .filter(|month| month.strip_prefix(&self.base).is_some_and(|rest| rest.starts_with('/')))
            .map(|month| Month::Asked { url: month.to_owned(), open: false })
            .collect();
        if let Some(Month::Asked { open, .. }) = months.back_mut() {
            *open = true;
        }
        Ok(Months { user: self, client: Some(client), months, current: None })
    }
}

/// The next whole game of an answer, which ends each with two empty lines. What is cut short is dropped; what is no game (a page that
/// a network shows before it lets one in) is an error.
fn next_game(bytes: &mut impl BufRead) -> io::Result<Option<String>> {
    let mut game: Vec<u8> = Vec::new();
    let strange = || Err(io::Error::new(io::ErrorKind::InvalidData, "the answer is not PGN"));
    loop {
        let before = game.len();
        if before > MOST_GAME || game.iter().find(|byte| !byte.is_ascii_whitespace()).is_some_and(|byte| *byte != b'[')
        {
            return strange();
        }
        if game.ends_with(b"\n\n\n") {
            return Ok(Some(String::from_utf8_lossy(&game).into_owned()));
        }
        bytes.by_ref().take((MOST_GAME - before + 1) as u64).read_until(b'\n', &mut game)?;
        if game.len() == before {
            return Ok(None);
        }
    }
}

/// No game is longer.
const MOST_GAME: usize = 1 << 20;
/// So much of the end of a file is looked at for its last game.
const TAIL: u64 = 1 << 20;

/// How a file of games ends.
#[derive(Debug, PartialEq, Eq)]
enum End {
    /// As Lichess ends each game: with two empty lines.
    Whole,
    /// A kill has cut the last game short; what is before it has this length.
    Cut(usize),
    /// Behind the last game of Lichess there are others, or it was written anew.
    Edited,
    /// With something that is no game.
    Foreign,
}

impl End {
    fn of(bytes: &[u8]) -> End {
        let whole = bytes.windows(3).rposition(|window| window == b"\n\n\n").map_or(0, |at| at + 3);
        let rest = bytes[whole..].trim_ascii();
        let begun = rest.starts_with(b"[Event ") && rest.windows(7).filter(|window| window == b"[Event ").count() == 1;
        match rest {
            [] => End::Whole,
            _ if [&b"1-0"[..], b"0-1", b"1/2-1/2", b"*"].iter().any(|result| rest.ends_with(result)) => End::Edited,
            _ if begun || b"[Event ".starts_with(rest) => End::Cut(whole),
            _ => End::Foreign,
        }
    }
}

/// When the last game began, in milliseconds since 1970.
fn last_start(text: &str) -> Option<i64> {
    let tag = |name: &str| text.rsplit_once(name)?.1.strip_prefix(" \"")?.split('"').next();
    let numbers =
        |text: &str, mark| text.split(mark).map(|part| part.parse::<i64>().ok()).collect::<Option<Vec<i64>>>();
    let (date, time) = (numbers(tag("[UTCDate")?, '.')?, numbers(tag("[UTCTime")?, ':')?);
    let ([year, month, day], [hour, minute, second]) =
        (<[i64; 3]>::try_from(date).ok()?, <[i64; 3]>::try_from(time).ok()?);
    let days = days_since_1970(u16::try_from(year).ok()?, u8::try_from(month).ok()?, u8::try_from(day).ok()?)?;
    let on_a_clock = (0..24).contains(&hour) && (0..60).contains(&minute) && (0..=60).contains(&second);
    (days >= 0 && on_a_clock).then(|| (((days * 24 + hour) * 60 + minute) * 60 + second) * 1000)
}

/// A month of chess.com.
enum Month {
    /// On the disk.
    Kept(PathBuf),
    /// To be asked for; the last one is still open and is asked for again the next time.
    Asked { url: String, open: bool },
}

struct Months {
    user: User,
    client: Option<Client>,
    months: VecDeque<Month>,
    current: Option<Games>,
}

impl Months {
    fn open(&mut self, month: Month) -> Result<Games, SourceError> {
        let what = self.user.what.clone();
        let bad = |error: rukh_pgn::PgnError| SourceError::bad(&what, error);
        let reader = match self.fetch(month)? {
            Place::File(path) => PgnReader::open(&path),
            Place::Stream(bytes) => PgnReader::new(&what, bytes),
        };
        Ok(Games::new(&what, reader.map_err(bad)?))
    }

    /// Where the games of a month are, now that they are fetched.
    fn fetch(&mut self, month: Month) -> Result<Place, SourceError> {
        let user = &self.user;
        let (url, open) = match month {
            Month::Kept(path) => return Ok(Place::File(path)),
            Month::Asked { url, open } => (url, open),
        };
        let client = self.client.as_mut().ok_or_else(|| SourceError::Offline("chess.com".into()))?;
        // `…/games/2009/10`
        let mut parts = url.rsplit('/').map(|part| part.chars().filter(char::is_ascii_digit).collect::<String>());
        let (month, year) = (parts.next().unwrap_or_default(), parts.next().unwrap_or_default());
        let end = if open { ".open.pgn" } else { ".pgn" };
        let Some(path) = user.file(&format!("chesscom-user-{}-{year}-{month}{end}", user.user))? else {
            return Ok(Place::Stream(Box::new(client.bytes(&format!("{url}/pgn"))?)));
        };
        if open || !path.exists() {
            download(client, &format!("{url}/pgn"), &path).map_err(|error| match error {
                Failed::Source(error) => error,
                Failed::File(error) => SourceError::Unreachable {
                    name: "chess.com".into(),
                    problem: format!("{error}; what was downloaded is kept, and the same command continues from there"),
                },
            })?;
        }
        if !open {
            // What it was while it was the last one.
            let _ = fs::remove_file(path.with_extension("open.pgn"));
        }
        Ok(Place::File(path))
    }
}

/// Where games are read from.
enum Place {
    File(PathBuf),
    Stream(Box<dyn Read + Send>),
}

impl Source for Months {
    fn name(&self) -> &str {
        &self.user.what
    }

    fn next(&mut self) -> Option<Result<Item, SourceError>> {
        loop {
            if let Some(games) = &mut self.current {
                match games.next() {
                    Some(item) => return Some(item),
                    None => self.current = None,
                }
            }
            let month = self.months.pop_front()?;
            match self.open(month) {
                Ok(games) => self.current = Some(games),
                Err(error) => {
                    // Whoever has no network now has none for the next month.
                    self.months.clear();
                    return Some(Err(error));
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn where_to_go_on() {
        let game = "[UTCDate \"2024.02.29\"]\n[UTCTime \"12:34:56\"]\n\n1. e4 *\n\n\n";
        assert_eq!(last_start(game), Some(1_709_210_096_000));
        assert_eq!(last_start("[UTCDate \"1970.01.01\"]\n[UTCTime \"00:00:01\"]"), Some(1000));
        assert_eq!(last_start("[UTCDate \"????.??.??\"]\n[UTCTime \"00:00:01\"]"), None);
        assert_eq!(last_start("[UTCDate \"2024.01.01\"]\n[UTCTime \"99999999999999999:00:01\"]"), None);
    }

    /// A page of HTML with empty lines was kept as a game, one without was nothing at all, as was a line without an end.
    #[test]
    fn what_is_no_game_is_not_kept() {
        let games = |mut text: &[u8]| -> io::Result<usize> {
            let mut count = 0;
            while next_game(&mut text)?.is_some() {
                count += 1;
            }
            Ok(count)
        };
        let game = "[Event \"x\"]\n\n1. e4 *\n\n\n";
        assert_eq!(
            games(format!("{game}{game}[Event \"y\"]\n\n1. d4").as_bytes()).unwrap(),
            2,
            "the third is cut short"
        );
        assert_eq!((games(b"").unwrap(), games(b"\n").unwrap()), (0, 0));
        for page in ["<html>sign in</html>\n", "<html>\n\n\n</html>"] {
            assert!(games(page.as_bytes()).is_err() && games(format!("{game}{page}").as_bytes()).is_err());
        }
        assert!(games(&vec![b'['; MOST_GAME + 2]).is_err());
    }

    #[test]
    fn only_a_game_cut_short_is_cut_off() {
        let game = "[Event \"x\"]\n\n1. e4 *\n\n\n";
        let end = |text: &str| End::of(text.as_bytes());
        assert_eq!((end(""), end(game)), (End::Whole, End::Whole));
        assert_eq!(end(&format!("{game}[Event \"y\"]\n\n1. e4")), End::Cut(game.len()));
        assert_eq!((end(&format!("{game}[Ev")), end("[Event \"y\"]\n\n1. e4")), (End::Cut(game.len()), End::Cut(0)));
        // Cleaned by somebody: one empty line between games.
        let cleaned = "[Event \"x\"]\n\n1. e4 *\n\n[Event \"y\"]\n\n1. d4 1-0\n";
        assert_eq!((end(cleaned), end(&format!("{game}{cleaned}"))), (End::Edited, End::Edited));
        assert_eq!((end("notes"), end(&format!("{game}notes"))), (End::Foreign, End::Foreign));
        assert_eq!(end("[Event \"x\"]\n\n1. e4\n\n[Event \"y\"]\n\n1. d4"), End::Foreign);
    }
}
