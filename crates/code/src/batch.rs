//! Many positions at once, on all cores.

use std::num::NonZero;
use std::thread;

use rukh_core::Position;

use crate::plain::Coded;
use crate::plain::sealed::Parts;
use crate::{CodeError, Codec, Format, PositionCode};

/// Fewer positions than this are not worth a thread.
const WORTHWHILE: usize = 256;

/// Positions that are looked through at once; those that the model has to code fill its registers.
const GROUP: usize = 64;

impl<R: Coded> Codec<R> {
    /// The direct codes of many positions, in their order, computed on all cores (on one where there are no threads).
    pub fn encode_many(&self, positions: &[Position<R>]) -> Vec<Result<PositionCode, CodeError>> {
        let groups: Vec<_> = positions.chunks(GROUP).collect();
        spread(&groups, WORTHWHILE / GROUP, |group| self.encode_group(group)).into_iter().flatten().collect()
    }

    /// The positions of many direct codes, in their order, computed on all cores.
    pub fn decode_many(&self, codes: &[PositionCode]) -> Vec<Result<Position<R>, CodeError>> {
        let groups: Vec<_> = codes.chunks(GROUP).collect();
        spread(&groups, WORTHWHILE / GROUP, |group| self.decode_group(group)).into_iter().flatten().collect()
    }

    fn encode_group(&self, positions: &[Position<R>]) -> Vec<Result<PositionCode, CodeError>> {
        let (mut codes, mut learned) = (Vec::with_capacity(positions.len()), Vec::new());
        for pos in positions {
            let Parts(plain) = R::take_apart(pos);
            codes.push(match self.exact_rank(&plain) {
                Ok(Some(rank)) => Ok(PositionCode::direct(rank)),
                Ok(None) => {
                    learned.push(plain);
                    Err(CodeError::DoesNotFit)
                }
                Err(error) => Err(error),
            });
        }
        let waiting = codes.iter_mut().filter(|code| matches!(code, Err(CodeError::DoesNotFit)));
        for (code, found) in waiting.zip(self.coder().encode_together(&learned)) {
            *code = found.map(PositionCode::direct).ok_or(CodeError::DoesNotFit);
        }
        codes
    }

    fn decode_group(&self, codes: &[PositionCode]) -> Vec<Result<Position<R>, CodeError>> {
        let payload = |code: &PositionCode| match code.format() {
            Format::Direct(payload) if payload >= self.coder().start => Some(payload),
            _ => None,
        };
        let learned: Vec<u64> = codes.iter().filter_map(payload).collect();
        let mut found = self.coder().decode_together(&learned).into_iter();
        let one = |code: &PositionCode| match payload(code) {
            Some(_) => self.learned(found.next().flatten()),
            None => self.decode(*code),
        };
        codes.iter().map(one).collect()
    }
}

/// `work` for every input, in input order, on all cores.
pub fn in_parallel<T: Sync, U: Send>(inputs: &[T], work: impl Fn(&T) -> U + Sync) -> Vec<U> {
    spread(inputs, WORTHWHILE, work)
}

fn spread<T: Sync, U: Send>(inputs: &[T], worthwhile: usize, work: impl Fn(&T) -> U + Sync) -> Vec<U> {
    let cores = thread::available_parallelism().map_or(1, NonZero::get);
    let threads = cores.min(inputs.len() / worthwhile);
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
