//! `rukh datagen`: self-play games for the trainer, and the tools that turn them into training records.

mod expand;
mod play;
mod repair;
mod run;
mod wdl;

use crate::cli::{Args, CliError};
use rukh_core::{Chess, Makruk, Variant};

pub const SUMMARY: &str = "plays training games against itself, and prepares them for the trainer";
pub const HELP: &str = "\
usage: rukh datagen <chess|makruk> --out FILE [options]      play games (appends; Ctrl-C keeps every finished game)
       rukh datagen info <chess|makruk> FILE...              what is in the files
       rukh datagen expand <chess|makruk> --out FILE FILE... training records of 36 bytes a position
       rukh datagen label <chess|makruk> --out FILE FILE...  records of random neighbours, classical evaluation as score
       rukh datagen repair FILE --out NEW                    all good blocks of a damaged file, in today's format

playing:
  --threads N     threads (default 1)
  --games N       stop after N games (default: no limit)
  --minutes M     stop after M minutes (default: no limit)
  --soft N        soft node limit a move (default 600)
  --hard N        hard node limit a move (default 2.5 times the soft one)
  --seed N        the same seed gives the same blocks of games, whatever the number of threads (default 1)
  --hash MIB      table of each thread (default 2)
  --opening CP    throw away random openings whose first score is larger (default 500; 0: only dead level ones)
  --eval-file F   network to play with, or <classical> (default: as the engine plays)
expand and label:
  --threads N     threads (default 1)
  --max-score CP  leave out positions with larger scores (default 6000)
  --holdout N     one game in N is marked as held out (default 64)
  --ahead X       expand: share of the score one ply later in each score, and so on along the game (default 0)
  --count N       label: how many positions to make (default 1000000)

Only whole games count. A block of games carries checksums; a block cut short by a power failure is dropped when the
file is opened again. Readers skip and report other damage (exit status 1); nothing is appended to such a file.
docs/formats/games.md describes the file, docs/training.md the way from games to a network.
";

pub fn run(mut args: Args) -> Result<(), CliError> {
    let threads: usize = args.parsed("--threads")?.unwrap_or(1);
    if !(1..=1024).contains(&threads) {
        return Err(CliError::usage("--threads: between 1 and 1024"));
    }
    let word: String = args.required("chess|makruk|info|expand|label|repair")?;
    match word.as_str() {
        "repair" => repair::run(args),
        "info" | "expand" | "label" => {
            let job = expand::Job::parse(&word, threads, &mut args)?;
            let variant: Variant = args.required("chess|makruk")?;
            let files = expand::files(args)?;
            match variant {
                Variant::Makruk => job.run::<Makruk>(&files),
                _ => job.run::<Chess>(&files),
            }
        }
        _ => {
            let variant: Variant = word.parse().map_err(|error| CliError::input(error, &word))?;
            let plan = run::Plan::parse(threads, &mut args)?;
            args.finish()?;
            match variant {
                Variant::Makruk => run::run::<Makruk>(&plan),
                _ => run::run::<Chess>(&plan),
            }
        }
    }
}
