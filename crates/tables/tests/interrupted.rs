//! Tables made bit by bit are the tables made in one go.

use core::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use rukh_tables::Tables;

/// Polls of one turn: the work has some nineteen thousand, so that it stops in every stage of every ending.
const TURN: usize = 37;

#[test]
fn work_that_is_interrupted_goes_on_where_it_was() {
    let mut turns = 0;
    let tables = loop {
        let polls = AtomicUsize::new(0);
        let done = Tables::four_men_while(&|| polls.fetch_add(1, Relaxed) < TURN);
        // No turn may go on after it was told to end.
        assert!(polls.into_inner() <= TURN + 1);
        turns += 1;
        if let Some(tables) = done {
            break tables;
        }
    };
    assert!(turns > 300, "{turns} turns: a stop would have to wait");
    let whole = Tables::with_men(4, 1);
    assert_eq!((tables.iter().count(), tables.max_men()), (14, 4));
    for (a, b) in tables.iter().zip(whole.iter()) {
        let name = a.material();
        assert_eq!((name, a.size(), a.census()), (b.material(), b.size(), b.census()));
        assert!(a.check(), "{name}");
        tables.cross_check(name, 2000, 7).unwrap();
    }
    // Now they are there, nobody is asked.
    assert!(Tables::four_men_while(&|| unreachable!()).is_some());
    assert!(std::ptr::eq(Tables::four_men().as_ref(), tables.as_ref()));
}
