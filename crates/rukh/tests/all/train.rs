//! `rukh train` from outside: games, records, a small network, and an engine that plays with it.

use std::process::{Command, Stdio};

use rukh_testing::Folder;

use crate::common::rukh;

/// Random boards whose score is the balance of men: something that a network can learn in a second.
fn boards(folder: &Folder) -> String {
    const WORTH: [i32; 6] = [100, 300, 310, 500, 900, 0];
    let mut rng = rukh_core::rng::Rng::plain(1);
    let mut below = |n: usize| rng.below(n);
    let mut bytes = Vec::new();
    for number in 0..20_000 {
        let mut squares = [0u8; 64];
        let (mut score, mut placed) = (0, 0);
        while placed < 20 {
            let square = below(64);
            let (kind, theirs) = if placed < 2 { (5, placed == 1) } else { (below(5), below(2) == 1) };
            if squares[square] == 0 {
                squares[square] = kind as u8 + 1 + 8 * u8::from(theirs);
                score += if theirs { -WORTH[kind] } else { WORTH[kind] };
                placed += 1;
            }
        }
        bytes.extend(squares.chunks_exact(2).map(|pair| pair[0] | pair[1] << 4));
        bytes.extend((score as i16).to_le_bytes());
        bytes.extend([1, u8::from(number % 10 == 0)]);
    }
    let path = folder.path("boards.flat");
    std::fs::write(&path, bytes).expect("writable");
    path
}

#[test]
fn a_network_is_learned_and_played_with() {
    // With inner layers, as it is by default, and without.
    for (variant, kind, version, other) in [("chess", "--inner", 2, "--plain"), ("makruk", "--plain", 1, "--inner")] {
        let folder = Folder::new(variant);
        let flat = boards(&folder);
        let (net, csv) = (folder.path("n.nnue"), folder.path("n.csv"));
        let small =
            ["--hidden", "64", "--batch", "256", "--epochs", "6", "--rate", "0.003", "--wdl", "0", "--scale", "400"];
        let mut train = [
            &["train", "--variant", variant, "--out", &net, "--csv", &csv, "--threads", "2"][..],
            &small[..],
            &[&flat],
        ]
        .concat();
        if version == 1 {
            train.push(kind);
        }
        let out = rukh(&train);
        assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
        let curve = std::fs::read_to_string(&csv).expect("the curve");
        let loss = |line: &str| -> f64 { line.split(',').nth(2).and_then(|n| n.parse().ok()).expect("a loss") };
        let lines: Vec<&str> = curve.lines().skip(1).collect();
        let (first, last) = (loss(lines[0]), loss(lines[lines.len() - 1]));
        assert!(lines.len() > 10 && last < 0.3 * first, "{variant}: the loss went from {first} to {last}");
        assert_eq!(std::fs::read(&net).expect("the network")[8], version, "{variant}: version of the file");
        // The engine takes it, and training goes on from it.
        let pair = format!("cmd={} option.EvalFile={net} nodes=50", env!("CARGO_BIN_EXE_rukh"));
        let play = [
            "match",
            "--variant",
            variant,
            "--engine",
            &format!("{pair} name=a"),
            "--engine",
            &format!("{pair} name=b"),
        ];
        let out = rukh(&[&play[..], &["--games", "2"]].concat());
        let text = String::from_utf8_lossy(&out.stdout).into_owned() + &String::from_utf8_lossy(&out.stderr);
        assert!(out.status.success() && text.contains("Finished"), "{text}");
        let again = folder.path("m.nnue");
        let more = ["train", variant, "--out", &again, "--start", &net, "--epochs", "0.5", "--batch", "256", &flat];
        assert!(rukh(&[&more[..], &[kind]].concat()).status.success());
        assert_eq!(std::fs::read(&again).expect("the network")[8], version, "{variant}: the same kind");
        let out = rukh(&[&more[..], &[other]].concat());
        let text = String::from_utf8_lossy(&out.stderr);
        assert!(!out.status.success() && text.contains("inner layers; leave out"), "{text}");
    }
}

/// Records of the same games, with the future in their scores and without.
#[test]
fn scores_can_see_the_future() {
    let folder = Folder::new("future");
    let games = folder.path("a.games");
    let play = ["--soft", "20", "--hard", "40", "--games", "64", "--eval-file", "<classical>", "--opening", "300"];
    assert!(rukh(&[&["datagen", "chess", "--out", &games][..], &play[..]].concat()).status.success());
    let read = |ahead: &str| {
        let flat = folder.path("f.flat");
        assert!(rukh(&["datagen", "expand", "chess", "--ahead", ahead, "--out", &flat, &games]).status.success());
        std::fs::read(flat).expect("records")
    };
    let (plain, mixed) = (read("0"), read("0.6"));
    assert!(plain.len() > 36_000 && plain != mixed);
    let boards = |bytes: &[u8]| bytes.chunks_exact(36).take(200).map(|r| r[..32].to_vec()).collect::<Vec<_>>();
    assert_eq!(boards(&plain), boards(&mixed), "only scores differ");
    let out = rukh(&["datagen", "expand", "chess", "--ahead", "1", "--out", &folder.path("g"), &games]);
    assert!(!out.status.success() && String::from_utf8_lossy(&out.stderr).contains("below 1"));
}

#[test]
fn what_is_wrong_is_said() {
    let folder = Folder::new("wrong");
    let net = folder.path("n.nnue");
    let (odd, garbage) = (folder.path("odd"), folder.path("garbage"));
    std::fs::write(&odd, [0; 37]).expect("writable");
    std::fs::write(&garbage, [0x11; 72]).expect("writable");
    for (words, why) in [
        (&["train", "chess", "--out", &net][..], "<records> is missing"),
        (&["train", "chess", "--out", &net, &odd], "not a whole number of records"),
        (&["train", "chess", "--out", &net, &garbage], "record 0 is not a position"),
        (&["train", "chess", "--out", &net, "--hidden", "100", &odd], "multiple of 64"),
        (&["train", "chess", "--out", &net, "--plain", "--inner", &odd], "cannot be used together"),
        (&["train", "chess", "--out", &net, "--wdl", "2", &odd], "between 0 and 1"),
        (&["train", "chess", "--out", &net, "--start", &odd, &garbage], "not a Rukh network"),
        (&["train", "chess", "--out", &net, "--start", "<classical>", &garbage], "no network"),
        (&["train", "chess", "--out", &net, "--start", "<embedded>", "--buckets", "4", &garbage], "8 output buckets"),
        (&["train", "chess", "--out", &net, "--start", "<embedded>", "--hidden", "128", &garbage], "512 neurons"),
        (&["train", "chess", &garbage], "--out <FILE.nnue> is missing"),
        (&["train", "checkers", "--out", &net, &garbage], "checkers"),
    ] {
        let out = rukh(words);
        let text = String::from_utf8_lossy(&out.stderr);
        assert!(!out.status.success() && text.contains(why), "{words:?}: {text}");
    }
    assert!(!std::path::Path::new(&net).exists());
}

/// `rukh train … | head -1`: the network is the work, not the lines about it.
#[test]
fn a_reader_that_leaves_ends_no_training() {
    let folder = Folder::new("train-pipe");
    let (flat, net) = (boards(&folder), folder.path("n.nnue"));
    let words = "train --plain --hidden 64 --batch 256 --epochs 1 --scale 400 --threads 1 --out";
    let mut command = Command::new(env!("CARGO_BIN_EXE_rukh"));
    command.args(words.split(' ')).args([&net, &flat]).stdout(Stdio::piped());
    let mut child = command.spawn().expect("rukh starts");
    drop(child.stdout.take());
    assert!(child.wait().is_ok() && std::fs::exists(&net).unwrap());
}
