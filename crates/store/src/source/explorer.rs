//! The Lichess opening explorer: results of millions of games, asked position by position.
//!
//! `GET /lichess?variant=standard&fen=…` (or `/masters?fen=…`) answers
//! `{"white", "draws", "black", "moves": [{"uci", "san", "averageRating", "white", "draws", "black"}], "opening": {"eco", "name"}}`.
//! It wants a token since 2026.

use rukh_core::{Notation, Variant};
use rukh_json::Json;

use super::http::{Client, address, escaped};
use super::{Access, Adapter, Entry, KnownMove, Opened, Opener, Source, SourceError, best_first};
use rukh_pgn::AnyPosition;

pub(super) const ADAPTER: Adapter = Adapter {
    name: "Lichess explorer",
    usage: "explorer[:<address>], masters[:<address>]",
    open: Opener::Service(open),
};

const OWN: &str = "https://explorer.lichess.ovh";

struct Explorer {
    client: Client,
    base: String,
    masters: bool,
}

fn open(what: &str, access: &Access) -> Option<Opened> {
    let (base, masters) = match address(what, "masters", OWN) {
        Some(base) => (base, true),
        None => (address(what, "explorer", OWN)?, false),
    };
    let base = base.trim_end_matches('/').to_owned();
    Some(Client::new("the Lichess explorer", access).map(|client| {
        let source: Box<dyn Source> = Box::new(Explorer { client, base, masters });
        source
    }))
}

impl Source for Explorer {
    fn name(&self) -> &str {
        if self.masters { "the Lichess explorer (masters)" } else { "the Lichess explorer" }
    }

    fn ask(&mut self, position: &AnyPosition) -> Result<Option<Entry>, SourceError> {
        let Some(pos) = position.chess() else { return Ok(None) };
        let fen = escaped(&pos.fen());
        let url = match (self.masters, position.variant()) {
            (true, Variant::Chess960) => return Ok(None),
            (true, _) => format!("{}/masters?fen={fen}&topGames=0", self.base),
            (false, Variant::Chess960) => format!("{}/lichess?variant=chess960&fen={fen}&recentGames=0", self.base),
            (false, _) => format!("{}/lichess?variant=standard&fen={fen}&recentGames=0", self.base),
        };
        let read =
            |text: &str| Json::parse(text).ok().filter(|answer| matches!(answer.get("moves"), Some(Json::List(_))));
        let text = self.client.text(&url, |text| read(text).is_some())?;
        let bad = |problem: &str| SourceError::bad("the Lichess explorer", problem);
        let answer = read(&text).ok_or_else(|| bad("its answer is no JSON with moves"))?;
        let list = answer.get("moves").map_or(&[][..], Json::list);
        let mut moves = Vec::new();
        for row in list {
            let uci = row.str("uci").unwrap_or_default();
            // It writes castling as the king takes the rook, in chess too.
            let legal = pos.legal_moves();
            let named = |n: Notation| legal.iter().copied().find(|&mv| pos.uci(mv, n) == uci);
            let mv = named(Notation::Chess960).or_else(|| named(Notation::Standard));
            let Some(mv) = mv else { return Err(bad(&format!("it contains an illegal move `{uci:.8}`"))) };
            let count = |name: &str| row.uint(name).unwrap_or(0);
            let (white, draws, black) = (count("white"), count("draws"), count("black"));
            let games = white.saturating_add(draws).saturating_add(black);
            let rating = row.uint("averageRating").and_then(|rating| u16::try_from(rating).ok());
            moves.push(KnownMove { games, white, draws, black, weight: games, rating, ..KnownMove::new(mv) });
        }
        if moves.is_empty() {
            return Ok(None);
        }
        best_first(&mut moves);
        let name = answer.get("opening").and_then(|opening| opening.str("name")).map(str::to_owned);
        Ok(Some(Entry { position: position.clone(), name, moves }))
    }
}
