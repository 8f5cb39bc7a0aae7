//! The Chess Cloud Database: scores of moves, asked position by position.
//!
//! `GET …/cdb.php?action=queryall&board=<fen>` answers `move:g1f3,score:1,rank:2,note:! (20-00),winrate:50.08|move:…`, or one
//! word: `unknown`, `invalid board`, `checkmate`, `stalemate`, `nobestmove`.

use rukh_core::Notation;

use super::http::{Client, address, escaped};
use super::{Access, Adapter, Entry, KnownMove, Opened, Opener, Source, SourceError, best_first};
use rukh_pgn::AnyPosition;

pub(super) const ADAPTER: Adapter =
    Adapter { name: "ChessDB", usage: "chessdb[:<address>]", open: Opener::Service(open) };

const OWN: &str = "http://www.chessdb.cn/cdb.php";

struct ChessDb {
    client: Client,
    base: String,
}

fn open(what: &str, access: &Access) -> Option<Opened> {
    let base = address(what, "chessdb", OWN)?.to_owned();
    // Its answers need no token, and a token is nobody else's business.
    let access = Access { token: None, ..access.clone() };
    Some(Client::new("ChessDB", &access).map(|client| {
        let source: Box<dyn Source> = Box::new(ChessDb { client, base });
        source
    }))
}

impl Source for ChessDb {
    fn name(&self) -> &str {
        "ChessDB"
    }

    fn ask(&mut self, position: &AnyPosition) -> Result<Option<Entry>, SourceError> {
        let Some(pos) = position.chess() else { return Ok(None) };
        let url = format!("{}?action=queryall&board={}", self.base, escaped(&pos.fen()));
        let text = self.client.text(&url, |text| text.starts_with("move:"))?;
        let text = text.trim_end_matches(['\0', '\n', '\r', ' ']);
        match text {
            "unknown" | "checkmate" | "stalemate" | "nobestmove" | "" => return Ok(None),
            _ if !text.starts_with("move:") => {
                return Err(SourceError::bad("ChessDB", format!("it answered `{text:.80}`")));
            }
            _ => {}
        }
        let legal = pos.legal_moves();
        let mut moves = Vec::new();
        for row in text.split('|') {
            let field = |name: &str| row.split(',').find_map(|field| field.strip_prefix(name)?.strip_prefix(':'));
            let uci = field("move").unwrap_or_default();
            let Some(mv) = legal.iter().copied().find(|&mv| pos.uci(mv, Notation::Standard) == uci) else {
                return Err(SourceError::bad("ChessDB", format!("it contains an illegal move `{uci:.8}`")));
            };
            // A move without a score has `??`.
            let score = field("score").and_then(|score| score.parse().ok());
            let rank = field("rank").and_then(|rank| rank.parse().ok()).unwrap_or(0);
            moves.push(KnownMove { weight: rank, score, ..KnownMove::new(mv) });
        }
        best_first(&mut moves);
        Ok(Some(Entry { position: position.clone(), name: None, moves }))
    }
}
