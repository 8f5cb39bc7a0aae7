//! Games and engines of any variant for the commands: what the protocols use, and the options of the command line.

mod setup;

pub use rukh_protocol::game::*;
pub use setup::EngineArgs;
