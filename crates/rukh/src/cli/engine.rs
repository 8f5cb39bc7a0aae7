//! The engine options that several commands share.

use rukh_core::Variant;
use rukh_engine::{Engine, EngineError, OptionError, Options};

use super::{Args, CliError, Result};

/// Options of the command line, and what the engine calls them.
const OPTIONS: [(&str, &str); 4] =
    [("--threads", "Threads"), ("--hash", "Hash"), ("--syzygy", "SyzygyPath"), ("--eval-file", "EvalFile")];

/// The engine's refusal in the words that the user knows.
pub fn refused(flag: &str, value: &str, error: EngineError) -> CliError {
    match error {
        EngineError::Option(OptionError::Value { expected, .. }) => {
            CliError::input(format!("{flag} takes {expected}"), value)
        }
        other => CliError::input(format!("{flag}: {other}"), value),
    }
}

/// `--variant`, `--threads`, `--hash`, `--syzygy` and `--eval-file` as given.
#[derive(Clone, Debug)]
pub struct EngineArgs {
    /// The rules to play by.
    pub variant: Variant,
    /// Options for the engine, by their UCI names.
    pub options: Vec<(&'static str, String)>,
}

impl EngineArgs {
    /// Takes the options from the command line; the engine judges their values. All cores search, but a search of fixed
    /// nodes or depth is one that should come out the same again.
    pub fn take(args: &Args) -> Result<Self> {
        let variant = args.or("--variant", Variant::Chess)?;
        let mut options = Vec::new();
        args.threads()?;
        args.positive::<u64>("--hash")?;
        for (flag, name) in OPTIONS {
            if let Some(value) = args.option(flag)? {
                options.push((name, value));
            } else if name == "Threads" && args.option("--nodes")?.is_none() && args.option("--depth")?.is_none() {
                options.push((name, args.threads()?.to_string()));
            }
        }
        Ok(Self { variant, options })
    }

    /// An engine set up so.
    pub fn engine(&self) -> Result<Engine> {
        let engine = Engine::new(Options::default())?;
        engine.set_option("UCI_Variant", self.variant.name())?;
        for (name, value) in &self.options {
            let flag = OPTIONS.iter().find(|(_, known)| known == name).map_or(*name, |(flag, _)| flag);
            engine.set_option(name, value).map_err(|error| refused(flag, value, error))?;
        }
        Ok(engine)
    }
}
