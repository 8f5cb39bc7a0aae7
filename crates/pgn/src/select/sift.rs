//! Whole files: games are read, chosen, and written to one file or to many.

use std::collections::BTreeMap;
use std::fmt::Display;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use rukh_core::Writing;
use rukh_files::{OutputFile, same_input};

use super::{Facts, Filter, Selection, Selector, SplitBy, SplitNames};
use crate::stream::{GameVisitor, Stream};
use crate::{GameTree, Packed, PgnError, PgnGame, PgnReader, PgnWriter, Reason, TagFilter, Tags, TreeReader};

/// A game of a file, with everything in it or its main line alone.
pub enum Shown<'a> {
    /// With variations and comments.
    Tree(&'a GameTree),
    /// The main line.
    Line(&'a PgnGame),
}

impl<'a> Shown<'a> {
    fn facts(&self) -> Facts<'a> {
        match *self {
            Shown::Tree(tree) => tree.into(),
            Shown::Line(game) => game.into(),
        }
    }

    fn write(&self, writer: &mut PgnWriter<Vec<u8>>) -> io::Result<()> {
        match *self {
            Shown::Tree(tree) => writer.write_tree(tree),
            Shown::Line(game) => writer.write_game(game),
        }
    }
}

/// Shows every game of a file that passes `by_tags`, and what is wrong with the others or odd about it; a file that cannot be
/// opened is one such problem.
pub fn each_game<E>(
    path: &Path,
    main_line: bool,
    by_tags: TagFilter,
    visit: impl FnMut(Result<Shown<'_>, PgnError>) -> Result<(), E>,
) -> Result<(), E> {
    if main_line {
        show(PgnReader::open(path).map(|reader| reader.with_filter(by_tags).0), |line| Shown::Line(&line.game), visit)
    } else {
        show(
            TreeReader::open(path).map(|reader| reader.with_filter(by_tags).0),
            |built| Shown::Tree(&built.tree),
            visit,
        )
    }
}

fn show<V: GameVisitor, E>(
    stream: Result<Stream<V>, PgnError>,
    shown: impl Fn(&V) -> Shown<'_>,
    mut visit: impl FnMut(Result<Shown<'_>, PgnError>) -> Result<(), E>,
) -> Result<(), E> {
    let mut stream = match stream {
        Ok(stream) => stream,
        Err(error) => return visit(Err(error)),
    };
    while let Some(game) = stream.next_game() {
        visit(game.map(|visitor| shown(visitor)))?;
        stream.take_notes().into_iter().try_for_each(|note| visit(Err(note)))?;
    }
    Ok(())
}

/// More files than this are a mistake.
const MOST_FILES: usize = 1000;

/// Where chosen games go: one file, or many by name. Nothing stands in its place before all is read.
pub struct Target(Out);

enum Out {
    One { path: Option<PathBuf>, writer: PgnWriter<Packed<OutputFile>> },
    Many { folder: PathBuf, names: SplitNames, open: BTreeMap<String, PgnWriter<OutputFile>> },
}

impl Target {
    /// A file, packed if its name says so, or standard output.
    pub fn file(path: Option<&Path>) -> io::Result<Target> {
        let sink = Packed::new(path.unwrap_or("-".as_ref()), OutputFile::create_or_stdout(path)?)?;
        Ok(Target(Out::One { path: path.map(Path::to_owned), writer: PgnWriter::standard(sink) }))
    }

    /// A folder, which is made if it is not there. None of its files is written over.
    pub fn folder(folder: PathBuf, by: SplitBy) -> io::Result<Target> {
        std::fs::create_dir_all(&folder)
            .map_err(|error| io::Error::new(error.kind(), format!("{}: {error}", folder.display())))?;
        Ok(Target(Out::Many { folder, names: SplitNames::new(by), open: BTreeMap::new() }))
    }

    /// The name of the file of a game; empty where there is one only.
    fn name(&mut self, at: u64, game: &Facts<'_>) -> String {
        match &mut self.0 {
            Out::One { .. } => String::new(),
            Out::Many { names, .. } => names.name(at, game),
        }
    }

    fn write(&mut self, name: &str, text: &[u8]) -> io::Result<()> {
        let (folder, open) = match &mut self.0 {
            Out::One { writer, .. } => return writer.write_text(text),
            Out::Many { folder, open, .. } => (folder, open),
        };
        if let Some(writer) = open.get_mut(name) {
            return writer.write_text(text);
        }
        if open.len() == MOST_FILES {
            return Err(io::Error::other(format!("this would be more than {MOST_FILES} files; nothing was written")));
        }
        let path = folder.join(format!("{name}.pgn"));
        // Its name was not chosen by the user, so neither is what would be lost.
        if path.exists() {
            return Err(io::Error::other(format!("{} is there already; nothing was written", path.display())));
        }
        let mut writer = PgnWriter::standard(OutputFile::create(path)?);
        writer.write_text(text)?;
        open.insert(name.to_owned(), writer);
        Ok(())
    }

    /// Puts everything in its place; says how many files there are in a folder.
    fn finish(self, inputs: &[PathBuf], problems: u64) -> io::Result<Option<u64>> {
        match self.0 {
            Out::One { path, writer } => {
                let whole = writer.finish()?.finish()?;
                // What could not be read would be gone with the file that it is in.
                if let Some(out) = path.filter(|out| problems > 0 && inputs.iter().any(|input| same_input(out, input)))
                {
                    let (out, s) = (out.display(), if problems == 1 { "" } else { "s" });
                    return Err(io::Error::other(format!(
                        "{problems} problem{s}: {out} is left as it is; write to another file to have the rest"
                    )));
                }
                whole.commit()?;
                Ok(None)
            }
            Out::Many { open, .. } => {
                let files = open.len() as u64;
                open.into_values().try_for_each(|writer| writer.finish()?.commit())?;
                Ok(Some(files))
            }
        }
    }
}

/// Which games are wanted, and how they are written.
pub struct Sift {
    /// Games that pass it …
    pub filter: Filter,
    /// … are chosen from and put in order by this.
    pub selection: Selection,
    /// Without variations and comments.
    pub main_line: bool,
    /// How moves are written.
    pub writing: Writing,
    /// The class of an opening that a game does not name itself.
    pub class: fn(&Facts<'_>) -> Option<String>,
}

/// What a [`Sift`] says on its way.
pub enum Told<'a> {
    /// So many games were read, with those that their tags ruled out.
    Read(u64),
    /// Something is wrong with a game or a file; the rest is used.
    Problem(&'a dyn Display),
}

/// What a [`Sift`] has done.
#[derive(Debug, Default)]
pub struct Sifted {
    /// Games that were read.
    pub read: u64,
    /// Games that were written.
    pub written: u64,
    /// Games that were there already.
    pub duplicates: u64,
    /// Files in the folder, if it was one.
    pub files: Option<u64>,
}

impl Sift {
    /// Reads the files, and writes what is wanted to `target`.
    pub fn run(self, inputs: &[PathBuf], mut target: Target, mut tell: impl FnMut(Told<'_>)) -> io::Result<Sifted> {
        let Sift { filter, selection, main_line, writing, class } = self;
        let read = Arc::new(AtomicU64::new(0));
        let (mut selector, mut written, mut problems) = (Selector::new(selection), 0, 0);
        for path in inputs {
            let (by_tags, count) = (filter.clone(), Arc::clone(&read));
            let by_tags = move |tags: &Tags| {
                count.fetch_add(1, Relaxed);
                by_tags.tags_pass(tags)
            };
            each_game(path, main_line, Box::new(by_tags), |game| {
                let game = match game {
                    Ok(game) => game,
                    Err(problem) => {
                        problems += 1;
                        tell(Told::Problem(&problem));
                        return Ok(());
                    }
                };
                tell(Told::Read(read.load(Relaxed)));
                let facts = game.facts();
                if !filter.game_passes(&facts, || class(&facts)) {
                    return Ok(());
                }
                let (mut made, name) = (Ok(()), target.name(written, &facts));
                let chosen = selector.take(&facts, || {
                    let mut writer = PgnWriter::standard(Vec::new()).with_writing(writing);
                    made = game.write(&mut writer);
                    (name, made.as_ref().map_or(Vec::new(), |()| writer.finish().unwrap_or_default()))
                });
                match (made, chosen) {
                    // Too large to be read again: a problem of this game. Any other error is one of the output.
                    (Err(error), _) if error.get_ref().is_some_and(|inner| inner.is::<Reason>()) => {
                        problems += 1;
                        tell(Told::Problem(&format_args!("{}: {error}", path.display())));
                    }
                    (Ok(()), Some((name, text))) => {
                        written += 1;
                        target.write(&name, &text)?;
                    }
                    (made, _) => made?,
                }
                Ok::<(), io::Error>(())
            })?;
        }
        let duplicates = selector.duplicates;
        // (A game that could not be written was told of above.)
        for (name, text) in selector.rest().filter(|(_, text)| !text.is_empty()) {
            written += 1;
            target.write(&name, &text)?;
        }
        let files = target.finish(inputs, problems)?;
        Ok(Sifted { read: read.load(Relaxed), written, duplicates, files })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rukh_testing::Folder;

    const GAMES: &str = "[White \"Anna\"]\n[Date \"2001.01.01\"]\n\n1. e4 {x} e5 (1... c5) 1-0\n\n[White \"Bert\"]\n\n1. d4 *\n\n\
                         [White \"Anna\"]\n[Date \"2002.??.??\"]\n\n1. c4 0-1\n";
    const BROKEN: &str = "[White \"Cleo\"]\n\n1. Ke3 *\n";

    fn folder(name: &str, games: &str) -> (Folder, PathBuf) {
        let folder = Folder::new(name);
        let input = folder.put("g.pgn", games);
        (folder, input)
    }

    fn run(player: &str, main_line: bool, input: &Path, target: Target) -> (io::Result<Sifted>, Vec<String>) {
        let filter = Filter { player: Some(player.to_owned()), ..Filter::default() };
        let sift =
            Sift { filter, selection: Selection::default(), main_line, writing: Writing::default(), class: |_| None };
        let mut said = Vec::new();
        let done = sift.run(&[input.to_owned()], target, |told| {
            if let Told::Problem(problem) = told {
                said.push(problem.to_string());
            }
        });
        (done, said)
    }

    #[test]
    fn games_are_chosen_and_written() {
        let (folder, input) = folder("one", GAMES);
        let out = folder.join("out.pgn");
        let (done, said) = run("anna", false, &input, Target::file(Some(&out)).unwrap());
        let done = done.unwrap();
        assert_eq!((done.read, done.written, done.files, said.len()), (3, 2, None, 0));
        let text = std::fs::read_to_string(&out).unwrap();
        assert!(text.contains("(1... c5)") && text.contains("1. c4 0-1") && !text.contains("Bert"), "{text}");
        // Onto itself, and without what is not wanted.
        run("", true, &out, Target::file(Some(&out)).unwrap()).0.unwrap();
        assert!(!std::fs::read_to_string(&out).unwrap().contains("c5"));
    }

    /// What was kept until the end had an empty game in its place.
    #[test]
    fn a_game_that_is_too_large_to_be_written_is_told_and_left_out() {
        let comment = "x ".repeat(crate::MAX_GAME_BYTES / 2 - 20);
        let (folder, input) = folder("large", &format!("{GAMES}\n[White \"Dora\"]\n\n1. e4 {{{comment}}} *\n"));
        let (out, selection) = (folder.join("out.pgn"), Selection { reverse: true, ..Selection::default() });
        let filter = Filter::default();
        let sift = Sift { filter, selection, main_line: false, writing: Writing::default(), class: |_| None };
        let mut said = Vec::new();
        let done = sift.run(&[input], Target::file(Some(&out)).unwrap(), |told| {
            if let Told::Problem(problem) = told {
                said.push(problem.to_string());
            }
        });
        let done = done.unwrap();
        assert!(said.len() == 1 && said[0].contains("larger than"), "{said:?}");
        assert_eq!((done.read, done.written), (4, 3));
        let text = std::fs::read_to_string(&out).unwrap();
        assert!(text.starts_with("[Event") && text.matches("[White ").count() == 3, "{}", &text[..200]);
    }

    #[test]
    fn nothing_is_lost() {
        let (folder, input) = folder("lost", &format!("{GAMES}\n{BROKEN}"));
        let (done, said) = run("", false, &input, Target::file(Some(&input)).unwrap());
        assert!(done.unwrap_err().to_string().starts_with("1 problem: "), "{said:?}");
        assert_eq!(said.len(), 1);
        assert!(std::fs::read_to_string(&input).unwrap().ends_with(BROKEN), "it is left as it is");
        let years = || Target::folder(folder.join("years"), "year".parse().unwrap()).unwrap();
        assert_eq!(run("", false, &input, years()).0.unwrap().files, Some(3));
        let first = folder.join("years/2001.pgn");
        std::fs::write(&first, "mine").unwrap();
        assert!(run("", false, &input, years()).0.unwrap_err().to_string().contains("is there already"));
        assert_eq!(std::fs::read_to_string(&first).unwrap(), "mine");
    }
}
