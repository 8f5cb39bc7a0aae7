"""Trains evaluation networks on one GPU and writes them as the engine reads them. docs/training.md tells the whole way.

    python3 train.py --variant chess --games games.flat [--labels labels.flat] --out FOLDER --runs 64:wdl=0.3,128:wdl=0.3
    python3 train.py --smoke          # a tiny training on any machine, a few seconds; no data needed

A run is `N[:key=value]…` with the keys wdl (share of the game result in the target), epochs, lr, mix (share of static labels
in each batch while fine-tuning), decay, seed, pre (0: no pre-training), exact (1: trained with its weights rounded as the file
will hold them; 0: rounded only at the end), deep (1: with the inner layers; 0: the direct output alone), zones
(1: first-layer weights for each of four zones of the own king), seconds (fewer
epochs if they would take longer; the schedule is shortened after the first steps), end (share of the result at the end of the
run: it rises from wdl in a straight line; below 0: it stays). All runs of one shape start from the same pre-training when
labels are given, or from the network of `--start`: one of that shape, or of fewer neurons, which is widened (pre=0: from
random weights all the same).
"""
import argparse
import copy
import csv
import io
import math
import pathlib
import sys
import time

import torch

import data
import plot
from model import Network
from reference import Integers

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1]))
import whole

DEFAULTS = dict(wdl=0.3, epochs=30, lr=1e-3, mix=0.0, decay=0.01, seed=1, pre=1, exact=1, deep=1, seconds=0.0, end=-1.0, zones=0)


def parse_run(text):
    parts = text.split(":")
    run = dict(DEFAULTS, hidden=int(parts[0]), name=text.replace(":", "-").replace("=", ""))
    for part in parts[1:]:
        key, value = part.split("=")
        if key not in DEFAULTS:
            raise SystemExit(f"unknown key '{key}' in run '{text}'")
        run[key] = type(DEFAULTS[key])(float(value))
    return run


def fit_scale(records):
    """Centipawns per unit of log-odds: where sigmoid(score / scale) predicts the results best."""
    sample = records[torch.randperm(len(records), device=records.device)[: 1 << 20]]
    score, result = data.scores(sample), data.results(sample)
    losses = {k: ((torch.sigmoid(score / k) - result) ** 2).mean().item() for k in range(60, 901, 10)}
    best = min(losses, key=losses.get)
    print(f"scale {best} (loss {losses[best]:.5f}; 200: {losses[200]:.5f}, 400: {losses[400]:.5f})", flush=True)
    return best


def targets(records, scale, wdl):
    return (1 - wdl) * torch.sigmoid(data.scores(records) / scale) + wdl * data.results(records)


@torch.no_grad()
def held_out_loss(net, records, scale, wdl):
    """(loss against the target, against the search's score alone, against the result alone)"""
    sums = torch.zeros(3, device=records.device)
    for chunk in records[: 1 << 20].split(1 << 16):
        value = torch.sigmoid(net(data.boards(chunk)))
        for i, share in enumerate((wdl, 0.0, 1.0)):
            sums[i] += ((value - targets(chunk, scale, share)) ** 2).sum()
    return (sums / max(1, min(len(records), 1 << 20))).tolist()


class Batches:
    """Endless batches: a new random order in each epoch; of very large sets, random draws."""

    DRAW = 50_000_000

    def __init__(self, records, size):
        self.records, self.size, self.at, self.order = records, min(size, len(records)), 0, None

    def draw(self, rows):
        """Fills `rows` with the numbers of the records that come next."""
        if len(self.records) > self.DRAW:
            torch.randint(len(self.records), rows.shape, out=rows)
            return
        if self.order is None or self.at + len(rows) > len(self.order):
            self.order = torch.randperm(len(self.records), device=self.records.device)
            self.at = 0
        rows.copy_(self.order[self.at : self.at + len(rows)])
        self.at += len(rows)


def loss_of(net, codes, target):
    """Summed, so that half-precision gradients stay well above the smallest half."""
    return (torch.sigmoid(net(codes)) - target).square().sum()


def compiled_loss(net, codes, target):
    """`loss_of` as one compiled piece (about twice as fast), or itself where the compiler fails or is wrong."""
    started = time.time()
    try:
        compiled = torch.compile(loss_of, dynamic=False)
        plain, quick = loss_of(net, codes, target).item(), compiled(net, codes, target).item()
    except Exception as error:  # the compiler is an optimisation; training goes on without it
        print("no compiler:", type(error).__name__, str(error)[:300], flush=True)
        return loss_of
    if abs(plain - quick) > 2e-3 * abs(plain):
        print(f"the compiled loss is wrong ({quick} for {plain}): not used", flush=True)
        return loss_of
    print(f"compiled in {time.time() - started:.0f} s", flush=True)
    return compiled


class Step:
    """One step of a training. On a GPU it is recorded once and replayed: with batches this small, starting its hundred kernels one
    by one is what takes the time, most of all while games are played on the same machine's cores."""

    def __init__(self, net, batches, extra, run, scale, eager):
        self.net, self.batches, self.extra, self.scale = net, batches, extra, scale
        self.mix = 0 if extra is None else int(run["mix"] * extra.size)
        self.params = list(net.parameters())
        self.mean = [p.detach().clone() for p in self.params]
        device = batches.records.device
        self.on_gpu = device.type == "cuda"
        number = lambda value: torch.tensor(value, device=device)
        # What changes from step to step lives on the device, so that a recorded step sees it.
        self.rate, self.wdl, self.fresh = number(run["lr"]), number(run["wdl"]), number(0.001)
        self.rows = torch.empty(batches.size, dtype=torch.int64, device=device)
        self.more = torch.empty(self.mix, dtype=torch.int64, device=device)
        fused = dict(fused=True, capturable=True) if self.on_gpu else {}
        self.optimiser = torch.optim.AdamW(self.params, lr=self.rate, weight_decay=run["decay"], betas=(0.9, 0.999), **fused)
        self.loss, self.graph, self.taken = loss_of, None, 0
        if self.on_gpu and not eager:
            self.draw()
            self.loss = compiled_loss(net, *self.batch())

    def draw(self):
        self.batches.draw(self.rows)
        if self.mix:
            self.extra.draw(self.more)

    def batch(self):
        rows = self.batches.records[self.rows]
        codes, target = data.boards(rows), targets(rows, self.scale, self.wdl)
        if self.mix:
            more = self.extra.records[self.more]
            codes = torch.cat((codes, data.boards(more)))
            target = torch.cat((target, targets(more, self.scale, 0.0)))
        return codes, target

    def work(self):
        codes, target = self.batch()
        self.loss(self.net, codes, target).backward()
        for p in self.params:
            p.grad /= len(codes)
        self.optimiser.step()
        self.net.clip()
        with torch.no_grad():
            for average, p in zip(self.mean, self.params):
                average.lerp_(p, self.fresh)

    def __call__(self, rate, wdl, fresh):
        for place, value in ((self.rate, rate), (self.wdl, wdl), (self.fresh, fresh)):
            place.fill_(value)
        self.draw()
        self.taken += 1
        if self.graph is not None:
            self.graph.replay()
            return
        self.optimiser.zero_grad(set_to_none=True)
        if self.on_gpu and self.taken == 12 and not self.record():
            self.optimiser.zero_grad(set_to_none=True)
        if self.graph is None:
            self.work()
        else:
            self.graph.replay()

    def record(self):
        """Records a step; whether that worked. The steps before it were taken one by one: everything is allocated by now."""
        graph = torch.cuda.CUDAGraph()
        try:
            torch.cuda.synchronize()
            with torch.cuda.graph(graph):
                self.work()
        except Exception as error:  # recording is an optimisation too
            print("steps are not recorded:", type(error).__name__, str(error)[:300], flush=True)
            return False
        self.graph = graph
        return True


def train(net, batches, extra, steps, run, scale, wdl, name, held_out, log, eager=False):
    """Trains in place; returns the averaged network. `extra` are the static labels to mix in, or None."""
    net.rounded = bool(run["exact"])
    step = Step(net, batches, extra, dict(run, wdl=wdl), scale, eager)
    last = run["end"] if run["end"] >= 0 else wdl
    warm = max(1, steps // 100)
    start, marks, done = time.time(), max(1, steps // 12), 0
    while done < steps:
        if run["seconds"] and done == 300:
            if step.on_gpu:
                torch.cuda.synchronize()
            steps = min(steps, done + int(run["seconds"] * (done - 50) / (time.time() - settled)))
            marks = max(1, steps // 12)
        elif done == 50:
            if step.on_gpu:
                torch.cuda.synchronize()
            settled = time.time()
        part = done / steps
        rate = 0.5 * (1 + math.cos(math.pi * part)) * 0.992 + 0.008
        keep = min(0.999, 1 - 20 / max(steps, 21))
        step(run["lr"] * rate * min(1.0, (done + 1) / warm), wdl + (last - wdl) * part, 1 - keep)
        done += 1
        if done % marks == 0 or done == steps:
            losses = held_out_loss(net, held_out, scale, wdl)
            seen = done * batches.size / 1e6
            speed = done * (batches.size + step.mix) / (time.time() - start) / 1e6
            log.append(dict(run=name, samples=f"{seen:.3f}", loss=f"{losses[0]:.6f}", score_loss=f"{losses[1]:.6f}", result_loss=f"{losses[2]:.6f}"))
            print(f"{name:28} {seen:8.1f} M  loss {losses[0]:.6f}  score {losses[1]:.6f}  result {losses[2]:.6f}  {speed:.1f} M/s", flush=True)
    averaged = copy.deepcopy(net)
    with torch.no_grad():
        for p, m in zip(averaged.parameters(), step.mean):
            p.copy_(m)
    averaged.clip()
    return averaged


def quantisation_error(net, path, records, scale):
    """Mean difference in centipawns between the network in floating point and the exported integers (same arithmetic)."""
    whole = copy.deepcopy(net).from_integers(net.integers())
    whole.rounded = True
    with torch.no_grad():
        codes = data.boards(records[:20000])
        # Against the weights before rounding, whatever the network was trained with.
        plain = copy.deepcopy(net)
        plain.rounded = False
        return ((whole(codes) - plain(codes)).abs() * scale).mean().item()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--variant", choices=("chess", "makruk"), default="chess")
    parser.add_argument("--games", nargs="+", help="records of `rukh datagen expand`, one file or more")
    parser.add_argument("--labels", help="records of `rukh datagen label`, for pre-training and to mix in")
    parser.add_argument("--gauge", help="records never learned from, measured at the end of each run (deep scores, say)")
    parser.add_argument("--start", help="network to go on from instead of pre-training")
    parser.add_argument("--out", default="nets")
    parser.add_argument("--runs", default="64:wdl=0.3")
    parser.add_argument("--buckets", type=int, default=8)
    parser.add_argument("--batch", type=int, default=65536)
    parser.add_argument("--pre-epochs", type=float, default=4.0)
    parser.add_argument("--scale", type=int, default=0, help="centipawns per unit of log-odds; 0: fit it")
    parser.add_argument("--note", default="", help="words for the recipe: which games, which engine")
    parser.add_argument("--seconds", type=float, default=0, help="begin no run after this time")
    parser.add_argument("--go-on", action="store_true", help="take pre-trained weights that an earlier call left in the folder")
    parser.add_argument("--eager", action="store_true", help="no compiler")
    parser.add_argument("--smoke", action="store_true")
    args = parser.parse_args()
    device = torch.device("cuda" if torch.cuda.is_available() and not args.smoke else "cpu")
    torch.backends.cuda.matmul.allow_tf32 = True
    out = pathlib.Path(args.out)
    out.mkdir(parents=True, exist_ok=True)
    if args.smoke:
        games, labels, gauge, given = [smoke_records(4000, 1)], smoke_records(4000, 2), smoke_records(500, 3), None
        args.batch, args.pre_epochs, args.runs = 500, 8, "32:epochs=20:mix=0.3,32:epochs=20:mix=0.3:zones=1"
        args.variant, args.note = "chess", "smoke test"
    else:
        if not args.games:
            raise SystemExit("--games FILE is missing (or --smoke)")
        games = [data.load(path, device) for path in args.games]
        labels = data.load(args.labels, device) if args.labels else None
        gauge = data.load(args.gauge, device) if args.gauge else None
        given = Network.load(args.start, args.variant).to(device) if args.start else None
    if given is not None and given.buckets != args.buckets:
        raise SystemExit(f"{args.start} has {given.buckets} output buckets, not {args.buckets}")
    learn, held_out = data.split(games)
    del games
    if not len(learn) or not len(held_out):
        raise SystemExit("too few games: nothing to learn from, or nothing held out")
    print(f"{device}: {len(learn)} positions, {len(held_out)} held out, labels {0 if labels is None else len(labels)}", flush=True)
    scale = args.scale or (400 if args.smoke else given.scale if given else fit_scale(learn))
    log, pretrained, table = [], {}, []
    began = time.time()
    for run in map(parse_run, args.runs.split(",")):
        start = time.time()
        if args.seconds and start - began > args.seconds:
            print(f"out of time: {run['name']} and what follows is left out", flush=True)
            break
        generator = torch.Generator().manual_seed(run["seed"])
        torch.manual_seed(run["seed"])
        n = run["hidden"]
        net = Network(n, args.buckets, generator, bool(run["deep"]), bool(run["zones"])).to(device)
        shape = f"{n}" + ("" if run["deep"] else "-plain") + ("-zones" if run["zones"] else "")
        extra, origin = None, "random weights"
        if given is not None and run["pre"]:
            if given.hidden > n or given.deep != net.deep or given.zoned and not net.zoned:
                kind = "with" if given.deep else "without"
                raise SystemExit(f"{args.start} has {given.hidden} neurons {kind} inner layers, which run {run['name']} has not (deep=0, deep=1, pre=0?)")
            net.take(given)
            net.stretch(given.scale / scale)
            origin = f"network {pathlib.Path(args.start).name}"
        elif labels is not None and run["pre"]:
            kept = out / f"{args.variant}-pre-{shape}.pt"
            if shape not in pretrained and args.go_on and kept.exists():
                pretrained[shape] = copy.deepcopy(net)
                pretrained[shape].load_state_dict(torch.load(kept, map_location=device))
            if shape not in pretrained:
                steps = max(1, int(args.pre_epochs * len(labels) / args.batch))
                name = f"pre-{shape}"
                aside = min(len(labels) // 20, 200_000)
                batches = Batches(labels[aside:], args.batch)
                pretrained[shape] = train(net, batches, None, steps, dict(DEFAULTS, exact=0), scale, 0.0, name, labels[:aside], log, args.eager)
                state = io.BytesIO()
                torch.save(pretrained[shape].state_dict(), state)
                whole.write(kept, state.getvalue())
                pretrained[shape].save(out / f"{args.variant}-{name}.nnue", args.variant, scale, f"{name}; {args.note}")
            net.load_state_dict(pretrained[shape].state_dict())
            origin = f"{len(labels)} labels x {args.pre_epochs}"
        if labels is not None and run["pre"] and run["mix"] > 0:
            extra = Batches(labels, args.batch)
        steps = max(1, int(run["epochs"] * len(learn) / args.batch))
        net = train(net, Batches(learn, args.batch), extra, steps, run, scale, run["wdl"], run["name"], held_out, log, args.eager)
        # What is measured is what the file will hold.
        net.rounded = True
        losses = held_out_loss(net, held_out, scale, run["wdl"])
        path = out / f"{args.variant}-{run['name']}.nnue"
        recipe = f"{run}; {len(learn)} positions, {log[-1]['samples']} M seen; from {origin}; batch {args.batch}; scale {scale}; held-out loss {losses[0]:.6f}; {args.note}"
        net.save(path, args.variant, scale, recipe)
        measured = "" if gauge is None else f"; gauge {held_out_loss(net, gauge, scale, 0.0)[1]:.6f}"
        error = quantisation_error(net, path, held_out, scale)
        table.append((run["name"], *losses, error, time.time() - start))
        print(f"== {run['name']}: averaged, in integers: loss {losses[0]:.6f} score {losses[1]:.6f} result {losses[2]:.6f}; quantisation {error:.2f} cp{measured}; {time.time() - start:.0f} s", flush=True)
        rows = io.StringIO(newline="")
        writer = csv.DictWriter(rows, fieldnames=list(log[0]))
        writer.writeheader()
        writer.writerows(log)
        whole.write(out / f"{args.variant}-loss.csv", rows.getvalue())
        plot.draw(log, out / f"{args.variant}-loss.svg", f"{args.variant}: held-out loss by samples (millions)")
        if args.smoke:
            check_smoke(net, path, [line for line in log if line["run"] == run["name"]])


def smoke_records(count, seed):
    """Random boards whose score is the material balance: something a network can learn in seconds."""
    generator = torch.Generator().manual_seed(seed)
    worth = torch.tensor([0, 100, 300, 310, 500, 900, 0, 0, 0, -100, -300, -310, -500, -900, 0, 0])
    rows = torch.zeros((count, data.RECORD), dtype=torch.uint8)
    for row in rows:
        squares = torch.randperm(64, generator=generator)[:20]
        codes = torch.zeros(64, dtype=torch.long)
        codes[squares[0]], codes[squares[1]] = 6, 14
        kinds = torch.tensor([1, 1, 2, 3, 4, 5])
        codes[squares[2:]] = kinds[torch.randint(6, (18,), generator=generator)] + 8 * torch.randint(2, (18,), generator=generator)
        score = int(worth[codes].sum())
        row[:32] = (codes[0::2] + 16 * codes[1::2]).to(torch.uint8)
        row[32], row[33] = score & 255, (score >> 8) & 255
        row[34] = 0 if score < -200 else 2 if score > 200 else 1
        row[35] = 1 if torch.rand(1, generator=generator) < 0.1 else 0
    return rows


def check_smoke(net, path, log):
    """The loss fell, and the exported integers say what the network says."""
    first, last = float(log[0]["score_loss"]), float(log[-1]["score_loss"])
    if not last < 0.03:
        raise SystemExit(f"the smoke training did not learn: {first} -> {last}")
    reference = Integers(path)
    fens = ["rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", "6k1/5ppp/8/2n5/8/3P4/5PPP/3Q2K1 b - - 0 1", "3qk3/8/8/8/8/8/PPPP4/2K5 w - - 0 1"]
    for fen in fens:
        white = fen.split()[1] == "w"
        codes = torch.zeros(64, dtype=torch.uint8)
        for colour, kind, square in reference.men(fen):
            codes[square if white else square ^ 56] = kind + 1 + (0 if colour == white else 8)
        value = net(codes.view(1, 64)).item() * reference.scale
        whole = reference.value(fen)
        print(f"{fen}: float {value:.1f}, integer {whole}")
        if abs(value - whole) > 12:
            raise SystemExit("float and integer values differ")
    wide = Network(2 * net.hidden, net.buckets, torch.Generator().manual_seed(3), net.deep, net.zoned)
    wide.take(net)
    wide.rounded = net.rounded
    some = data.boards(smoke_records(50, 4))
    if not torch.allclose(wide(some), net(some), atol=1e-4):
        raise SystemExit("a widened network says something else")
    print(f"smoke test passed: {path.name}")


if __name__ == "__main__":
    main()
