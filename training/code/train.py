"""Trains position models and exports them as integers: `python3 train.py DATA --out FOLDER [--seconds N] [--configs a,b]`.

The aim is not the shortest code on average but the most positions whose code fits: plain cross-entropy first, then a smooth
step at 63 bits that sharpens as training goes on. Openings give away bits they do not need, hopeless positions are let go,
and positions with few men, which have exact ranks, are not trained on at all.

Runs on one GPU in minutes, or with --smoke on any CPU in seconds (no data file needed).
"""
import argparse
import copy
import json
import math
import pathlib
import sys
import time

BEGAN = time.time()

import torch

import positions
from integer import Integers
from network import CHESS, CHESS960, MAKRUK, SCORE, Network, chances, position_bits

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1]))
import whole

# By variant: bits that Part B has (63 less the exact ranks' share of the space), and men up to which ranks are exact.
LIMITS = {CHESS: math.log2(2**63 - 2**59), CHESS960: math.log2(2**63 - 2**59), MAKRUK: math.log2(2**63 - 2**61)}
EXACT_MEN = {CHESS: 8, CHESS960: 8, MAKRUK: 7}
ANY_MEN = "0-32"
CONFIGS = {
    "a": dict(half=128, layer=64),  # chess, version 2
    "b": dict(half=96, layer=96),
    "c": dict(half=160, layer=80),  # chess, version 4
    "d": dict(half=192, layer=80),  # Makruk and Chess960, version 4
    "big": dict(half=448, layer=160),  # a teacher
    "small": dict(half=32, layer=32),
    "middle": dict(half=80, layer=48),  # Makruk, version 3
    "mini": dict(half=24, layer=16),  # Chess960, version 2
    "low": dict(half=40, layer=32),  # Chess960, version 3
    "tiny": dict(half=8, layer=16),
}


def synthetic(device, count=600):
    """Random boards with one king each, for the smoke test only."""
    board = torch.zeros((count, 64), dtype=torch.uint8)
    for row in board:
        place = torch.randperm(48)[:18] + 8
        row[place[:16]] = torch.tensor([1, 1, 1, 1, 2, 3, 4, 5, 7, 7, 7, 7, 8, 9, 10, 11], dtype=torch.uint8)
        row[place[16]], row[place[17]] = 6, 12
    zero = torch.zeros(count, dtype=torch.int16)
    everything = positions.Positions(board.to(device), zero.to(device), zero.to(torch.uint8).to(device), zero.to(device))
    return everything, everything.at(slice(0, 100)), everything.at(slice(100, 200))


def loss_of(model, board, feature, header, blend, tau, taught=None, trust=0.0):
    bits, as_taught = position_bits(model, board, feature, header, taught)
    limit = LIMITS[model.variant]
    step = 4 * tau * torch.sigmoid((bits - limit) / tau)
    plain = (1 - trust) * bits + trust * as_taught
    return ((1 - blend) * plain + blend * step).mean(), (bits <= limit).float().mean()


def taught_by(teachers, board, feature):
    """What several models expect on each square, in the mean."""
    with torch.no_grad():
        return sum(chances(teacher, board, feature)[0] for teacher in teachers) / len(teachers)


def schedule(fraction, args):
    """Learning-rate factor, blend of the two losses and softness of the step at a point of the training."""
    rate = 0.5 * (1 + math.cos(math.pi * fraction)) * 0.995 + 0.005
    blend = min(1.0, max(0.0, (fraction - args.plain) / 0.15))
    soft = min(1.0, max(0.0, (fraction - args.plain) / (0.92 - args.plain)))
    return rate, blend, args.tau_start * (args.tau_end / args.tau_start) ** soft


def report(model_integers, part, device, label, spent=0.0):
    """Shares of what fits; `spent` are bits that something before the model has taken."""
    bits, idle, idle4 = model_integers.bulk_bits(part, device)
    bits += spent
    exact = EXACT_MEN[model_integers.variant]
    fits = torch.where(part.men <= exact, 1.0, (LIMITS[model_integers.variant] - bits).exp2().clamp(max=1.0))
    mean = lambda mask: round(float(fits[mask].mean()), 5) if bool(mask.any()) else None
    ply, men = part.ply.int(), part.men.int()
    out = {"set": label, "positions": len(part), "share": mean(men > 0), "mean_bits": round(float(bits[men > exact].mean()), 3),
           "idle": round(idle, 3), "idle_blocks": round(idle4, 3)}
    for name, low, high in (("1-20", 0, 20), ("21-30", 20, 30), ("31-40", 30, 40), ("41-60", 40, 60), ("61-80", 60, 80), ("81+", 80, 9999)):
        out["ply " + name] = mean((ply > low) & (ply <= high))
    for count in (9, 10, 12, 14, 16, 20, 24, 28, 32):
        out[f"men {count}"] = mean(men == count)
    return out


def extra_rows(fraction, args):
    """How many positions of a batch are extra ones: most at first, then ever fewer, at the end none."""
    return int(args.batch * args.extra_share * min(1.0, max(0.0, 1 - fraction / args.extra_until)))


def train(name, config, parts, extra, args, device, out, log):
    torch.manual_seed(args.seed)
    data, check, test = parts
    least, most = (int(men) for men in args.men.split("-"))
    least = max(least, EXACT_MEN[args.variant] + 1)
    hard = lambda part: part.at(torch.nonzero((part.men >= least) & (part.men <= most))[:, 0])
    version = args.version or (4 if args.canonical else 2)
    many = hard(data) if not args.smoke else data
    more = hard(extra) if extra is not None else None
    model = Network(**dict(config, features=config["features"] + (args.mirror > 0))).to(device)
    model.dropout = args.dropout
    teachers = [Integers.from_bytes(pathlib.Path(path).read_bytes()).network().to(device).eval() for path in args.teacher]
    integers = lambda model: Integers.of(model, args.variant, version, args.features)
    with torch.no_grad():
        seen = torch.bincount(many.header.long(), minlength=model.headers).double()
        model.header.copy_(((seen + 1) / (seen + 1).sum()).log())
        some = many.board[torch.randint(0, len(many), (100_000,), device=device)]
        for symbol in range(model.symbols):  # start from how often each man stands on each square
            model.b[:, symbol] = ((some == symbol).float().mean(0) + 1e-4).log2() * SCORE
    base = args.rate
    optimizer = torch.optim.Adam(model.groups(base), betas=(0.9, 0.995), eps=1e-12, fused=device.type == "cuda")
    compiled = loss_of
    blend, tau = torch.zeros((), device=device), torch.full((), args.tau_start, device=device)

    def batch(extra):
        index = torch.randint(0, len(many), (args.batch - extra,), device=device)
        rows = many.board[index], many.feature[index].int(), many.header[index]
        if extra:
            index = torch.randint(0, len(more), (extra,), device=device)
            others = more.board[index], more.feature[index].int(), more.header[index]
            rows = [torch.cat(pair) for pair in zip(rows, others)]
        return positions.mirrored(*rows, args.variant, args.mirror) if args.mirror else rows

    def step(function, extra=0):
        rows = batch(extra)
        taught = taught_by(teachers, *rows[:2]) if teachers and now_blend < 1 else None
        loss, share = function(model, *rows, blend, tau, taught, args.trust if taught is not None else 0.0)
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        return loss.detach(), share

    if device.type == "cuda" and not args.eager:
        try:
            compiled = torch.compile(loss_of)
            now_blend = 1.0
            step(compiled)
        except Exception as error:  # the compiler is an optimisation; training goes on without it
            print("no compiler:", type(error).__name__, str(error)[:300])
            compiled = loss_of
    mean, weights = copy.deepcopy(model).eval(), list(model.parameters())
    begin, steps, shown, checked = time.time(), 0, 0.0, -40.0
    while True:
        spent = time.time() - begin
        fraction = min(1.0, steps / args.steps if args.steps else spent / args.seconds)
        factor, now_blend, now_tau = schedule(fraction, args)
        blend.fill_(now_blend)
        tau.fill_(now_tau)
        for group in optimizer.param_groups:
            group["lr"] = base * group["scale"] * factor * min(1.0, (steps + 1) / 200)
        loss, share = step(compiled, extra_rows(fraction, args) if more is not None else 0)
        optimizer.step()
        with torch.no_grad():
            if args.decay:
                for group in optimizer.param_groups:
                    for weight in group["params"]:
                        if weight is not model.b and weight is not model.header:
                            weight.mul_(1 - args.decay * factor)
            for average, weight in zip(mean.parameters(), weights):
                average.lerp_(weight, 1 - min(args.average, steps / (steps + 10)))
        steps += 1
        if steps % 50 == 0 and device.type == "cuda":
            torch.cuda.synchronize()
        if spent - shown > args.show:
            shown = spent
            print(f"{name} {spent:5.0f}s step {steps} loss {float(loss):.3f} fits {float(share):.4f} blend {now_blend:.2f} tau {now_tau:.2f}")
            if spent - checked > 45:  # the exact integers, so that a fault of the simulation shows at once
                checked = spent
                sample = check.at(slice(0, 20_000))
                print("exact share of check positions so far:", report(integers(mean), sample, device, "check")["share"])
            whole.writable(out)  # said now rather than at the end
        if fraction >= 1.0:
            break
    final = integers(mean)
    raw = final.to_bytes()
    # A model of some numbers of men is asked about these alone, and which model it is has to be said first.
    ours = lambda part: part.at(torch.nonzero((part.men >= least) & (part.men <= most))[:, 0]) if args.men != ANY_MEN else part
    said = math.log2(int((data.men > EXACT_MEN[args.variant]).sum()) / len(many)) if args.men != ANY_MEN else 0.0
    judged = {label: report(final, ours(part), device, label, said) for label, part in (("check", check), ("test", test))}
    whole.write(out / f"{name}.rkpc", raw)
    entry = {"name": name, "config": config, "steps": steps, "samples": steps * args.batch, "seconds": round(time.time() - begin, 1),
             "bytes": len(raw), **judged}
    log.append(entry)
    whole.write(out / "results.json", json.dumps(log, indent=1))
    print(json.dumps(entry))
    return entry


def trained_fast(parts, args, device, out, start):
    """Trains by kernels, if they do here what the plain way does; nothing otherwise."""
    try:
        import fast

        config = CONFIGS[fast.settings_of(args.fast.split(";")[0], args)[0]]
        wrong = list(fast.check(device, config["half"], config["layer"]))
        print("kernels beside the plain way:", wrong, f"after {time.time() - start:.1f} s", flush=True)
        if max(max(found.values()) for found in wrong) > (0.05 if device.type == "cuda" else 1e-4):
            raise ArithmeticError("the kernels do something else than the plain way")
        return fast.train_all(parts, args, device, out, CONFIGS, schedule, report, LIMITS[args.variant], EXACT_MEN[args.variant], start)
    except Exception as error:
        if time.time() - start > args.seconds / 3:
            raise
        print("no kernels, so the plain way:", type(error).__name__, str(error)[:2000], flush=True)
        return []


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", nargs="?", help="RUKHGM01 or RUKHPS01 file, plain or .xz")
    parser.add_argument("--extra", help="RUKHGM01 file of further games (self-play from openings of the training games, say), learned from at first")
    parser.add_argument("--extra-share", type=float, default=0.9, help="share of the first batches that is extra")
    parser.add_argument("--extra-until", type=float, default=0.6, help="part of the training after which nothing is extra")
    parser.add_argument("--out", default="out")
    parser.add_argument("--configs", default="a,b", help="which of CONFIGS to train, one after the other")
    parser.add_argument("--seconds", type=float, default=120, help="training time of each")
    parser.add_argument("--steps", type=int, default=0, help="stop after this many steps instead")
    parser.add_argument("--batch", type=int, default=8192)
    parser.add_argument("--rate", type=float, default=2e-3)
    parser.add_argument("--plain", type=float, default=0.25, help="share of the training with plain cross-entropy")
    parser.add_argument("--tau-start", type=float, default=8.0)
    parser.add_argument("--tau-end", type=float, default=2.0)
    parser.add_argument("--focus", type=float, default=1.0, help="share of the step in the loss at the end; plain cross-entropy is the rest (--fast)")
    parser.add_argument("--above", type=float, default=1.0, help="softness of the step above the limit, below it is 1: more learns longer from what is far from fitting (--fast)")
    parser.add_argument("--average", type=float, default=0.999, help="the model that is written is a running mean: share of the old at each step")
    parser.add_argument("--dropout", type=float, default=0.0, help="share of activations left out at each step")
    parser.add_argument("--decay", type=float, default=0.0, help="part of each weight that is lost at each step")
    parser.add_argument("--mirror", type=float, default=0.0, help="share of the rows that are seen left for right (only where that is a position of the game)")
    parser.add_argument("--men", default=ANY_MEN, help="learn from positions with so many men only: FEWEST-MOST")
    parser.add_argument("--teacher", action="append", default=[], help="model file, of the same variant and kind of board, whose expectations are learned too; may be given again")
    parser.add_argument("--trust", type=float, default=0.7, help="share of the teachers in what is learned at first")
    parser.add_argument("--canonical", action="store_true", help="boards as the side to move sees them")
    parser.add_argument("--name", default="", help="appended to the names of the files")
    parser.add_argument("--games", type=int, help="only so many training games")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--show", type=float, default=10)
    parser.add_argument("--variant", type=int, default=0, help="0 chess, 1 Chess960, 2 Makruk (written to the file)")
    parser.add_argument("--version", type=int, default=0, help="version of the codes (written to the file; default 2, canonical 4)")
    parser.add_argument("--symbols", type=int, default=13)
    parser.add_argument("--headers", type=int, default=32)
    parser.add_argument("--features", type=int, default=5)
    parser.add_argument("--fast", help='train all of these at once with kernels of their own, instead of --configs: "c;c:dropout=0.06,tau=4". --seconds is then all there is, reading the data included')
    parser.add_argument("--judging", type=float, default=12, help="seconds of it that are kept for the last measurements (--fast)")
    parser.add_argument("--keep", type=float, default=40, help="seconds between models that are written on the way (--fast)")
    parser.add_argument("--eager", action="store_true", help="no torch.compile")
    parser.add_argument("--cpu", action="store_true")
    parser.add_argument("--smoke", action="store_true", help="synthetic boards, tiny model, a few steps")
    args = parser.parse_args()
    device = torch.device("cuda" if torch.cuda.is_available() and not args.cpu and not args.smoke else "cpu")
    # tf32 is exact here: operands are integers below 2^11, sums are kept in float32.
    torch.set_float32_matmul_precision("high")
    out = pathlib.Path(args.out)
    out.mkdir(parents=True, exist_ok=True)
    if args.smoke:
        args.configs, args.steps, args.batch, args.show = "tiny", 20, 32, 1
    start = BEGAN if args.fast else time.time()
    parts = synthetic(device) if args.smoke else positions.load(args.data, device, args.games)
    if args.canonical:
        parts = [positions.canonical(part, args.variant) for part in parts]
    extra = None
    if args.extra:
        extra = positions.replay(*positions.read_games(args.extra), device)
        extra = positions.canonical(extra, args.variant) if args.canonical else extra
        print("extra positions:", len(extra))
    print("positions:", [len(p) for p in parts], f"ready after {time.time() - start:.0f} s on {device}")
    log = []
    if args.fast:
        log = trained_fast(parts, args, device, out, start)
        if not log:
            args.configs, args.seconds, args.eager = args.fast.split(":")[0].split(";")[0], args.seconds - (time.time() - start) - args.judging, True
    for name in args.configs.split(",") if not log else []:
        config = dict(CONFIGS[name], symbols=args.symbols, headers=args.headers, features=args.features, variant=args.variant)
        train(name + args.name, config, parts, extra, args, device, out, log)
    best = max(log, key=lambda e: e["check"]["share"])
    print("best on the check games:", best["name"], best["check"]["share"], "test", best["test"]["share"])


if __name__ == "__main__":
    main()
