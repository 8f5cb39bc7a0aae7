//! Starting engines with their options, and looking at them before the match.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use rukh_core::Variant;

use super::log::Log;
use super::process::{Failure, Patience, Process};
use super::spec::{EngineSpec, OptionSetting, same_name};
use super::uci::UciOption;

/// Starts an engine and makes it ready to play the variant.
pub fn start(
    spec: &EngineSpec,
    label: &str,
    variant: Variant,
    patience: Patience,
    log: Option<Arc<Log>>,
    stop: &AtomicBool,
) -> Result<Process, Failure> {
    let mut process = Process::spawn(spec, label, log)
        .map_err(|error| Failure::Crash(format!("cannot start '{}': {error}", spec.command)))?;
    process.handshake(patience, stop)?;
    for line in settings(spec, variant, &process.options).commands {
        process.send(&line)?;
    }
    process.ready(patience, stop)?;
    Ok(process)
}

/// The `setoption` lines of an engine, and what is wrong with its settings.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Settings {
    /// `setoption` lines.
    pub commands: Vec<String>,
    /// Reasons not to play at all: the match would not be the one asked for.
    pub errors: Vec<String>,
    /// Common settings that this engine does not have.
    pub remarks: Vec<String>,
}

/// Works out what to send, from what the user wants and what the engine offers.
pub fn settings(spec: &EngineSpec, variant: Variant, offered: &[UciOption]) -> Settings {
    let mut result = Settings::default();
    let find = |name: &str| offered.iter().find(|option| same_name(&option.name, name));
    let asked = |name: &str| spec.options.iter().any(|setting| same_name(&setting.name, name));
    for (name, value) in variant_options(variant) {
        // The user's own word goes last and wins.
        match find(name) {
            _ if asked(name) => {}
            Some(option) if option.default == value => {}
            Some(option) => match option.reject(value) {
                None => result.commands.push(set(&option.name, value)),
                Some(why) => result.errors.push(format!("it does not play {}: {name}: {why}", variant.name())),
            },
            // Plain chess needs neither option.
            None if matches!(value, "chess" | "false") => {}
            None => result.errors.push(format!("it does not play {}: it has no option {name}", variant.name())),
        }
    }
    for OptionSetting { name, value, lenient } in &spec.options {
        match find(name) {
            Some(option) => match option.reject(value) {
                None => result.commands.push(set(&option.name, value)),
                Some(why) => result.errors.push(format!("option {name}={value}: {why}")),
            },
            None if *lenient => result.remarks.push(format!("it has no option {name}")),
            None => {
                let names: Vec<&str> = offered.iter().map(|option| option.name.as_str()).collect();
                result.errors.push(format!("it has no option {name}; it has: {}", names.join(", ")));
            }
        }
    }
    result
}

fn variant_options(variant: Variant) -> Vec<(&'static str, &'static str)> {
    match variant {
        Variant::Chess => vec![("UCI_Variant", "chess"), ("UCI_Chess960", "false")],
        Variant::Chess960 => vec![("UCI_Chess960", "true")],
        Variant::Makruk => vec![("UCI_Variant", "makruk")],
    }
}

/// The `setoption` line of an option.
pub fn set(name: &str, value: &str) -> String {
    if value.is_empty() { format!("setoption name {name}") } else { format!("setoption name {name} value {value}") }
}

/// What a first look at the engines found.
#[derive(Debug, Default)]
pub struct Inspection {
    /// One distinct name per engine.
    pub names: Vec<String>,
    /// Things worth saying, not worth stopping for.
    pub remarks: Vec<String>,
}

/// Starts every engine once before the match: a wrong command, option or variant is an error now, not a lost game later.
/// An engine that starts but does not answer is left to lose its games.
pub fn inspect(
    specs: &[EngineSpec],
    variant: Variant,
    patience: Patience,
    stop: &AtomicBool,
) -> Result<Inspection, String> {
    let mut found = Inspection::default();
    for spec in specs {
        let shown = spec.fallback_name();
        let mut process = Process::spawn(spec, &shown, None)
            .map_err(|error| format!("cannot start the engine '{}': {error}", spec.command))?;
        match process.handshake(patience, stop) {
            Ok(()) => {
                let settings = settings(spec, variant, &process.options);
                if let Some(error) = settings.errors.first() {
                    return Err(format!("engine {shown}: {error}"));
                }
                found.remarks.extend(settings.remarks.iter().map(|remark| format!("engine {shown}: {remark}")));
            }
            Err(Failure::Interrupted) => return Err("interrupted".to_owned()),
            Err(failure) => found.remarks.push(format!("engine {shown} {failure}: it will lose its games")),
        }
        let own = process.id_name.clone().filter(|name| spec.name.is_empty() && !name.is_empty());
        found.names.push(own.unwrap_or(shown));
        process.quit();
    }
    make_distinct(&mut found.names);
    Ok(found)
}

/// Engines of the same name get a number.
fn make_distinct(names: &mut [String]) {
    for i in 0..names.len() {
        let base = names[i].clone();
        let mut number = 2;
        while names[..i].contains(&names[i]) {
            names[i] = format!("{base} ({number})");
            number += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn offered(lines: &[&str]) -> Vec<UciOption> {
        lines.iter().map(|line| UciOption::parse(line).unwrap()).collect()
    }

    const HASH: &str = "option name Hash type spin default 16 min 1 max 1024";
    const FRC: &str = "option name UCI_Chess960 type check default false";
    const VARIANT: &str = "option name UCI_Variant type combo default chess var chess var makruk";

    fn spec(text: &str, each: &str) -> EngineSpec {
        EngineSpec::parse(text, each).unwrap()
    }

    #[test]
    fn options_are_set_under_their_own_names() {
        let settings = settings(&spec("x option.hash=32", "option.Ponder=false"), Variant::Chess, &offered(&[HASH]));
        assert_eq!(settings.commands, ["setoption name Hash value 32"]);
        assert_eq!(settings.remarks, ["it has no option Ponder"]);
        assert!(settings.errors.is_empty());
    }

    #[test]
    fn mistakes_are_errors() {
        let of = |text| settings(&spec(text, ""), Variant::Chess, &offered(&[HASH])).errors;
        assert_eq!(of("x option.Hsh=32"), ["it has no option Hsh; it has: Hash"]);
        assert_eq!(of("x option.Hash=0"), ["option Hash=0: expected 1 to 1024"]);
    }

    #[test]
    fn variants_are_asked_for() {
        let of = |variant, lines: &[&str]| settings(&spec("x", ""), variant, &offered(lines));
        assert_eq!(of(Variant::Chess, &[HASH]), Settings::default());
        assert_eq!(of(Variant::Chess, &[FRC, VARIANT]), Settings::default());
        assert_eq!(of(Variant::Chess960, &[FRC]).commands, ["setoption name UCI_Chess960 value true"]);
        assert_eq!(of(Variant::Makruk, &[VARIANT]).commands, ["setoption name UCI_Variant value makruk"]);
        assert_eq!(of(Variant::Chess960, &[HASH]).errors.len(), 1);
        assert_eq!(of(Variant::Makruk, &[HASH]).errors.len(), 1);
        let no_makruk = "option name UCI_Variant type combo default chess var chess var atomic";
        assert_eq!(of(Variant::Makruk, &[no_makruk]).errors.len(), 1);
    }

    #[test]
    fn names_differ() {
        let mut names = ["a", "a", "b", "a"].map(str::to_owned);
        make_distinct(&mut names);
        assert_eq!(names, ["a", "a (2)", "b", "a (3)"]);
    }
}
