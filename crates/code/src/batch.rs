//! Many positions at once, on all cores.

use std::num::NonZero;
use std::thread;

use rukh_core::Position;

use crate::plain::Coded;
use crate::{CodeError, Codec, PositionCode};

/// Fewer positions than this are not worth a thread.
const WORTHWHILE: usize = 256;

impl<R: Coded> Codec<R> {
    /// The direct codes of many positions, in their order, computed on all cores (on one where there are no threads).
    pub fn encode_many(&self, positions: &[Position<R>]) -> Vec<Result<PositionCode, CodeError>> {
        in_parallel(positions, |pos| self.encode(pos))
    }

    /// The positions of many direct codes, in their order, computed on all cores.
    pub fn decode_many(&self, codes: &[PositionCode]) -> Vec<Result<Position<R>, CodeError>> {
        in_parallel(codes, |&code| self.decode(code))
    }
}

/// `work` for every input, in input order, on all cores.
pub fn in_parallel<T: Sync, U: Send>(inputs: &[T], work: impl Fn(&T) -> U + Sync) -> Vec<U> {
    let cores = thread::available_parallelism().map_or(1, NonZero::get);
    let threads = cores.min(inputs.len() / WORTHWHILE);
    if threads < 2 {
        return inputs.iter().map(work).collect();
    }
    let share = inputs.len().div_ceil(threads);
    let work = &work;
    thread::scope(|scope| {
        let mut parts = Vec::new();
        for part in inputs.chunks(share) {
            let job = move || part.iter().map(work).collect::<Vec<_>>();
            parts.push(thread::Builder::new().spawn_scoped(scope, job).map_err(|_| part));
        }
        let mut results = Vec::with_capacity(inputs.len());
        for part in parts {
            match part.map(thread::ScopedJoinHandle::join) {
                Ok(Ok(done)) => results.extend(done),
                Ok(Err(panic)) => std::panic::resume_unwind(panic),
                // The system had no thread to give: do it here.
                Err(part) => results.extend(part.iter().map(work)),
            }
        }
        results
    })
}
