//! Classical evaluation and NNUE of the Rukh engine.
