//! Packs the built page (`web/dist`, in a published crate `page`) into the binary, compressed once, here.
//!
//! Without a built page the list is empty, and the server shows how to make one.

use std::fmt::Write as _;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use flate2::{Compression, write::GzEncoder};

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    let web = Path::new("../../web");
    let dist = if web.is_dir() { web.join("dist") } else { PathBuf::from("page") };
    // A missing path would rebuild this crate each time; the folder above it changes when the page is built.
    if dist.join("index.html").is_file() {
        println!("cargo:rerun-if-changed={}", dist.display());
    } else if web.is_dir() {
        println!("cargo:rerun-if-changed={}", web.display());
    }
    let out = PathBuf::from(std::env::var_os("OUT_DIR").expect("cargo sets OUT_DIR"));
    let mut files = Vec::new();
    if dist.join("index.html").is_file() {
        collect(&dist, &mut files);
    }
    files.sort();
    // `name.br` is what the page's build has packed already, better than this could.
    let is_brotli = |file: &PathBuf| file.extension().is_some_and(|extension| extension == "br");
    let (brotli, files): (Vec<PathBuf>, Vec<PathBuf>) = files.into_iter().partition(is_brotli);
    let mut list = String::from("&[\n");
    for (number, file) in files.iter().enumerate() {
        let name = file.strip_prefix(&dist).expect("found in it").to_string_lossy().replace('\\', "/");
        let plain = fs::read(file).expect("the page's file can be read");
        let mut packed = GzEncoder::new(Vec::new(), Compression::best());
        packed.write_all(&plain).expect("writing to memory");
        let packed = packed.finish().expect("writing to memory");
        // Pictures and fonts are packed already.
        let gzip = packed.len() * 20 < plain.len() * 19;
        let stored = out.join(format!("page-{number}"));
        fs::write(&stored, if gzip { &packed } else { &plain }).expect("the build folder can be written");
        let packed = PathBuf::from(format!("{}.br", file.display()));
        let br = match brotli.contains(&packed) {
            true => {
                let stored = out.join(format!("page-{number}.br"));
                fs::copy(&packed, &stored).expect("the build folder can be written");
                format!("Some(include_bytes!({:?}))", stored.display().to_string())
            }
            false => "None".into(),
        };
        writeln!(
            list,
            "    Packed {{ path: {:?}, hash: {:#018x}, gzip: {gzip}, bytes: include_bytes!({:?}), br: {br} }},",
            format!("/{name}"),
            hash(&plain),
            stored.display().to_string()
        )
        .expect("writing to memory");
    }
    list.push(']');
    fs::write(out.join("page.rs"), list).expect("the build folder can be written");
}

fn collect(dir: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(dir).expect("the page's folder can be read").flatten() {
        let path = entry.path();
        if path.is_dir() {
            collect(&path, files);
        } else {
            files.push(path);
        }
    }
}

include!("src/hash.rs");
