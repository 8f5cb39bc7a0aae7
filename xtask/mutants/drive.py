"""ROOT=/dev/shm/m drive.py SECONDS SAMPLE RESULTS code=4,store=8: tries the changes of `sample.py` on a machine with many cores.

ROOT/ROOM is a copy of the tree for each room. It is built there once; a worker has a copy of that, seen under the same path (a mount of its
own) where that is allowed, so that what was compiled is still valid. Only the room's own unit and integration tests run. A line of the
results: set, what became of the change, its name, times, and the tests that failed.
"""
import json, os, re, shutil, subprocess, sys, threading, time

ROOT = os.environ["ROOT"]
seconds, sample, results = float(sys.argv[1]), json.load(open(sys.argv[2])), sys.argv[3]
workers = dict(word.split("=") for word in sys.argv[4].split(","))
begin = time.monotonic()
FEATURES = {"store": ["--features", "online"]}
MOUNT = subprocess.run(["unshare", "-m", "true"], stderr=subprocess.DEVNULL).returncode == 0
lock = threading.Lock()
out = open(results, "a", buffering=1)


def say(*words):
    with lock:
        out.write("\t".join(str(word) for word in words) + "\n")


def run(worker, room, words, limit):
    """Status (None: too long), output, seconds."""
    base, own = f"{ROOT}/{room}", f"{ROOT}/w-{worker}"
    inside = base if MOUNT and worker != "base" else (own if worker != "base" else base)
    command = f"cd {inside} && exec timeout -k 5 {limit:.0f} " + " ".join(words)
    if MOUNT and worker != "base":
        command = f"mount --bind {own} {base} && {command}"
        command = ["unshare", "-m", "bash", "-c", command]
    else:
        command = ["bash", "-c", command]
    temporary = f"{ROOT}/tmp-{room}-{worker}"
    os.makedirs(temporary, exist_ok=True)
    before = time.monotonic()
    with open(f"{ROOT}/log-{room}-{worker}", "wb") as log:
        status = subprocess.run(command, stdout=log, stderr=log, stdin=subprocess.DEVNULL, env={**os.environ, "TMPDIR": temporary, "CARGO_BUILD_JOBS": "14" if worker == "base" else "2"}).returncode
    text = open(f"{ROOT}/log-{room}-{worker}", errors="replace").read()
    shutil.rmtree(temporary, ignore_errors=True)
    return (None if status in (124, 137) else status), text, time.monotonic() - before


def test(room, *more):
    return ["cargo", "test", "--offline", "-q", "-p", f"rukh-{room}", *FEATURES.get(room, []), "--lib", "--tests", *more]


def change(path, mutant):
    text = open(path, encoding="utf-8").read()
    lines = text.split("\n")
    at = lambda place: sum(len(line) + 1 for line in lines[: place["line"] - 1]) + place["column"] - 1
    start, end = at(mutant["span"]["start"]), at(mutant["span"]["end"])
    return text, text[:start] + mutant["to"] + text[end:]


def left():
    return seconds - (time.monotonic() - begin)


def work(worker, room, queue, usual):
    own = f"{ROOT}/w-{worker}"
    subprocess.run(["cp", "-a", f"{ROOT}/{room}", own], check=True)
    while left() > 20:
        with lock:
            if not queue:
                break
            mutant = queue.pop(0)
        path = f"{own}/{mutant['file']}"
        before, after = change(path, mutant)
        open(path, "w", encoding="utf-8").write(after)
        status, text, built = run(worker, room, test(room, "--no-run"), min(150, max(5, left())))
        what, spent = None, 0.0
        if status is None:
            what = "not tried: no time to build"
        elif status != 0:
            what = "does not compile"
            text = " ".join(re.findall(r"^error.*", text, re.M)[:2])
        else:
            limit = max(45, 4 * usual)
            short = left() < limit
            status, text, spent = run(worker, room, test(room, "--", "--test-threads", "3"), min(limit, max(5, left())))
            what = "survived" if status == 0 else "caught" if status else ("not tried: no time to test" if short else "caught by time-out")
            failed = sorted({a or b for a, b in re.findall(r"^test (\S+) \.\.\. FAILED|^    (\S+::\S+)$", text, re.M)})
            text = " ".join(failed[:6]) or text[-200:].replace("\n", " ") * (what != "survived")
        open(path, "w", encoding="utf-8").write(before)
        say(mutant["set"], what, mutant["name"], f"build {built:.0f} s, tests {spent:.0f} s", text.replace("\t", " "))


def room_work(room):
    status, text, built = run("base", room, test(room, "--no-run"), max(10, left()))
    if status != 0:
        return say(room, "BASE does not build", "", f"{built:.0f} s", text[-1500:].replace("\n", " | "))
    status, text, spent = run("base", room, test(room), max(10, min(150, left())))
    say(room, "base " + ("is green" if status == 0 else "FAILS" if status else "too slow"), f"mounts {MOUNT}", f"build {built:.0f} s, tests {spent:.0f} s", "" if status == 0 else text[-600:].replace("\n", " | "))
    if status != 0:
        return
    queue = sample[room]
    threads = [threading.Thread(target=work, args=(f"{room}-{number}", room, queue, spent)) for number in range(int(workers[room]))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


rooms = [threading.Thread(target=room_work, args=(room,)) for room in workers]
for thread in rooms:
    thread.start()
for thread in rooms:
    thread.join()
say("end", "", "", f"{time.monotonic() - begin:.0f} s")
