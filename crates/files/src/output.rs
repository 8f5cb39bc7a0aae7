//! Output that cannot destroy anything: neither the old file when something fails, nor an input of the same name.

use std::ffi::OsString;
use std::fs::{self, File, Metadata, OpenOptions};
use std::io::{self, BufWriter, Stdout, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

use crate::folders::sync_name;

/// A file being written beside its place. [`OutputFile::commit`] puts it there, whole and on the disk; dropped without
/// that, it vanishes, and what stood in its place before is untouched.
///
/// The old file may be read all the while, so a command may write to the file that it reads. A link is followed and stays
/// a link; the new file has the permissions of the old one. What cannot be replaced (a device, a pipe) is written to
/// directly. Errors name the file.
///
/// ```
/// use std::io::Write;
/// let path = std::env::temp_dir().join(format!("rukh-doc-{}.txt", std::process::id()));
/// let mut out = rukh_files::OutputFile::create(&path)?;
/// writeln!(out, "whole")?;
/// assert!(!path.exists());
/// out.commit()?;
/// assert_eq!(std::fs::read_to_string(&path)?, "whole\n");
/// # std::fs::remove_file(&path)?;
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug)]
pub struct OutputFile {
    /// As the user wrote it, for messages.
    name: PathBuf,
    sink: Sink,
}

#[derive(Debug)]
enum Sink {
    Aside { file: BufWriter<File>, half: Half, place: PathBuf },
    Device(BufWriter<File>),
    Stdout(BufWriter<Stdout>),
}

/// The unfinished file; removed unless it was renamed. It is ours: it was made under a name that did not exist.
#[derive(Debug)]
struct Half(Option<PathBuf>);

impl Drop for Half {
    fn drop(&mut self) {
        if let Some(path) = self.0.take() {
            let _ = fs::remove_file(path);
        }
    }
}

impl OutputFile {
    /// Begins a file that is to stand at `path`.
    pub fn create(path: impl AsRef<Path>) -> io::Result<OutputFile> {
        let name = path.as_ref().to_owned();
        let sink = Sink::create(&name).map_err(|error| about(&name, &error))?;
        Ok(OutputFile { name, sink })
    }

    /// As [`OutputFile::create`]; without a path, or for `-`, standard output.
    pub fn create_or_stdout(path: Option<&Path>) -> io::Result<OutputFile> {
        match path {
            Some(path) if path.as_os_str() != "-" => OutputFile::create(path),
            _ => Ok(OutputFile { name: "standard output".into(), sink: Sink::Stdout(BufWriter::new(io::stdout())) }),
        }
    }

    /// Puts the file in its place. After this it survives a power failure.
    pub fn commit(self) -> io::Result<()> {
        let OutputFile { name, sink } = self;
        let done = match sink {
            Sink::Stdout(mut out) => out.flush(),
            Sink::Device(mut file) => file.flush(),
            Sink::Aside { file, half, place } => finish(file, half, &place),
        };
        done.map_err(|error| about(&name, &error))
    }

    fn sink(&mut self) -> &mut dyn Write {
        match &mut self.sink {
            Sink::Aside { file, .. } | Sink::Device(file) => file,
            Sink::Stdout(out) => out,
        }
    }
}

impl Write for OutputFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.sink().write(bytes).map_err(|error| about(&self.name, &error))
    }

    fn flush(&mut self) -> io::Result<()> {
        self.sink().flush().map_err(|error| about(&self.name, &error))
    }
}

/// Writes a file whole at once: whoever reads it, and whoever comes after a power failure, finds the old or the new one.
pub fn replace(path: impl AsRef<Path>, bytes: &[u8]) -> io::Result<()> {
    let mut out = OutputFile::create(path)?;
    out.write_all(bytes)?;
    out.commit()
}

impl Sink {
    fn create(path: &Path) -> io::Result<Sink> {
        // What is open already (`/dev/stdout`, the pipe of a shell's `>(…)`) has a link that leads nowhere by its text.
        let place = match fs::metadata(path) {
            Ok(meta) if !meta.is_file() => path.to_owned(),
            _ => follow(path)?,
        };
        let old = match fs::metadata(&place) {
            Ok(meta) => Some(meta),
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(error) => return Err(error),
        };
        match &old {
            Some(meta) if meta.is_dir() => return Err(io::Error::new(io::ErrorKind::IsADirectory, "it is a folder")),
            // A rename would replace the device itself.
            Some(meta) if !meta.is_file() => {
                let file = OpenOptions::new().write(true).open(&place)?;
                return Ok(Sink::Device(BufWriter::new(file)));
            }
            // A rename asks only the folder; the wish to keep a file as it is must count all the same.
            Some(meta) if meta.permissions().readonly() => {
                return Err(io::Error::new(io::ErrorKind::PermissionDenied, "it is write-protected"));
            }
            _ => {}
        }
        let (file, half) = aside(&place, old.as_ref())?;
        Ok(Sink::Aside { file: BufWriter::with_capacity(256 << 10, file), half, place })
    }
}

/// Where a link leads, even to a file that is not there yet.
pub(crate) fn follow(path: &Path) -> io::Result<PathBuf> {
    let mut path = path.to_owned();
    for _ in 0..40 {
        if !fs::symlink_metadata(&path).is_ok_and(|meta| meta.is_symlink()) {
            return Ok(path);
        }
        let target = fs::read_link(&path)?;
        path = folder_of(&path).join(target);
    }
    Err(io::Error::new(io::ErrorKind::InvalidInput, "links that lead in a circle"))
}

pub(crate) fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// A new file beside `place`, under a name that nobody has.
fn aside(place: &Path, old: Option<&Metadata>) -> io::Result<(File, Half)> {
    static NUMBER: AtomicU32 = AtomicU32::new(0);
    let name = place.file_name().ok_or_else(|| io::Error::new(io::ErrorKind::InvalidInput, "it names no file"))?;
    // File systems allow 255 bytes.
    let name: String = name.to_string_lossy().chars().take(50).collect();
    loop {
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let half: OsString = format!("{name}.{}-{number}.tmp", std::process::id()).into();
        let path = folder_of(place).join(half);
        match OpenOptions::new().write(true).create_new(true).open(&path) {
            Ok(file) => {
                let half = Half(Some(path));
                if let Some(meta) = old {
                    // Where the file system has no permissions there are none to keep.
                    let _ = file.set_permissions(meta.permissions());
                }
                return Ok((file, half));
            }
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
        }
    }
}

fn finish(file: BufWriter<File>, mut half: Half, place: &Path) -> io::Result<()> {
    let file = file.into_inner().map_err(|error| error.into_error())?;
    file.sync_all()?;
    drop(file);
    if let Some(path) = &half.0 {
        fs::rename(path, place)?;
        half.0 = None;
    }
    // The rename itself must reach the disk.
    sync_name(place)
}

fn about(name: &Path, error: &io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("cannot write {}: {error}", name.display()))
}
