//! Search, ordering, transposition table and time of the Rukh engine.
