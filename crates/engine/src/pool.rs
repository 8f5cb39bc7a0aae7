//! The threads that search the game on the board.

use crate::error::EngineError;
use crate::makruk::BareKhun;
use crate::network;
use crate::options::Options;
use crate::tables;
use rukh_core::any::Any;
use rukh_core::{Chess, Makruk, dispatch};
use rukh_eval::Terms;
use rukh_eval::nnue::{Evaluation, Network, embedded};
use rukh_search::{Control, Pool};
use std::sync::Arc;

/// The threads of the variant in use. (Chess and Chess960 share them: the first of the two stays on the label.)
pub(crate) type AnyPool = Any<Pool<Chess, Evaluation<Chess>>, Pool<Makruk, Evaluation<Makruk>>>;

/// Makes an evaluator for each thread; the network is read once and shared.
pub(crate) fn maker<R: Terms>(
    options: &Options,
    given: Option<&Arc<Network>>,
) -> Result<impl Fn() -> Evaluation<R> + Send + Sync + 'static, EngineError> {
    let network = match given.filter(|_| options.eval_file == network::GIVEN) {
        Some(given) => network::own::<R>(given.clone()).or_else(embedded::<R>),
        None => network::network_for::<R>(&options.eval_file)?,
    };
    Ok(move || Evaluation::new(network.clone()))
}

pub(crate) fn new_pool(
    options: &Options,
    given: Option<&Arc<Network>>,
    control: &Arc<Control>,
    makruk: &Arc<BareKhun>,
) -> Result<AnyPool, EngineError> {
    let mut pool = dispatch!(any R of options.variant => Pool::new(1, control.clone(), maker::<R>(options, given)?)?);
    dispatch!(&mut pool, pool => {
        pool.resize(options.hash)?;
        if options.threads > 1 {
            pool.set_threads(options.threads)?;
        }
        pool.set_overhead(options.move_overhead);
    });
    match &mut pool {
        // They were fine when the path was set; should they have gone, one can play without.
        Any::Chess(pool) | Any::Chess960(pool) if !options.syzygy_path.is_empty() => {
            if let Ok(tables) = tables::open(&options.syzygy_path) {
                pool.set_tables(Some(tables))?;
            }
        }
        Any::Chess(_) | Any::Chess960(_) => {}
        Any::Makruk(pool) => pool.set_tables(Some(makruk.clone()))?,
    }
    Ok(pool)
}
