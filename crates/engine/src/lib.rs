//! The public API of the Rukh engine.
