"""Files that are whole or not there: written aside and renamed, so that a trainer that dies leaves what was there before.

`python3 whole.py` tries it out.
"""
import os
import pathlib
import tempfile


def write(path, content):
    """Puts bytes or text under a name, all or nothing."""
    path = pathlib.Path(path)
    raw = content.encode() if isinstance(content, str) else content
    # Beside it, so that the renaming stays within one file system; of its own name, so that two writers never share it.
    handle, aside = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}-", suffix=".part")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(raw)
            file.flush()
            os.fsync(file.fileno())
        mode = path.stat().st_mode & 0o777 if path.exists() else 0o666 & ~umask()
        os.chmod(aside, mode)
        os.replace(aside, path)
    except BaseException:
        os.unlink(aside)
        raise


def writable(folder):
    """Fails if no file can be made in a folder; none stays, and none that is there is touched."""
    with tempfile.TemporaryFile(dir=folder):
        pass


def umask():
    """What new files are without; it can only be read by setting it."""
    now = os.umask(0o077)
    os.umask(now)
    return now


def check():
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "net"
        write(path, b"first")
        write(path, "second")
        assert path.read_bytes() == b"second"
        os.chmod(path, 0o640)
        write(path, b"third")
        assert path.stat().st_mode & 0o777 == 0o640
        for target, content in [(path, None), (pathlib.Path(folder), b"a folder is in the way")]:
            try:
                write(target, content)
            except (TypeError, OSError):
                pass
            else:
                raise AssertionError("it should have failed")
        assert path.read_bytes() == b"third", "what was there has gone"
        writable(folder)
        try:
            writable(path)
        except OSError:
            pass
        else:
            raise AssertionError("it should have failed")
        assert [p.name for p in pathlib.Path(folder).iterdir()] == ["net"], "something was left behind"


if __name__ == "__main__":
    check()
