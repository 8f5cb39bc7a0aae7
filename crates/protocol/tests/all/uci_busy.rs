//! Every UCI command while something runs: nothing is lost, and `stop`, `quit` and the end of input are always heard.

use std::io::{self, BufReader, Read, Write};
use std::sync::{Arc, Mutex, mpsc};
use std::thread::{self, ThreadId};
use std::time::Duration;

use crate::common::{Said, Talk, count};
use rukh_protocol::Output;
use rukh_protocol::uci::{Session, converse};

/// What may run, with the `bestmove` lines that it owes.
const RUNNING: [(&str, usize); 9] = [
    ("position startpos\ngo depth 200", 1),
    ("position startpos\ngo infinite", 1),
    ("position startpos\ngo", 1),
    ("position startpos\ngo ponder wtime 1000000 btime 1000000", 1),
    ("position startpos\ngo mate 30", 1),
    ("position startpos moves e2e5\ngo infinite", 1),
    ("position fen 7k/5Q2/6K1/8/8/8/8/8 b - - 0 1\ngo infinite", 1),
    ("position startpos\ngo perft 11", 0),
    ("position startpos\nbench 99", 0),
];

/// What may come meanwhile, with the `bestmove` lines that it owes.
const MEANWHILE: [(&str, usize); 26] = [
    ("", 0),
    ("uci", 0),
    ("isready", 0),
    ("debug on", 0),
    ("d", 0),
    ("eval", 0),
    ("flip", 0),
    ("help", 0),
    ("xyzzy", 0),
    ("ponderhit", 0),
    ("ucinewgame", 0),
    ("position startpos moves e2e4", 0),
    ("position rubbish", 0),
    ("setoption name Hash value 4", 0),
    ("setoption name Threads value 2", 0),
    ("setoption name UCI_Variant value makruk", 0),
    ("setoption name Clear Hash", 0),
    ("setoption name MultiPV value 3", 0),
    ("go depth 200", 1),
    ("go infinite", 1),
    ("go depth x", 1),
    ("go searchmoves a1a1 depth 2", 1),
    ("go perft 2", 0),
    ("bench 1", 0),
    ("position startpos\ngo infinite\nsetoption name Hash value 2\nucinewgame\ngo depth 99\nisready\neval", 2),
    ("stop\ngo infinite\nisready", 1),
];

#[test]
fn stop_is_always_heard() {
    for (running, owed) in RUNNING {
        let talk = Talk::new();
        for (meanwhile, more) in MEANWHILE {
            let what = format!("{running} / {meanwhile}");
            talk.send("setoption name UCI_Variant value chess\nsetoption name Threads value 1");
            talk.send(&format!("{running}\n{meanwhile}\nstop\nisready"));
            let said = talk.settled(&what);
            assert_eq!(count(&said, "bestmove "), owed + more, "{what}: {said:#?}");
            assert_eq!(count(&said, "readyok"), 1 + what.matches("isready").count(), "{what}: {said:#?}");
            // The engine is all there.
            talk.send("setoption name UCI_Variant value chess\nucinewgame\nposition startpos\ngo depth 1");
            let said = talk.settled(&what);
            assert!(said.last().is_some_and(|line| line.len() > "bestmove (none)".len() - 3), "{what}: {said:#?}");
        }
    }
}

#[test]
fn quit_is_always_heard() {
    // A count of leaves is what a script waits for.
    for (running, owed) in RUNNING.into_iter().filter(|(running, _)| !running.contains("perft")) {
        for (meanwhile, more) in MEANWHILE {
            let talk = Talk::new();
            talk.send(&format!("{running}\n{meanwhile}"));
            let what = format!("{running} / {meanwhile}");
            let said = talk.quit(&what);
            assert_eq!(count(&said, "bestmove "), owed + more, "{what}: {said:#?}");
        }
    }
}

/// `isready` does not wait for a search that goes on, whatever else waits.
#[test]
fn isready_is_answered_while_the_search_goes_on() {
    let talk = Talk::new();
    talk.send("position startpos\ngo depth 200\nposition startpos moves e2e4\nsetoption name Hash value 4\nisready");
    talk.said.wait_for("readyok");
    assert!(!talk.session.is_idle());
    talk.send("stop");
    let said = talk.settled("stop");
    assert_eq!(count(&said, "bestmove "), 1);
    // Once the search has been told to end, `readyok` says that all before it is done.
    talk.send("go infinite\nposition startpos moves d2d4\nd\nisready");
    let said = talk.settled("in order");
    let at = |start: &str| said.iter().position(|line| line.starts_with(start)).unwrap_or(usize::MAX);
    assert!(at("bestmove ") < at("Fen: ") && at("Fen: ") < at("readyok"), "{said:#?}");
}

/// What a bench has counted when it is stopped is not its checksum.
#[test]
fn a_bench_that_is_stopped_gives_no_total() {
    let talk = Talk::new();
    talk.send("bench 99\nstop");
    let said = talk.settled("stopped");
    assert!(said.last().is_some_and(|line| line.starts_with("info string bench stopped after ")), "{said:#?}");
    assert!(!said.iter().any(|line| line.contains("nps")), "{said:#?}");
    // The next one is whole; the end of input, unlike `quit`, lets it finish, even where it has to wait.
    talk.send("go depth 6\nbench 1\ngo perft 3");
    talk.session.finish();
    let said = talk.said.take();
    assert!(said.iter().any(|line| line.ends_with(" nps")), "{said:#?}");
    assert!(said.iter().any(|line| line == "Nodes searched: 8902"), "{said:#?}");
}

/// Lines that come when the test says so; remembers which thread read them.
struct Dictated {
    lines: mpsc::Receiver<String>,
    line: Vec<u8>,
    at: usize,
    readers: Arc<Mutex<Vec<ThreadId>>>,
}

impl Read for Dictated {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        if self.at == self.line.len() {
            self.line = self.lines.recv().map_or(Vec::new(), |line| format!("{line}\n").into_bytes());
            self.at = 0;
            self.readers.lock().unwrap().push(thread::current().id());
        }
        let n = to.len().min(self.line.len() - self.at);
        to[..n].copy_from_slice(&self.line[self.at..self.at + n]);
        self.at += n;
        Ok(n)
    }
}

/// Writes through, and remembers which thread said `bestmove`.
struct Witness(Said, Arc<Mutex<Vec<ThreadId>>>);

impl Write for Witness {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if bytes.starts_with(b"bestmove") {
            self.1.lock().unwrap().push(thread::current().id());
        }
        self.0.write(bytes)
    }
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// The thread that reads `go` searches, and the other one reads on: no search waits for a thread to wake.
#[test]
fn who_reads_go_searches() {
    let (send, lines) = mpsc::channel();
    let (said, readers, answerers) =
        (Said::default(), Arc::<Mutex<Vec<_>>>::default(), Arc::<Mutex<Vec<_>>>::default());
    let session = Session::new(Arc::new(Output::new(Witness(said.clone(), answerers.clone())))).unwrap();
    let input = Dictated { lines, line: Vec::new(), at: 0, readers: readers.clone() };
    let conversation = thread::spawn(move || converse(&session, BufReader::new(input)));
    for round in 0..6 {
        send.send("go infinite".to_owned()).unwrap();
        said.wait_for("info depth 2 ");
        send.send("isready".to_owned()).unwrap();
        said.wait_for("readyok");
        send.send("stop".to_owned()).unwrap();
        said.wait_for("bestmove ");
        said.take();
        let (readers, answerers) = (readers.lock().unwrap(), answerers.lock().unwrap());
        let [go, ready, stop] = readers[3 * round..3 * round + 3] else { panic!("three lines") };
        assert_eq!(answerers[round], go, "the search ran elsewhere");
        assert!(ready != go && stop == ready, "the searching thread cannot read");
    }
    send.send("go infinite\nquit".to_owned()).unwrap();
    conversation.join().unwrap().unwrap();
    assert_eq!(count(&said.take(), "bestmove "), 1);
}

/// A script may send all its lines at once: each search is finished in turn.
#[test]
fn a_script_is_carried_out_in_order() {
    let talk = Talk::new();
    talk.send(
        "position startpos\ngo depth 3\nposition startpos moves e2e4\nd\ngo depth 2 searchmoves a7a6\ngo perft 2\nd",
    );
    let said = talk.settled("script");
    let at =
        |text: &str| said.iter().position(|line| line.starts_with(text)).unwrap_or_else(|| panic!("{text}: {said:#?}"));
    assert!(at("info depth 3 ") < at("Fen: ") && at("Fen: ") < at("bestmove a7a6"));
    assert!(at("bestmove a7a6") < at("Nodes searched: 600"));
    assert_eq!(count(&said, "bestmove "), 2);
    assert_eq!(count(&said, "Fen: rnbqkbnr/pppppppp/8/8/4P3/"), 2);
}

/// A count may be long; `stop` ends it in the middle.
#[test]
fn stop_ends_a_count() {
    let talk = Talk::new();
    talk.send("position startpos\ngo perft 12\nstop");
    assert_eq!(count(&talk.settled("perft"), "Nodes searched: "), 1);
}

/// A search without a limit that had to wait for another one is ended by what came after it, too: this hung for ever.
#[test]
fn an_endless_search_that_waited_is_ended() {
    let talk = Talk::new();
    for after in ["position startpos\ngo depth 3", "go depth 1", "setoption name Hash value 2\ngo depth 1"] {
        for endless in ["go infinite", "go", "go ponder wtime 1000000 btime 1000000"] {
            let what = format!("go depth 8\n{endless}\n{after}");
            talk.send(&format!("position startpos\n{what}"));
            let said = talk.settled(&what);
            assert_eq!(count(&said, "bestmove "), 3, "{what}: {said:#?}");
        }
    }
}

/// Lets everybody see what is written, and then takes its time, as a system does that gives the core to somebody else.
struct Slow(Said);

impl Write for Slow {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.0.write(bytes)?;
        std::thread::sleep(Duration::from_millis(20));
        Ok(written)
    }
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Whoever has read the last line of a search or a count finds it ended: the next command is carried out before `isready`
/// is answered.
#[test]
fn after_the_last_line_nothing_runs() {
    for (job, last) in [("go depth 1", "bestmove "), ("go perft 1", "info string perft 1")] {
        let said = Said::default();
        let session = Session::new(Arc::new(Output::new(Slow(said.clone())))).unwrap();
        for line in ["position startpos", job] {
            session.line(line);
        }
        said.wait_for(last);
        said.take();
        session.line("setoption name Nonsense value 1");
        session.line("isready");
        said.wait_for("readyok");
        let said = said.take();
        assert!(said.iter().any(|line| line.contains("Nonsense")), "{job}: {said:#?}");
    }
}
