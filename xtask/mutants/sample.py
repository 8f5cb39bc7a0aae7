"""sample.py SEED COUNT ROOM…: draws changes of the program by chance from what cargo-mutants could make, as JSON for `drive.py`.
Run it at the root of the tree. The store counts twice: its learned table and the rest take turns."""

import json, random, subprocess, sys

rng, count, queue = random.Random(int(sys.argv[1])), int(sys.argv[2]), {}
for room in sys.argv[3:]:
    listed = subprocess.run(["cargo", "mutants", "--list", "--json", "--no-shuffle", "-p", f"rukh-{room}"], capture_output=True, check=True)
    sets = {}
    for mutant in json.loads(listed.stdout):
        sets.setdefault("learn" if "/store/src/learn/" in mutant["file"] else room, []).append(mutant)
    drawn = [
        [{"set": name, "name": m["name"], "file": m["file"], "span": m["span"], "to": m["replacement"]} for m in rng.sample(all_, min(count, len(all_)))]
        for name, all_ in sorted(sets.items(), reverse=True)
    ]
    queue[room] = [mutant for turn in zip(*drawn) for mutant in turn]
json.dump(queue, sys.stdout, indent=0)
