//! UCI and XBoard sessions in this process. One binary for all files: linking is what takes time.

mod common;
mod uci_answers;
mod uci_busy;
mod xboard_busy;
