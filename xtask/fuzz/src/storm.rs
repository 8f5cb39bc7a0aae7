//! A storm: seeds are mixed and changed at random, one after another, until the time is over.
//!
//! The same seed gives the same inputs in the same order: `-runs=N -print=1` shows the Nth one instead of trying it, should it have killed
//! the process.

use std::fs;
use std::panic::{self, AssertUnwindSafe};
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

/// Finds after which there is nothing new to learn.
const ENOUGH: usize = 20;

struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 16
    }

    fn below(&mut self, limit: usize) -> usize {
        (self.next() % limit.max(1) as u64) as usize
    }
}

struct Seeds {
    files: Vec<Vec<u8>>,
    words: Vec<Vec<u8>>,
}

impl Seeds {
    fn read(folders: &[String], max_len: usize) -> Self {
        let mut paths: Vec<_> = folders
            .iter()
            .filter_map(|folder| fs::read_dir(folder).ok())
            .flatten()
            .filter_map(|entry| Some(entry.ok()?.path()))
            .filter(|path| path.is_file())
            .collect();
        paths.sort();
        let mut files: Vec<Vec<u8>> = paths.iter().filter_map(|path| fs::read(path).ok()).collect();
        files.iter_mut().for_each(|file| file.truncate(max_len));
        files.push(Vec::new());
        let mut words: Vec<Vec<u8>> = files
            .iter()
            .flat_map(|file| file.split(|byte| byte.is_ascii_whitespace() || *byte == b'/'))
            .filter(|word| !word.is_empty() && word.len() <= 24)
            .map(<[u8]>::to_vec)
            .collect();
        words.extend(
            [&b" "[..], b"\n", b"/", b"-", b"0", b"9", b"\"", b"\xff", b"\0", b"18446744073709551616"]
                .map(<[u8]>::to_vec),
        );
        words.sort();
        words.dedup();
        Self { files, words }
    }

    /// A new input, in place of the last one.
    fn mix(&self, random: &mut Random, max_len: usize, input: &mut Vec<u8>) {
        input.clear();
        input.extend_from_slice(&self.files[random.below(self.files.len())]);
        loop {
            self.change(random, input);
            if random.below(3) == 0 {
                break;
            }
        }
        input.truncate(max_len);
    }

    fn change(&self, random: &mut Random, input: &mut Vec<u8>) {
        let at = random.below(input.len() + 1);
        match (random.below(9), input.get_mut(at)) {
            (0, Some(byte)) => *byte ^= 1 << random.below(8),
            (1, Some(byte)) => *byte = random.next() as u8,
            (2, Some(byte)) => *byte = byte.wrapping_add(1).wrapping_sub(2 * random.below(2) as u8),
            (3, Some(_)) => _ = input.remove(at),
            (4, Some(_)) => {
                let end = at + random.below((input.len() - at).min(32) + 1);
                input.drain(at..end);
            }
            (5, Some(_)) => {
                let end = at + 1 + random.below((input.len() - at).min(16));
                let (part, to) = (input[at..end].to_vec(), random.below(input.len() + 1));
                input.splice(to..to, part);
            }
            (6, _) => {
                let other = &self.files[random.below(self.files.len())];
                let from = random.below(other.len() + 1);
                input.truncate(at);
                input.extend_from_slice(&other[from..]);
            }
            (7, Some(_)) => {
                let word = &self.words[random.below(self.words.len())];
                let end = (at + word.len()).min(input.len());
                input.splice(at..end, word.iter().copied());
            }
            _ => {
                let word = &self.words[random.below(self.words.len())];
                input.splice(at..at, word.iter().copied());
            }
        }
    }
}

/// Tries inputs until the time is over. The options are those of libFuzzer that matter here.
pub fn run(target: fn(&[u8])) -> i32 {
    let option = |name: &str| {
        let start = format!("-{name}=");
        std::env::args().find_map(|word| word.strip_prefix(&start).map(str::to_owned))
    };
    let number = |name: &str, usual: u64| option(name).and_then(|value| value.parse().ok()).unwrap_or(usual);
    let folders: Vec<String> = std::env::args().skip(1).filter(|word| !word.starts_with('-')).collect();
    let (max_len, runs) = (number("max_len", 400) as usize, number("runs", u64::MAX));
    let (seconds, timeout) = (number("max_total_time", 60), number("timeout", 60));
    let (prefix, print) = (option("artifact_prefix").unwrap_or_default(), option("print").is_some());
    let seeds = Seeds::read(&folders, max_len);
    let mut random = Random(number("seed", 1).wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1);

    let words = Arc::new(Mutex::new(String::new()));
    let heard = Arc::clone(&words);
    panic::set_hook(Box::new(move |panic| {
        if let Ok(mut words) = heard.lock() {
            *words = panic.to_string();
        }
    }));
    let tried = Arc::new(AtomicU64::new(0));
    watch(Arc::clone(&tried), Duration::from_secs(timeout));

    let (begin, mut input, mut finds) = (Instant::now(), Vec::new(), 0);
    let mut count = 0;
    while count < runs && finds < ENOUGH && (count % 64 != 0 || begin.elapsed().as_secs() < seconds) {
        seeds.mix(&mut random, max_len, &mut input);
        count += 1;
        if !print {
            tried.store(count, Ordering::Relaxed);
            if panic::catch_unwind(AssertUnwindSafe(|| target(&input))).is_err() {
                finds += 1;
                let path = format!("{prefix}crash-{count}");
                println!("{path}: {}", words.lock().map_or_else(|_| String::new(), |words| words.clone()));
                let _ = fs::write(Path::new(&path), &input);
            }
        }
    }
    if print {
        println!("{:?}", String::from_utf8_lossy(&input));
    }
    println!("stat::number_of_executed_units: {count}");
    i32::from(finds > 0)
}

/// Ends the process when one input takes too long.
fn watch(tried: Arc<AtomicU64>, limit: Duration) {
    thread::spawn(move || {
        let mut before = u64::MAX;
        loop {
            thread::sleep(limit);
            let now = tried.load(Ordering::Relaxed);
            if now == before {
                println!("input {now} of this seed took more than {} s", limit.as_secs());
                std::process::exit(70);
            }
            before = now;
        }
    });
}
