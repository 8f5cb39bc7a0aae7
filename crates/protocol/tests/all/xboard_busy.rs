//! Every XBoard command while the engine analyses, thinks or ponders: `quit` is always heard, and a ping is answered.

use crate::common::{PATIENCE, Said};
use rukh_protocol::{Output, xboard};
use rukh_testing::NewFile;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};

/// A session in a thread of its own.
struct Talk {
    lines: Option<Sender<String>>,
    said: Said,
    ended: Receiver<()>,
}

impl Talk {
    fn new() -> Talk {
        let (lines, receiver) = channel::<String>();
        let (end, ended) = channel();
        let said = Said::default();
        let output = Arc::new(Output::new(said.clone()));
        std::thread::spawn(move || {
            xboard::converse(receiver.into_iter(), output).unwrap();
            let _ = end.send(());
        });
        Talk { lines: Some(lines), said, ended }
    }

    fn send(&self, lines: &str) {
        for line in lines.lines() {
            self.lines.as_ref().unwrap().send(line.to_owned()).unwrap();
        }
    }

    fn ends(&self, what: &str) {
        assert!(self.ended.recv_timeout(PATIENCE).is_ok(), "{what}: does not end\n{}", self.said.take().join("\n"));
    }
}

const RUNNING: [&str; 5] = [
    "new\nanalyze",
    "new\nst 100000\ngo",
    "new\nlevel 0 1000 0\nhard\nst 0.01\nusermove e2e4",
    "new\nvariant makruk\nanalyze",
    "new\nforce\nsetboard 7k/5Q2/6K1/8/8/8/8/8 b - - 0 1\nanalyze",
];

/// Between bars; nothing at all and several lines at once come besides.
const MEANWHILE: &str = "\
    xboard|protover 2|new|variant normal|variant fischerandom|variant makruk|variant xiangqi|force|go|playother|\
    white|black|level 40 5 0|st 5|sd 3|nps 100|time 100|otim 100|usermove e2e4|usermove e7e5|e2e4|?|ping 1|draw|\
    result 1-0 {adjudication}|setboard 8/8/8/8/8/2k5/7P/K7 w - - 0 1|setboard rubbish|hint|bk|undo|remove|hard|easy|\
    post|nopost|analyze|.|exit|memory 4|memory 999999999|cores 2|cores 0|egtpath syzygy /no/such/folder|\
    option Skill Level=3|option Clear Hash|option UCI_Variant=makruk|option UCI_Chess960=1|option Nonsense=3|edit|\
    xyzzy";
const MUCH: &str = "variant fischerandom\nanalyze\nnew\nanalyze\nvariant makruk\nanalyze\nusermove e3e4\nundo\nmemory 2\nvariant normal";

fn meanwhile() -> impl Iterator<Item = &'static str> {
    MEANWHILE.split('|').chain(["", MUCH])
}

#[test]
fn quit_and_the_end_of_input_are_always_heard() {
    for (at, running) in RUNNING.into_iter().enumerate() {
        for meanwhile in meanwhile() {
            let what = format!("{running} / {meanwhile}");
            let mut talk = Talk::new();
            talk.send(&format!("{running}\n{meanwhile}"));
            // The end of input is no less than `quit`.
            if at == 1 {
                talk.lines = None
            } else {
                talk.send("quit")
            }
            talk.ends(&what);
        }
    }
}

#[test]
fn a_ping_is_always_answered() {
    for running in RUNNING {
        let talk = Talk::new();
        for (n, meanwhile) in meanwhile().enumerate() {
            // `?` and `force` end what would keep a ping waiting: the engine's own move.
            talk.send(&format!("{running}\n{meanwhile}\n?\nforce\nping {}", n + 100));
            talk.said.wait_for(&format!("pong {}", n + 100));
            talk.said.take();
        }
        talk.send("quit");
        talk.ends(running);
    }
}

/// An analysis goes on through a draw that somebody could claim.
#[test]
fn an_analysis_goes_on_through_a_repetition() {
    let talk = Talk::new();
    talk.send("new\nforce\nusermove g1f3\nusermove g8f6\nusermove f3g1\nusermove f6g8\nusermove g1f3\nusermove g8f6\nusermove f3g1");
    talk.send("nopost\nanalyze\nping 1");
    talk.said.wait_for("pong 1");
    talk.said.take();
    talk.send("post\nusermove f6g8\nping 2");
    talk.said.wait_for("pong 2");
    talk.said.wait_for("2 ");
    talk.send("quit");
    talk.ends("quit");
}

/// The memory is the same as in UCI: what is offered works.
#[test]
fn learn_works_where_it_is_offered() {
    let file = NewFile::new("xboard-learn.redb");
    let talk = Talk::new();
    talk.send("xboard\nprotover 2");
    talk.said.wait_for("feature option=\"Learn -check 0\"");
    talk.send(&format!("option LearnFile={}\noption Learn=1\nping 1", file.display()));
    talk.said.wait_for("# learning in ");
    talk.said.wait_for("pong 1");
    talk.send("new\nsd 6\ngo");
    talk.said.wait_for("move ");
    talk.send("quit");
    talk.ends("learning");
    let learned = rukh_store::learn::LearnStore::<rukh_core::Chess>::open(&file, 1 << 30).unwrap();
    assert!(learned.stats().unwrap().positions > 0, "nothing was learned");
    drop(learned);
}
