"""The network of network.py, forwards and backwards, in a few GPU kernels; `fast.py` trains with them.

A training is told all squares at once, so nothing waits for anything: the running sums of a position are one walk over its board
(`scan`), a square's layer and scores are products of a block of positions (`price`), and the walk back gathers what every man's
rows have to learn (`scan_back`). Numbers on the integer grid are below 2^8, so bf16 holds them exactly and sums in float32 are exact, too;
gradients are rounded to bf16.

A square of a position is one number: its symbol, from bit 8 on which symbols are possible, in bit 24 whether it is certain.
Symbols are padded to 16. Arrays are by square first: (64, positions, ...).
"""
import triton
import triton.language as tl

SYMBOLS = 16
POSITIONS = tl.constexpr(64)  # of a program of the walks
ROWS = tl.constexpr(128)  # of a program of the products


@triton.jit
def kept(n, t, j, seed, left_out):
    """Which activations stay: a hash of where they are, so that both walks agree and nothing is stored."""
    h = ((n * 64 + t)[:, None] * 1024 + j[None, :]).to(tl.uint32) * 0x9E3779B1 + seed.to(tl.uint32) * 0x85EBCA77
    h = (h ^ (h >> 16)) * 0x7FEB352D
    h = (h ^ (h >> 15)) * 0x846CA68B
    h = h ^ (h >> 16)
    return (h >> 8).to(tl.int32) >= left_out


@triton.jit
def scan(packed, feature, begin, E, D, active, total, seed_at, left_out, count, HALF: tl.constexpr, PART: tl.constexpr, DROPS: tl.constexpr):
    """Running sums over the squares of POSITIONS boards, PART activations and their partners: activations, and the sums at the end."""
    n = tl.program_id(0) * POSITIONS + tl.arange(0, POSITIONS)
    j = tl.program_id(1) * PART + tl.arange(0, PART)
    seed = tl.load(seed_at)
    first = begin + (tl.load(feature + n) * (2 * HALF))[:, None] + j[None, :]
    left = tl.load(first)
    right = tl.load(first + HALF)
    for t in range(64):
        symbol = tl.load(packed + t * count + n) & 255
        a = tl.minimum(tl.maximum(left + tl.load(D + t * 2 * HALF + j)[None, :], 0.0), 127.0)
        b = tl.minimum(tl.maximum(right + tl.load(D + t * 2 * HALF + HALF + j)[None, :], 0.0), 127.0)
        both = tl.floor(a * b * 0.0078125)
        if DROPS:
            both = tl.where(kept(n, t, j, seed, left_out), both, 0.0)
        tl.store(active + (t * count + n)[:, None] * HALF + j[None, :], both.to(active.dtype.element_ty))
        row = E + ((t * 16 + symbol) * (2 * HALF))[:, None] + j[None, :]
        left += tl.load(row).to(tl.float32)
        right += tl.load(row + HALF).to(tl.float32)
    last = total + (n * (2 * HALF))[:, None] + j[None, :]
    tl.store(last, left)
    tl.store(last + HALF, right)


@triton.jit
def layer(active, V, c, t, n, k, count, scale, HALF: tl.constexpr, LAYER: tl.constexpr, WIDE: tl.constexpr):
    """A square's hidden units before they are cut to 0 to 127, for a block of positions."""
    sums = tl.zeros((ROWS, WIDE), tl.float32)
    for part in range(0, HALF, 32):
        j = part + tl.arange(0, 32)
        a = tl.load(active + (t * count + n)[:, None] * HALF + j[None, :])
        v = tl.load(V + (t * HALF + j)[:, None] * LAYER + k[None, :], mask=k[None, :] < LAYER, other=0.0)
        sums = tl.dot(a, v, sums)
    return tl.floor((sums * scale + tl.load(c + t * LAYER + k, mask=k < LAYER, other=0.0)[None, :]) * 0.015625)


@triton.jit
def chances(y, packed, U, b, t, n, k, count, LAYER: tl.constexpr):
    """From a square's units: which symbol stands there, the expectations, that of the symbol itself, whether it is certain."""
    symbols = tl.arange(0, 16)
    u = tl.load(U + (t * LAYER + k)[:, None] * 16 + symbols[None, :], mask=k[:, None] < LAYER, other=0.0)
    z = tl.dot(y, u) + tl.load(b + t * 16 + symbols)[None, :]
    square = tl.load(packed + t * count + n)
    may = ((square >> 8)[:, None] >> symbols[None, :]) & 1
    z = tl.where(may != 0, z * 0.00016922538587889289, -1e9)  # ln 2 / 4096
    e = tl.exp(z - tl.max(z, 1)[:, None])
    p = e / tl.sum(e, 1)[:, None]
    here = symbols[None, :] == (square & 255)[:, None]
    return here, p, tl.sum(tl.where(here, p, 0.0), 1), (square >> 24) & 1, u, may


@triton.jit
def price(packed, active, V, c, U, b, cost, count, scale, share, HALF: tl.constexpr, LAYER: tl.constexpr, WIDE: tl.constexpr):
    """Bits of each square."""
    t = tl.program_id(0)
    n = tl.program_id(1) * ROWS + tl.arange(0, ROWS)
    k = tl.arange(0, WIDE)
    raw = layer(active, V, c, t, n, k, count, scale, HALF, LAYER, WIDE)
    y = tl.minimum(tl.maximum(raw, 0.0), 127.0).to(active.dtype.element_ty)
    here, p, own, certain, u, may = chances(y, packed, U, b, t, n, k, count, LAYER)
    tl.store(cost + t * count + n, tl.where(certain != 0, 0.0, -tl.log2(own * share + 1.52587890625e-05)))


@triton.jit
def judge(cost, header, head, hyper, weight, header_weight, seen, count, limit):
    """Bits of each position, and how much a bit of it counts: always one in plain cross-entropy, most near the limit in the step."""
    n = tl.program_id(0) * POSITIONS + tl.arange(0, POSITIONS)
    first = tl.load(header + n)
    bits = tl.load(head + first)
    for t in range(64):
        bits += tl.load(cost + t * count + n)
    blend = tl.load(hyper + 1)
    below = tl.load(hyper + 2)
    above = tl.load(hyper + 3)
    beyond = bits - limit
    s = tl.sigmoid(beyond / tl.where(beyond > 0, above, below))
    own = ((1 - blend) + blend * 4 * s * (1 - s)) / count
    tl.store(weight + n, own)
    tl.atomic_add(header_weight + first, own)
    tl.atomic_add(seen, tl.sum(tl.where(beyond <= 0, 1.0, 0.0), 0))
    tl.atomic_add(seen + 1, tl.sum(bits, 0))
    tl.atomic_add(seen + 2, POSITIONS * 1.0)


@triton.jit
def price_back(packed, active, V, c, U, b, weight, hidden_back, dc, dU, db, count, scale, share,
               HALF: tl.constexpr, LAYER: tl.constexpr, WIDE: tl.constexpr):
    """The way back through scores and layer: what c, U and b learn, and what V and the activations will."""
    t = tl.program_id(0)
    n = tl.program_id(1) * ROWS + tl.arange(0, ROWS)
    k = tl.arange(0, WIDE)
    symbols = tl.arange(0, 16)
    raw = layer(active, V, c, t, n, k, count, scale, HALF, LAYER, WIDE)
    y = tl.minimum(tl.maximum(raw, 0.0), 127.0).to(active.dtype.element_ty)
    here, p, own, certain, u, may = chances(y, packed, U, b, t, n, k, count, LAYER)
    slope = -tl.load(weight + n) * own * share / (own * share + 1.52587890625e-05) * 0.000244140625  # 1 / 4096
    slope = tl.where(certain != 0, 0.0, slope)
    dz = tl.where(may != 0, slope[:, None] * (tl.where(here, 1.0, 0.0) - p), 0.0)
    tl.atomic_add(db + t * 16 + symbols, tl.sum(dz, 0))
    dz = dz.to(active.dtype.element_ty)
    tl.atomic_add(dU + (t * LAYER + k)[:, None] * 16 + symbols[None, :], tl.dot(tl.trans(y), dz), mask=k[:, None] < LAYER)
    dh = tl.dot(dz, tl.trans(u)) * 0.015625
    dh = tl.where((raw >= 0.0) & (raw <= 127.0), dh, 0.0)
    tl.atomic_add(dc + t * LAYER + k, tl.sum(dh, 0), mask=k < LAYER)
    tl.store(hidden_back + (t * count + n)[:, None] * LAYER + k[None, :], (dh * scale).to(hidden_back.dtype.element_ty), mask=k[None, :] < LAYER)


@triton.jit
def scan_back(packed, total, E, D, active_back, seed_at, left_out, dE, dD, begin_back, count, SYMBOL_COUNT: tl.constexpr, HALF: tl.constexpr,
              PART: tl.constexpr, DROPS: tl.constexpr):
    """The walk back over the boards: a man's rows learn from all squares behind it."""
    n = tl.program_id(0) * POSITIONS + tl.arange(0, POSITIONS)
    j = tl.program_id(1) * PART + tl.arange(0, PART)
    symbols = tl.arange(0, 16)
    seed = tl.load(seed_at)
    last = total + (n * (2 * HALF))[:, None] + j[None, :]
    left = tl.load(last)
    right = tl.load(last + HALF)
    left_back = tl.zeros((POSITIONS, PART), tl.float32)
    right_back = tl.zeros((POSITIONS, PART), tl.float32)
    for turn in range(64):
        t = 63 - turn
        symbol = tl.load(packed + t * count + n) & 255
        row = E + ((t * 16 + symbol) * (2 * HALF))[:, None] + j[None, :]
        left -= tl.load(row).to(tl.float32)
        right -= tl.load(row + HALF).to(tl.float32)
        a = left + tl.load(D + t * 2 * HALF + j)[None, :]
        b = right + tl.load(D + t * 2 * HALF + HALF + j)[None, :]
        back = tl.load(active_back + (t * count + n)[:, None] * HALF + j[None, :]).to(tl.float32) * 0.0078125
        if DROPS:
            back = tl.where(kept(n, t, j, seed, left_out), back, 0.0)
        a_back = tl.where((a >= 0.0) & (a <= 127.0), back * tl.minimum(tl.maximum(b, 0.0), 127.0), 0.0)
        b_back = tl.where((b >= 0.0) & (b <= 127.0), back * tl.minimum(tl.maximum(a, 0.0), 127.0), 0.0)
        men = (symbols[:, None] == symbol[None, :]).to(E.dtype.element_ty)
        rows = dE + ((t * 16 + symbols) * (2 * HALF))[:, None] + j[None, :]
        real = (symbols[:, None] >= 1) & (symbols[:, None] < SYMBOL_COUNT) & (j[None, :] >= 0)
        tl.atomic_add(rows, tl.dot(men, left_back.to(E.dtype.element_ty)), mask=real)
        tl.atomic_add(rows + HALF, tl.dot(men, right_back.to(E.dtype.element_ty)), mask=real)
        tl.atomic_add(dD + t * 2 * HALF + j, tl.sum(a_back, 0))
        tl.atomic_add(dD + t * 2 * HALF + HALF + j, tl.sum(b_back, 0))
        left_back += a_back
        right_back += b_back
    first = begin_back + (n * (2 * HALF))[:, None] + j[None, :]
    tl.store(first, left_back)
    tl.store(first + HALF, right_back)


@triton.jit
def adam(weight, grad, first, second, mean, grid, grid16, scale, limit, hyper, step_at, count, decay, BLOCK: tl.constexpr):
    """Adam, the running mean of the weights, and the weights on their grid. Rounding passes gradients through, the limits do not."""
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    real = i < count
    step = tl.load(step_at).to(tl.float32) + 1.0
    rate = tl.load(hyper) * tl.load(scale + i, mask=real, other=0.0)
    w = tl.load(weight + i, mask=real, other=0.0)
    most = tl.load(limit + i, mask=real, other=0.0)
    g = tl.load(grad + i, mask=real, other=0.0)
    g = tl.where((w >= -most) & (w <= most), g, 0.0)
    m = tl.load(first + i, mask=real, other=0.0) * 0.9 + g * 0.1
    v = tl.load(second + i, mask=real, other=0.0) * 0.995 + g * g * 0.005
    tl.store(first + i, m, mask=real)
    tl.store(second + i, v, mask=real)
    m = m / (1.0 - tl.exp(step * -0.10536051565782628))  # 0.9^step
    v = v / (1.0 - tl.exp(step * -0.005012541823544286))  # 0.995^step
    w = w * (1.0 - tl.where(most <= 127.0, decay * tl.load(hyper + 5), 0.0)) - rate * m / (tl.sqrt(v) + 1e-12)
    w = tl.where(most > 0, w, 0.0)
    tl.store(weight + i, w, mask=real)
    old = tl.load(mean + i, mask=real, other=0.0)
    keep = tl.minimum(tl.load(hyper + 4), (step - 1.0) / (step + 9.0))
    tl.store(mean + i, old * keep + w * (1.0 - keep), mask=real)
    on_grid = tl.floor(tl.minimum(tl.maximum(w, -most), most) + 0.5)
    tl.store(grid + i, on_grid, mask=real)
    tl.store(grid16 + i, on_grid.to(grid16.dtype.element_ty), mask=real)
