"""Several trainings at once on one GPU, by the kernels of kernels.py, which do in a few passes over the memory what train.py's own way does in thirty.

`python3 train.py DATA --fast "c;c:dropout=0.06,tau=4" --seconds 240 --out out`: models with their differences from the options, of which
each gets a share of the same time. Everything between two looks at the clock is one recorded graph.

`TRITON_INTERPRET=1 python3 fast.py` compares losses and gradients with the plain way on any machine, `python3 fast.py` on a GPU.
"""
import json
import math
import pathlib
import sys
import time

import torch

import kernels
import network
from integer import Integers
from network import Network

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1]))
import whole

PAD = kernels.SYMBOLS
POSITIONS, ROWS, PART, BLOCK = 64, 128, 32, 1024
LIMITS = {"E": 127, "D": 32000, "M": 32000, "V": 127, "c": 2.0**23, "U": 127, "b": 2.0**23, "header": 1e9}
TABLE = 1 << 14  # points of the schedule
ENOUGH = 2.5e6  # positions a second: with fewer only the first training goes on


def pack(part, symbols, variant, chunk=1 << 17):
    """A square as one number: symbol, which symbols may stand there (from bit 8 on), whether it is certain (bit 24)."""
    out = torch.empty((len(part), 64), dtype=torch.int32, device=part.board.device)
    power = 1 << torch.arange(symbols, device=out.device, dtype=torch.int32)
    for at in range(0, len(part), chunk):
        board, feature = part.board[at:at + chunk], part.feature[at:at + chunk].int()
        may, forced = network.allowed(board, feature, symbols, variant)
        out[at:at + chunk] = board.int() | (may * power).sum(2, dtype=torch.int32) << 8 | forced.int() << 24
    return out


class Fast:
    """A model in training: all weights in a row, each on its grid, and what a step needs."""

    def __init__(self, model, batch, limit, dropout=0.0, decay=0.0, device="cuda", kind=None):
        self.shape = model
        self.device = device = torch.device(device)
        self.kind = kind or (torch.bfloat16 if device.type == "cuda" else torch.float32)
        self.batch, self.limit, self.decay = batch, limit, decay
        if batch % ROWS or model.half % PART:
            raise ValueError(f"batches are multiples of {ROWS}, halves of {PART}")
        self.left_out = int(dropout * (1 << 24))
        self.scale = 1.0 / (1.0 - dropout)
        self.wide = max(16, 1 << (model.layer - 1).bit_length())
        half, layer, features = model.half, model.layer, model.features
        sizes = {"E": (64, PAD, 2 * half), "D": (64, 2 * half), "M": (features, 2 * half), "V": (64, half, layer), "c": (64, layer),
                 "U": (64, layer, PAD), "b": (64, PAD), "header": (model.headers,)}
        self.places, at = {}, 0
        for name, size in sizes.items():
            self.places[name] = (at, at + math.prod(size), size)
            at += -(-math.prod(size) // 64) * 64
        self.count = at
        new = lambda kind=torch.float32: torch.zeros(at, dtype=kind, device=device)
        self.weight, self.grad, self.first, self.second, self.mean, self.grid = (new() for _ in range(6))
        self.grid16, self.step_size, self.most = new(self.kind), new(), new()
        steps = {name: group["scale"] for (name, _), group in zip(model.named_parameters(), model.groups(1.0))}
        for name in sizes:
            self.of(self.step_size, name).fill_(steps[name])
            self.inner(self.of(self.most, name), name).fill_(LIMITS[name])
            self.inner(self.of(self.weight, name), name).copy_(getattr(model, name).detach())
        self.mean.copy_(self.weight)
        self.step = torch.zeros(1, dtype=torch.int32, device=device)
        # rate, blend, softness below and above the limit, running mean, decay
        self.hyper = torch.zeros(6, device=device)
        self.seen = torch.zeros(3, device=device)
        new = lambda *size, kind=torch.float32: torch.empty(size, dtype=kind, device=device)
        self.active, self.active_back = new(64, batch, half, kind=self.kind), new(64, batch, half, kind=self.kind)
        self.hidden_back = new(64, batch, layer, kind=self.kind)
        self.total, self.begin_back = new(batch, 2 * half), new(batch, 2 * half)
        self.cost, self.weights = new(64, batch), new(batch)
        self.header_weight = new(model.headers)
        which = torch.arange(1 << features, device=device)
        self.bits = (which[:, None] >> torch.arange(features, device=device) & 1).float()
        self.on_grid()

    def of(self, row, name):
        begin, end, size = self.places[name]
        return row[begin:end].view(size)

    def inner(self, tensor, name):
        """Without what is padded: symbol 0 has no rows in E."""
        symbols = self.shape.symbols
        return tensor[:, 1:symbols] if name == "E" else tensor[..., :symbols] if name in "Ub" else tensor

    def on_grid(self):
        torch.round(torch.minimum(torch.maximum(self.weight, -self.most), self.most), out=self.grid)
        self.grid16.copy_(self.grid)

    def network(self, mean=True):
        """The running mean, or the weights of now, as a network."""
        m = self.shape
        out = Network(m.half, m.layer, m.symbols, m.features, m.headers, m.variant)
        with torch.no_grad():
            for name in self.places:
                getattr(out, name).copy_(self.inner(self.of(self.mean if mean else self.weight, name), name).cpu())
        return out

    def gradient(self, packed, feature, header):
        """Gradients of a batch: `packed` (64, batch), features and headers (batch)."""
        m, count = self.shape, self.batch
        low, grid, grad = (lambda n: self.of(self.grid16, n)), (lambda n: self.of(self.grid, n)), (lambda n: self.of(self.grad, n))
        self.grad.zero_()
        self.header_weight.zero_()
        begin = (self.bits[:, :, None] * grid("M")[None]).sum(1)
        share = 1 - m.symbols / network.FLOOR
        walk, blocks = (count // POSITIONS, m.half // PART), (64, count // ROWS)
        shape = dict(HALF=m.half, LAYER=m.layer, WIDE=self.wide, num_warps=8)
        kernels.scan[walk](packed, feature, begin, low("E"), grid("D"), self.active, self.total, self.step, self.left_out, count,
                           HALF=m.half, PART=PART, DROPS=self.left_out > 0, num_warps=4)
        kernels.price[blocks](packed, self.active, low("V"), grid("c"), low("U"), grid("b"), self.cost, count, self.scale, share, **shape)
        head = torch.log_softmax(self.of(self.weight, "header"), 0) / -math.log(2.0)
        kernels.judge[(count // POSITIONS,)](self.cost, header, head, self.hyper, self.weights, self.header_weight, self.seen, count, self.limit)
        kernels.price_back[blocks](packed, self.active, low("V"), grid("c"), low("U"), grid("b"), self.weights, self.hidden_back,
                                   grad("c"), grad("U"), grad("b"), count, self.scale, share, **shape)
        torch.bmm(self.hidden_back, low("V").transpose(1, 2), out=self.active_back)
        grad("V").copy_(torch.bmm(self.active.transpose(1, 2), self.hidden_back))
        kernels.scan_back[walk](packed, self.total, low("E"), grid("D"), self.active_back, self.step, self.left_out, grad("E"), grad("D"),
                                self.begin_back, count, SYMBOL_COUNT=m.symbols, HALF=m.half, PART=PART, DROPS=self.left_out > 0, num_warps=8)
        torch.mm(self.bits[feature.long()].t(), self.begin_back, out=grad("M"))
        told = self.header_weight
        grad("header").copy_((torch.exp2(-head) * told.sum() - told) / math.log(2.0))

    def update(self):
        kernels.adam[(-(-self.count // BLOCK),)](self.weight, self.grad, self.first, self.second, self.mean, self.grid, self.grid16,
                                                 self.step_size, self.most, self.hyper, self.step, self.count, self.decay, BLOCK=BLOCK)
        self.step.add_(1)


class Run:
    """A Fast with positions, drawn without repetition until all were seen, and a schedule: its step is one recorded graph."""

    def __init__(self, name, fast, data, table):
        self.name, self.fast, self.data, self.table = name, fast, data, table
        device = fast.device
        self.packed, self.feature, self.header = data
        self.each = len(self.packed) // fast.batch
        self.order = torch.randperm(len(self.packed), device=device).int()
        self.cursor = torch.zeros(1, dtype=torch.int64, device=device)
        self.place = torch.zeros(1, dtype=torch.int64, device=device)
        self.arange = torch.arange(fast.batch, device=device)
        self.graph, self.steps = None, 0
        self.stream = torch.cuda.Stream() if device.type == "cuda" else None

    def once(self):
        index = self.order[self.cursor + self.arange].long()
        self.fast.hyper.copy_(self.table[self.place][0])
        packed = self.packed[index].t().contiguous()
        self.fast.gradient(packed, self.feature[index], self.header[index])
        self.fast.update()
        self.cursor.add_(self.fast.batch)

    def record(self):
        torch.cuda.synchronize()
        with torch.cuda.stream(self.stream):
            for _ in range(3):
                self.go()
        torch.cuda.synchronize()
        try:
            graph = torch.cuda.CUDAGraph()
            with torch.cuda.graph(graph, stream=self.stream):
                self.once()
            self.graph = graph
        except Exception as error:  # the graph saves the processor's time only
            print("no graph:", type(error).__name__, str(error)[:300])
        torch.cuda.synchronize()

    def go(self):
        if self.steps and self.steps % self.each == 0:
            self.order.copy_(torch.randperm(len(self.order), device=self.order.device))
            self.cursor.zero_()
        self.graph.replay() if self.graph else self.once()
        self.steps += 1


def schedule_table(settings, schedule, base, device):
    """The schedule by the part of the training that is over: a row for each of TABLE points."""
    rows = []
    for point in range(TABLE):
        factor, blend, tau = schedule(point / (TABLE - 1), settings)
        warm = min(1.0, (point + 1) / (TABLE * 0.004))
        rows.append([base * factor * warm, min(blend, settings.focus), tau, tau * settings.above, settings.average, factor])
    return torch.tensor(rows, device=device)


def stays(batch, half, seed, left_out, device):
    """Which activations the kernels keep: their hash once more, (64, batch, half)."""
    low = lambda x: x & 0xFFFFFFFF
    n, t, j = (torch.arange(size, device=device) for size in (batch, 64, half))
    h = (n * 64)[None, :, None] + t[:, None, None]
    h = low(low(low(h * 1024 + j) * 0x9E3779B1) + low(seed * 0x85EBCA77))
    h = low((h ^ h >> 16) * 0x7FEB352D)
    h = low((h ^ h >> 15) * 0x846CA68B)
    h = h ^ h >> 16
    return h >> 8 >= left_out


def check(device, half=64, layer=48, batch=256, variant=network.CHESS, seed=0, dropout=0.5):
    """Gradients of the kernels beside those of network.py, on boards at random; the largest differences by tensor."""
    import train
    generator = torch.Generator().manual_seed(seed)
    torch.manual_seed(seed)
    shape = dict(symbols=15, features=2, headers=14) if variant == network.MAKRUK else {}
    model = Network(half, layer, variant=variant, **shape).to(device)
    with torch.no_grad():
        model.b.copy_(torch.randn(model.b.shape, generator=generator).to(device) * 3000)
        model.header.copy_(torch.randn(model.header.shape, generator=generator).to(device))
    kings = (model.symbols - 1) // 2
    board = torch.zeros((batch, 64), dtype=torch.uint8)
    for row in board:
        men = torch.randperm(46, generator=generator)[:20] + 9
        row[men] = torch.randint(1, kings, (20,), generator=generator, dtype=torch.uint8) + kings * torch.randint(0, 2, (20,), generator=generator, dtype=torch.uint8)
        row[men[0]], row[men[1]] = kings, 2 * kings
        row[0], row[8] = int(torch.randint(0, 2, (1,), generator=generator)) * 2, 1 + kings if kings == 6 else 3
    feature = torch.randint(0, 2, (batch,), generator=generator)
    castles = torch.rand(batch, generator=generator) < 0.5
    if variant != network.MAKRUK:
        row = castles.nonzero()[:, 0]
        board[row] = torch.where((board[row] == 6) | (board[row] == 12), 0, board[row].int()).to(torch.uint8)
        board[row, 4], board[row, 7], board[row, 0], board[row, 60], board[row, 63] = 6, 4, 4, 12, 10
        feature[row] |= 2 * 7
    header = torch.randint(0, model.headers, (batch,), generator=generator)
    import positions
    part = positions.Positions(board.to(device), feature.to(torch.int16).to(device), header.to(torch.uint8).to(device), feature.to(torch.int16).to(device))
    limit = train.LIMITS[variant]
    for blend, tau, dropout in ((0.0, 8.0, 0.0), (0.7, 30.0, dropout)):
        fast = Fast(model, batch, limit, dropout, device=device)
        fast.step.fill_(seed + 5)
        model.zero_grad()
        model.dropout, kept = dropout, stays(batch, half, seed + 5, fast.left_out, device)
        plain, torch.nn.functional.dropout = torch.nn.functional.dropout, lambda x, _: x * kept * fast.scale
        loss, share = train.loss_of(model, part.board, part.feature.int(), part.header.long(), torch.tensor(blend, device=device), torch.tensor(tau, device=device))
        torch.nn.functional.dropout = plain
        loss.backward()
        fast.hyper.copy_(torch.tensor([1e-3, blend, tau, tau, 0.9, 1.0]))
        fast.seen.zero_()
        fast.gradient(pack(part, model.symbols, variant).t().contiguous(), part.feature.int(), part.header.int())
        wrong = {}
        for name, weight in model.named_parameters():
            ours, theirs = fast.inner(fast.of(fast.grad, name), name).double(), weight.grad.double()
            if name in ("E", "D", "M", "V", "c", "U", "b"):  # limits are the optimiser's business here
                inside = weight.detach().abs() <= LIMITS[name]
                ours, theirs = ours * inside, theirs * inside
            wrong[name] = float((ours - theirs).norm() / theirs.norm())
        if blend == 0.0:
            wrong["bits"] = abs(float(fast.seen[1]) / batch / float(loss.detach()) - 1)
        if abs(1 - float(kept.float().mean()) - dropout) > 0.01:
            raise ArithmeticError("another share than that is left out")
        wrong["share"] = abs(float(fast.seen[0]) / batch - float(share))
        yield wrong


def settings_of(text, args):
    """`c:dropout=0.06,tau=4` as (name, the options with these differences)."""
    import argparse
    config, _, rest = text.partition(":")
    own = argparse.Namespace(**vars(args))
    for item in filter(None, rest.split(",")):
        key, value = item.split("=")
        key = {"tau": "tau_end"}.get(key, key)
        if not isinstance(getattr(own, key, None), (int, float)):
            raise ValueError(f"{key} is no number among the options")
        setattr(own, key, type(getattr(own, key))(value))
    return config, own


def train_all(parts, args, device, out, configs, schedule, report, limit, exact_men, started):
    """Trains all of `--fast` until `--seconds` after `started`, less what is kept for judging them."""
    data, check_part, test = parts
    many = data.at(torch.nonzero(data.men > exact_men)[:, 0]) if not args.smoke else data
    version = args.version or (4 if args.canonical else 2)
    packed, feature, header = pack(many, args.symbols, args.variant), many.feature.int(), many.header.int()
    print(f"{len(many)} positions packed after {time.time() - started:.1f} s", flush=True)
    runs = []
    for number, text in enumerate(args.fast.split(";")):
        config, own = settings_of(text, args)
        torch.manual_seed(own.seed + number)
        model = Network(**configs[config], symbols=args.symbols, headers=args.headers, features=args.features, variant=args.variant).to(device)
        with torch.no_grad():
            seen = torch.bincount(many.header.long(), minlength=model.headers).double()
            model.header.copy_(((seen + 1) / (seen + 1).sum()).log())
            some = many.board[torch.randint(0, len(many), (100_000,), device=device)]
            for symbol in range(model.symbols):
                model.b[:, symbol] = ((some == symbol).float().mean(0) + 1e-4).log2() * network.SCORE
        fast = Fast(model, own.batch, limit, own.dropout, own.decay, device)
        name = text.replace(":", "-").replace("=", "").replace(",", "-") + args.name
        runs.append(Run(name, fast, (packed, feature, header), schedule_table(own, schedule, own.rate, device)))
    for run in runs:
        run.record() if device.type == "cuda" else run.go()
    print(f"first steps done after {time.time() - started:.1f} s", flush=True)
    integers = lambda run: Integers.of(run.fast.network(), args.variant, version)
    begin = shown = kept = time.time()
    last = [0] * len(runs)
    end = started + args.seconds - args.judging
    sample = check_part.at(torch.arange(0, len(check_part), max(1, len(check_part) // 40_000), device=check_part.board.device))
    wait = lambda: torch.cuda.synchronize() if device.type == "cuda" else None
    while True:
        now = time.time()
        fraction = (runs[0].steps / args.steps) if args.steps else (now - begin) / max(end - begin, 1e-9)
        for run in runs:
            with torch.cuda.stream(run.stream):  # no stream is the present one
                run.place.fill_(int(min(1.0, fraction) * (TABLE - 1)))
        if fraction >= 1.0:
            break
        for _ in range(1 if args.steps else 25):
            for run in runs:
                with torch.cuda.stream(run.stream):
                    run.go()
        wait()
        if now - shown >= args.show:
            for run, before in zip(runs, last):
                fits, bits, count = (float(x) for x in run.fast.seen)
                run.fast.seen.zero_()
                rate = (run.steps - before) * run.fast.batch / (now - shown) / 1e6
                print(f"{run.name} {now - started:5.0f}s step {run.steps} bits {bits / count:.3f} fits {fits / count:.4f} {rate:.2f} M/s "
                      f"epochs {run.steps / run.each:.1f}", flush=True)
            if shown == begin and len(runs) > 1 and sum(run.steps * run.fast.batch for run in runs) < ENOUGH * (now - begin) and not args.steps:
                print("too slow for several: only the first goes on", flush=True)
                del runs[1:]
            shown, last = now, [run.steps for run in runs]
        if now - kept >= args.keep:
            kept = now
            for run in runs:
                model = integers(run)
                whole.write(out / f"{run.name}.rkpc", model.to_bytes())
                print(f"{run.name} {now - started:5.0f}s exact share of check positions so far:", report(model, sample, device, "check")["share"], flush=True)
    wait()
    log, finals = [], []
    for run in runs:  # everything is written before anything is judged
        finals.append(integers(run))
        whole.write(out / f"{run.name}.rkpc", finals[-1].to_bytes())
    for run, final in zip(runs, finals):
        judged = {label: report(final, part, device, label) for label, part in (("check", check_part), ("test", test))}
        judged["learned"] = report(final, many.at(torch.arange(0, len(many), max(1, len(many) // 100_000), device=device)), device, "learned")
        entry = {"name": run.name, "steps": run.steps, "epochs": round(run.steps / run.each, 2), "seconds": round(time.time() - begin, 1),
                 "bytes": len(final.to_bytes()), **judged}
        log.append(entry)
        whole.write(out / "results.json", json.dumps(log, indent=1))
        print(json.dumps(entry), flush=True)
    return log


if __name__ == "__main__":
    torch.set_float32_matmul_precision("highest")
    where = "cuda" if torch.cuda.is_available() else "cpu"
    size = {} if where == "cuda" else dict(half=32, layer=48, batch=128)
    for variant in (network.CHESS, network.CHESS960, network.MAKRUK):
        for wrong in check(where, variant=variant, **size):
            print(variant, {name: f"{value:.1e}" for name, value in wrong.items()})
            assert max(wrong.values()) < (0.05 if where == "cuda" else 1e-4), "the kernels do something else"
