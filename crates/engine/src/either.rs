//! The game on the board and the threads that search it, of either kind.

use crate::error::EngineError;
use crate::makruk::BareKhun;
use crate::network;
use crate::options::Options;
use crate::tables;
use rukh_core::{Chess, Game, Makruk, Position, Rules, Variant};
use rukh_eval::Terms;
use rukh_eval::nnue::Evaluation;
use rukh_search::{Control, Pool};
use std::sync::Arc;

/// The game on the board, of either kind.
pub(crate) enum AnyGame {
    Chess(Game<Chess>),
    Makruk(Game<Makruk>),
}

/// The threads of the game in use.
pub(crate) enum AnyPool {
    Chess(Pool<Chess, Evaluation<Chess>>),
    Makruk(Pool<Makruk, Evaluation<Makruk>>),
}

/// Runs the same code for either kind.
macro_rules! each {
    ($any:ident, $value:expr, $name:ident => $body:expr) => {
        match $value {
            $any::Chess($name) => $body,
            $any::Makruk($name) => $body,
        }
    };
}

impl AnyGame {
    pub(crate) fn new(variant: Variant, fen: Option<&str>) -> Result<AnyGame, EngineError> {
        fn game<R: Rules>(fen: Option<&str>) -> Result<Game<R>, EngineError> {
            Ok(Game::new(match fen {
                Some(fen) => Position::from_fen(fen)?,
                None => Position::startpos(),
            }))
        }
        Ok(match variant {
            Variant::Chess | Variant::Chess960 => AnyGame::Chess(game(fen)?),
            Variant::Makruk => AnyGame::Makruk(game(fen)?),
        })
    }

    pub(crate) fn play(&mut self, text: &str) -> Result<(), EngineError> {
        each!(AnyGame, self, game => match game.position().parse_uci(text.trim()) {
            Ok(mv) => {
                game.play(mv);
                Ok(())
            }
            Err(reason) => Err(EngineError::Move { text: text.chars().take(40).collect(), reason }),
        })
    }
}

/// Makes an evaluator for each thread; the network is read once and shared.
pub(crate) fn maker<R: Terms>(
    options: &Options,
) -> Result<impl Fn() -> Evaluation<R> + Send + Sync + 'static, EngineError> {
    let network = network::network_for::<R>(&options.eval_file)?;
    Ok(move || Evaluation::new(network.clone()))
}

impl AnyPool {
    pub(crate) fn new(
        options: &Options,
        control: &Arc<Control>,
        makruk: &Arc<BareKhun>,
    ) -> Result<AnyPool, EngineError> {
        let control = control.clone();
        let mut pool = match options.variant {
            Variant::Chess | Variant::Chess960 => AnyPool::Chess(Pool::new(1, control, maker::<Chess>(options)?)?),
            Variant::Makruk => AnyPool::Makruk(Pool::new(1, control, maker::<Makruk>(options)?)?),
        };
        each!(AnyPool, &mut pool, pool => {
            pool.resize(options.hash)?;
            if options.threads > 1 {
                pool.set_threads(options.threads)?;
            }
            pool.set_overhead(options.move_overhead);
        });
        match &mut pool {
            // They were fine when the path was set; should they have gone, one can play without.
            AnyPool::Chess(pool) if !options.syzygy_path.is_empty() => {
                if let Ok(tables) = tables::open(&options.syzygy_path) {
                    pool.set_tables(Some(tables))?;
                }
            }
            AnyPool::Chess(_) => {}
            AnyPool::Makruk(pool) => pool.set_tables(Some(makruk.clone()))?,
        }
        Ok(pool)
    }
}

pub(crate) use each;
