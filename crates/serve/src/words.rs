//! What clients hear of a problem: what is wrong, and never where on this computer. The log says that.

use std::fmt::Display;
use std::path::{MAIN_SEPARATOR, Path};

use rukh_engine::EngineError;
use rukh_store::codes::ArgumentError;
use rukh_store::db::DbError;

/// A database's problem, with the name of the file alone.
pub fn database(error: &DbError) -> String {
    log(error);
    let said = match error {
        // These say the folder once more.
        DbError::Lost(_) => ": the MANIFEST is gone".into(),
        error => error.to_string(),
    };
    let Some(path) = error.path() else { return "the games cannot be read".into() };
    let name = path.file_name().map_or_else(|| "the database".into(), |name| name.to_string_lossy());
    format!("{name}{}", said.strip_prefix(&*path.to_string_lossy()).unwrap_or(&said))
}

/// Why a text is no position.
pub fn argument(error: ArgumentError) -> String {
    match error {
        ArgumentError::Code { error, variant, .. } => ArgumentError::Code { error, variant, records: None }.to_string(),
        ArgumentError::Unknown => error.to_string(),
        error => {
            log(&error);
            "the file of positions on the server cannot be read".into()
        }
    }
}

/// An engine's refusal. Files are named only where the server was started with them.
pub fn engine(error: EngineError) -> String {
    match error {
        EngineError::Tables(_) | EngineError::Network { .. } | EngineError::Book(_) => {
            log(&error);
            "the engine's files on the server cannot be read".into()
        }
        error => error.to_string(),
    }
}

/// Words about files of a folder, with their names alone.
pub fn of_folder(error: &dyn Display, folder: &Path) -> String {
    log(error);
    let folder = folder.to_string_lossy();
    error
        .to_string()
        .replace(&format!("{folder}{MAIN_SEPARATOR}"), "")
        .replace(&format!("{folder}: "), "the folder of the server: ")
}

/// What became of another engine, without the place of its program.
pub fn guest(failure: &dyn Display, name: &str, command: &str) -> String {
    log(&format_args!("{name} {failure}"));
    format!("{name} {failure}").replace(&format!("'{command}'"), "its program")
}

fn log(error: &dyn Display) {
    tracing::warn!(%error, "a client was told without the path");
}

#[cfg(test)]
mod tests {
    use super::*;
    use rukh_code::{CodeError, Table};
    use rukh_core::Variant;

    #[test]
    fn no_path_leaves_the_server() {
        let file = || Path::new("/srv/secret/db/000001.games").to_owned();
        let damaged = DbError::Damaged { path: file(), problem: "block 3 is damaged".into() };
        assert_eq!(database(&damaged), "000001.games: block 3 is damaged");
        let lost = DbError::Io { path: file(), source: std::io::ErrorKind::NotFound.into() };
        assert_eq!(database(&lost), "000001.games: entity not found");
        for error in [DbError::Lost(file()), DbError::NotADatabase(file()), DbError::NotADatabase("/".into())] {
            let said = database(&error);
            assert!(!said.contains('/') && said.contains("MANIFEST"), "{said}");
        }
        let records = Some("/srv/secret/positions.chess".into());
        let unknown = CodeError::NoTable(Table::Record);
        let said = argument(ArgumentError::Code { error: unknown, variant: Variant::Chess, records });
        assert!(!said.contains('/') && said.contains("--positions"), "{said}");
        assert!(argument(ArgumentError::Unknown).starts_with("expected a FEN"));
        let foreign = rukh_store::codes::RecordError::Foreign("/srv/secret/positions.chess".into());
        assert_eq!(argument(foreign.into()), "the file of positions on the server cannot be read");
        let network = EngineError::Network { path: "/srv/secret/net".into(), reason: "it is gone".into() };
        assert!(!engine(network).contains('/'));
        assert_eq!(engine(EngineError::Busy), EngineError::Busy.to_string());
        let folder = Path::new("/srv/secret");
        assert_eq!(of_folder(&"x: /srv/secret/a.pgn: full", folder), "x: a.pgn: full");
        assert_eq!(of_folder(&"x: /srv/secret: full", folder), "x: the folder of the server: full");
    }
}
