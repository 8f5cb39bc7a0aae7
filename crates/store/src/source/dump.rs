//! Games on the network: any PGN file, plain or packed, and the monthly dumps of Lichess, each all rated games of a month.
//!
//! With a cache folder the file is fetched first, and a broken download goes on where it stopped; without one it is read
//! while it arrives.

use std::fs::{self, OpenOptions, TryLockError};
use std::io;
use std::path::{Path, PathBuf};

use super::http::{Client, Have};
use super::pgn::Games;
use super::{Access, Adapter, Opened, Opener, SourceError};
use rukh_files::LockedFile;
use rukh_pgn::PgnReader;

pub(super) const ADAPTER: Adapter = Adapter {
    name: "Lichess dumps",
    usage: "lichess:<year>-<month>, lichess:<address of a PGN file>",
    open: Opener::Service(open),
};

pub(super) const ANYWHERE: Adapter =
    Adapter {
        name: "PGN on the web", usage: "http[s]://…/games.pgn[.zst|.gz|.bz2]", open: Opener::Service(anywhere)
    };

const OWN: &str = "https://database.lichess.org/standard/lichess_db_standard_rated_";

fn open(what: &str, access: &Access) -> Option<Opened> {
    let which = what.strip_prefix("lichess:")?;
    let url = if is_address(which) {
        which.to_owned()
    } else if is_month(which) {
        format!("{OWN}{which}.pgn.zst")
    } else {
        return Some(Err(SourceError::bad(what, "expected a month, as in lichess:2017-04")));
    };
    Some(fetch(what, "the Lichess archive", &url, &file_name(&url), access))
}

fn is_address(text: &str) -> bool {
    text.starts_with("http://") || text.starts_with("https://")
}

fn anywhere(what: &str, access: &Access) -> Option<Opened> {
    let host = what.split_once("://").filter(|_| is_address(what))?.1.split('/').next().unwrap_or(what);
    // A token is for the service that it was made for.
    let access = Access { token: None, ..access.clone() };
    // Many files of the world have one name.
    let name = format!("{:08x}-{}", crc32fast::hash(what.as_bytes()), file_name(what));
    Some(fetch(what, host, what, &name, &access))
}

fn is_month(text: &str) -> bool {
    let number = |part: &str| part.parse::<u16>().ok();
    text.split_once('-').is_some_and(|(year, month)| {
        year.len() == 4 && number(year) >= Some(2013) && month.len() == 2 && matches!(number(month), Some(1..=12))
    })
}

fn fetch(what: &str, service: &str, url: &str, name: &str, access: &Access) -> Opened {
    let bad = |error: &dyn std::fmt::Display| SourceError::bad(what, error);
    let kept = access.cache.as_ref().map(|folder| folder.join(name));
    if let Some(path) = kept.as_deref().filter(|path| path.exists()) {
        return reader(what, path);
    }
    let mut client = Client::new(service, access)?;
    let Some(path) = kept else {
        let bytes = client.bytes(url)?;
        let reader = PgnReader::new(what, bytes).map_err(|error| bad(&error))?;
        return Ok(Box::new(Games::new(what, reader)));
    };
    download(&mut client, url, &path).map_err(|error| match error {
        Failed::Source(error) => error,
        Failed::File(error) => bad(&format!("{}: {error}", path.display())),
    })?;
    reader(what, &path)
}

/// The name of a download: that of the file.
fn file_name(url: &str) -> String {
    let name = url.rsplit('/').next().unwrap_or_default().split(['?', '#']).next().unwrap_or_default();
    let name: String = name.chars().filter(|c| c.is_ascii_alphanumeric() || "._-".contains(*c)).collect();
    if name.is_empty() { "games.pgn".into() } else { name }
}

pub(super) enum Failed {
    Source(SourceError),
    File(io::Error),
}

/// Fetches a file; a part that is there already is completed if it is of the version that the service has now. The name
/// appears when the file is whole.
pub(super) fn download(client: &mut Client, url: &str, path: &Path) -> Result<(), Failed> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder).map_err(Failed::File)?;
    }
    let [part, note] = [".part", ".part-of"].map(|end| {
        let mut name = path.as_os_str().to_owned();
        name.push(end);
        PathBuf::from(name)
    });
    let mut file = sole(&part).map_err(Failed::File)?;
    let bytes = file.metadata().map_err(Failed::File)?.len();
    // Who begins a part leaves a note beside it.
    let version = rukh_files::read_text_at_most(&note, 4096).ok();
    if bytes > 0 && version.is_none() {
        let why = format!("{} is in the way, and not a download of this program; please move it", part.display());
        return Err(Failed::File(io::Error::new(io::ErrorKind::AlreadyExists, why)));
    }
    // Without its version a part is of no use: what follows may be of another file.
    let have = version.filter(|version| bytes > 0 && !version.is_empty()).map(|version| Have { bytes, version });
    let mut sent = client.rest(url, have).map_err(Failed::Source)?;
    if sent.offset == 0 {
        file.set_len(0).map_err(Failed::File)?;
        rukh_files::replace(&note, sent.version.unwrap_or_default().as_bytes()).map_err(Failed::File)?;
    }
    io::copy(&mut sent.bytes, &mut *file).map_err(Failed::File)?;
    file.sync_all().map_err(Failed::File)?;
    fs::rename(&part, path).map_err(Failed::File)?;
    // Last: a part without its note is somebody else's.
    let _ = fs::remove_file(&note);
    Ok(())
}

/// A file to add to, for this program alone.
pub(super) fn sole(path: &Path) -> io::Result<LockedFile> {
    match rukh_files::open_locked(path, OpenOptions::new().create(true).append(true).read(true))? {
        (_, Err(TryLockError::WouldBlock)) => {
            Err(io::Error::new(io::ErrorKind::ResourceBusy, "another program is fetching it now"))
        }
        // Where the file system has no locks there is nothing to ask.
        (file, _) => Ok(file),
    }
}

fn reader(what: &str, path: &Path) -> Opened {
    let reader = PgnReader::open(path).map_err(|error| SourceError::bad(what, error))?;
    Ok(Box::new(Games::new(what, reader)))
}
