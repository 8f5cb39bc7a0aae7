//! The trainers, each with its own toy problem: a few seconds on any processor.

use std::path::PathBuf;

use crate::prepare;
use crate::report::Outcome;
use crate::shell::{Result, capture, command, run, target_dir, which};

/// Trains a toy network and a toy position model and checks what was written.
pub fn check() -> Result<Outcome> {
    let Some(python) = python_with_torch() else {
        return Ok(Outcome::Skipped("no Python with PyTorch, and none could be installed".into()));
    };
    run(command(&python).arg("training/whole.py"))?;
    run(command(&python).arg("training/selfplay/check.py").arg(target_dir().join("tmp/trainers/selfplay")))?;
    for trainer in ["nnue", "code"] {
        let out = target_dir().join("tmp/trainers").join(trainer);
        std::fs::create_dir_all(&out).map_err(|error| format!("cannot make {}: {error}", out.display()))?;
        run(command(&python).arg(format!("training/{trainer}/train.py")).args(["--smoke", "--out"]).arg(&out))?;
    }
    if capture(command(&python).args(["-c", "import triton"])).is_ok() {
        run(command(&python).arg("training/code/fast.py").env("TRITON_INTERPRET", "1"))?;
    }
    Ok(Outcome::Ok("network, position model, how they are written, self-play for a GPU".into()))
}

/// The user's own Python if it has PyTorch, else Debian's, with its package installed if it is missing.
pub fn python_with_torch() -> Option<PathBuf> {
    let candidates = || [which("python3"), Some(PathBuf::from("/usr/bin/python3"))].into_iter().flatten();
    prepare::found_or_installed(&["python3-torch", "python3-numpy"], || {
        candidates().find(|python| capture(command(python).args(["-c", "import torch"])).is_ok())
    })
}
