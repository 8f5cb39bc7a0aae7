//! What an output file keeps, replaces and leaves behind.

use std::fs::{self, OpenOptions};
use std::io::{Read, Write};
use std::path::Path;

use rukh_files::{
    OutputFile, lies_in, open_locked, read_at_most, read_text_at_most, replace, same_file, same_place, same_twice,
};
use rukh_testing::Folder;

fn text(path: &Path) -> String {
    fs::read_to_string(path).unwrap()
}

#[test]
fn the_old_file_stays_until_the_new_one_is_whole() {
    let folder = Folder::new("whole");
    let path = folder.put("a.txt", "old");
    let mut reader = fs::File::open(&path).unwrap();
    let mut out = OutputFile::create(&path).unwrap();
    write!(out, "new").unwrap();
    out.flush().unwrap();
    assert_eq!(text(&path), "old");
    // Two at once have different names.
    let other = OutputFile::create(&path).unwrap();
    out.commit().unwrap();
    assert_eq!(text(&path), "new");
    drop(other);
    assert_eq!((text(&path).as_str(), folder.names()), ("new", vec!["a.txt".to_owned()]));
    let mut old = String::new();
    reader.read_to_string(&mut old).unwrap();
    assert_eq!(old, "old");
}

/// A shell's `>(…)` and `/dev/stdout` are links to what is open, whose text names no file.
#[cfg(target_os = "linux")]
#[test]
fn open_pipes_are_written_to() {
    use std::os::fd::AsRawFd;
    let (mut reader, writer) = std::io::pipe().unwrap();
    replace(format!("/proc/self/fd/{}", writer.as_raw_fd()), b"through").unwrap();
    drop(writer);
    let mut read = String::new();
    reader.read_to_string(&mut read).unwrap();
    assert_eq!(read, "through");
}

#[test]
fn dropped_leaves_nothing() {
    let folder = Folder::new("dropped");
    let mut out = OutputFile::create(folder.0.join("new.txt")).unwrap();
    out.write_all(&[7; 1 << 20]).unwrap();
    drop(out);
    assert!(folder.names().is_empty());
    let error = OutputFile::create(&folder.0).unwrap_err().to_string();
    assert!(error.starts_with("cannot write ") && error.ends_with(": it is a folder"), "{error}");
    assert!(OutputFile::create(folder.0.join("no/such/folder")).is_err());
    // The longest name that a file may have.
    let long = folder.0.join("x".repeat(255));
    replace(&long, b"1").unwrap();
    assert_eq!(text(&long), "1");
}

#[test]
fn a_foreign_file_with_our_name_is_left_alone() {
    let folder = Folder::new("foreign");
    for number in 0..20 {
        folder.put(&format!("a.txt.{}-{number}.tmp", std::process::id()), "foreign");
    }
    replace(folder.0.join("a.txt"), b"mine").unwrap();
    assert_eq!(text(&folder.0.join("a.txt")), "mine");
    let foreign = folder.names().into_iter().filter(|name| name.ends_with(".tmp"));
    assert_eq!(foreign.filter(|name| text(&folder.0.join(name)) == "foreign").count(), 20);
}

#[cfg(unix)]
#[test]
fn links_permissions_and_devices() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let folder = Folder::new("links");
    let path = folder.put("real.txt", "old");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
    let (soft, hard, dangling) = (folder.0.join("soft"), folder.0.join("hard"), folder.0.join("dangling"));
    symlink("real.txt", &soft).unwrap();
    fs::hard_link(&path, &hard).unwrap();
    symlink("fresh.txt", &dangling).unwrap();
    assert!(same_file(&path, &soft) && same_file(&path, &hard) && !same_file(&path, &dangling));
    let named = [("--a", dangling.to_path_buf()), ("--b", path.to_path_buf()), ("--c", hard.to_path_buf())];
    assert_eq!(same_twice(&named), Some(("--b", "--c", path.as_ref())));
    assert_eq!(same_twice(&named[..2]), None);
    // Two names of a file that is not there yet: by a folder's other name, up and down again, through a link to nothing.
    fs::create_dir(folder.0.join("sub")).unwrap();
    symlink("sub", folder.0.join("way")).unwrap();
    let at = |name: &str| folder.0.join(name);
    for (a, b) in [("sub/new", "way/new"), ("new", "sub/../new"), ("new", "way/.././new"), ("dangling", "fresh.txt")] {
        assert!(same_place(&at(a), &at(b)) && same_place(&at(b), &at(a)), "{a} {b}");
    }
    assert!(!same_place(&at("sub/new"), &at("new")) && !same_place(&at("none/new"), &at("sub/new")));
    assert!(lies_in(&at("way/new"), &at("sub")) && lies_in(&path, &folder.0));
    assert!(!lies_in(&at("sub/../new"), &at("sub")) && !lies_in(&path, &at("none")));
    replace(&soft, b"new").unwrap();
    assert!(fs::symlink_metadata(&soft).unwrap().is_symlink());
    assert_eq!((text(&path).as_str(), text(&hard).as_str()), ("new", "old"));
    assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o640);
    replace(&dangling, b"fresh").unwrap();
    assert_eq!(text(&folder.0.join("fresh.txt")), "fresh");
    symlink("round", folder.0.join("round")).unwrap();
    assert!(OutputFile::create(folder.0.join("round")).is_err());
    replace("/dev/null", b"gone").unwrap();
    assert!(!fs::metadata("/dev/null").unwrap().is_file());
    fs::set_permissions(&path, fs::Permissions::from_mode(0o440)).unwrap();
    let error = replace(&path, b"no").unwrap_err().to_string();
    assert!(error.ends_with("it is write-protected"), "{error}");
    assert_eq!(text(&path), "new");
}

#[test]
fn reading_is_bounded() {
    let folder = Folder::new("read");
    let path = folder.put("ten", "0123456789");
    assert_eq!(read_at_most(&path, 10).unwrap().len(), 10);
    assert!(read_at_most(&path, 9).unwrap_err().to_string().starts_with("longer than 9 bytes"));
    assert!(read_at_most(&folder.0, 9).is_err());
    fs::write(&path, b"\xff").unwrap();
    assert_eq!(read_text_at_most(&path, 9).unwrap_err().to_string(), "it is not text (UTF-8)");
    // Five gigabytes of nothing: refused by their length.
    let sparse = fs::File::create(folder.0.join("sparse")).unwrap();
    if sparse.set_len(5 << 30).is_ok() {
        assert!(read_at_most(&folder.0.join("sparse"), 1 << 20).is_err());
    }
}

/// Programs that each fill a file and rename it when it is whole: nobody gets one that another has finished.
#[test]
fn a_lock_is_on_the_file_that_stands_there() {
    let folder = Folder::new("locked");
    let part = folder.0.join("part");
    let finished = std::sync::atomic::AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                for _ in 0..200 {
                    let how = fs::OpenOptions::new().create(true).append(true).read(true).to_owned();
                    let Ok((mut file, Ok(()))) = open_locked(&part, &how) else { continue };
                    assert_eq!(file.metadata().unwrap().len(), 0, "a finished file was opened as a fresh one");
                    file.write_all(b"whole").unwrap();
                    let number = finished.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
                    fs::rename(&part, folder.0.join(format!("whole-{number}"))).unwrap();
                }
            });
        }
    });
    assert!(finished.into_inner() > 0);
}

#[test]
fn a_lock_ends_with_its_file_though_a_program_that_starts_has_a_copy() {
    let folder = Folder::new("copy");
    let path = folder.put("journal", "");
    let how = OpenOptions::new().append(true).to_owned();
    let (first, lock) = open_locked(&path, &how).unwrap();
    lock.unwrap();
    // What fork leaves in a child until it runs its program.
    let _copy = first.try_clone().unwrap();
    assert!(open_locked(&path, &how).unwrap().1.is_err(), "it is locked");
    drop(first);
    open_locked(&path, &how).unwrap().1.expect("the lock ended with its file");
}
