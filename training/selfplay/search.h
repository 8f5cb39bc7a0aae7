// A small alpha-beta search for a warp: iterative deepening, table, null move, late moves reduced and pruned, quiescence with exchanges. It is
// written as a loop over frames, because lanes cannot afford a stack of their own. Its job is scores of some hundred nodes, many millions a second.
#pragma once

#include "network.h"

constexpr int PLIES = 32, LIST = 2048, ENTRIES = 4096, PAST = 512, CORRECTIONS = 1024;
constexpr int MATE = 30000, DECIDED = MATE - 1000, INFINITE = 32000, NONE = -32001;

/// What a node knows; kept in a frame while its children are searched.
struct Node {
    int alpha, beta, best, eval, depth;
    int start, count, tried, less, raw;
    u32 best_move, table_move, move;
    int flags, stage;
};
enum { PV = 1, CHECK = 2, IMPROVING = 4, AFTER_NULL = 8, CUT = 16 };
enum { NULL_MOVE, NARROW, WIDE };

enum { EXACT = 3, LOWER = 1, UPPER_BOUND = 2 };
struct alignas(16) Entry {
    u32 check, move;
    i16 value, eval;
    u8 depth, bound;
    u16 unused;
};

/// What a warp has in fast memory, beside what all have.
struct Fast {
    Position pos[PLIES + 1];
    Node frame[PLIES];
    u32 killers[PLIES][2];
    u8 men[16];
};

/// What a game has in the large memory.
struct Memory {
    u32 sums[PLIES][2][WORDS];
    Entry table[ENTRIES];
    u32 moves[LIST], keys[LIST];
    i16 history[2][6][64];
    i16 corrections[2][3][CORRECTIONS]; // for each side to move: by the pawns, by White's other men, by Black's
    u64 past[PAST];
};

struct Search {
    const Tables &t;
    const Layers &net;
    const First &first;
    Fast &f;
    Memory &m;
    u32 ready0, ready1; // plies whose sums are there, for each side
    int nodes, hard, plies; // `plies` of the game lie in `m.past`
    u32 salt;
    bool stop;
};

DEV int evaluate(Search &s, int ply) {
    const Position &p = s.f.pos[ply];
    const int bucket = least_of((popcount(p.b[6] | p.b[7]) - 2) * BUCKETS / 32, BUCKETS - 1);
    Voices voices;
    voices.direct = 0;
#pragma unroll
    for (int j = 0; j < MIDDLE; j++) voices.middle[j] = 0;
#pragma unroll 1
    for (int turn = 0; turn < 2; turn++) {
        uint4 sums[SHARE];
        const int side = p.black ^ turn;
        const u32 ready = side ? s.ready1 : s.ready0;
        const int king = king_of(p, side);
        int from = ply;
        bool anew = false;
#pragma unroll 1
        while (!(ready >> from & 1)) {
            if (from == 0 || ((king_of(s.f.pos[from - 1], side) ^ king) & 4)) {
                anew = true;
                break;
            }
            from--;
        }
        if (anew) {
            refresh(s.first, p, side, sums);
        } else {
            const uint4 *known = (const uint4 *)s.m.sums[from][side];
#pragma unroll
            for (int c = 0; c < SHARE; c++) sums[c] = known[c * 32 + lane()];
#pragma unroll 1
            for (int r = from; r < ply; r++) {
                const u32 m = s.f.frame[r].move;
                const int count = m ? changes_of(m) : 0;
#pragma unroll 1
                for (int n = 0; n < count; n++) {
                    const Change c = change_of(m, s.f.pos[r].black, n);
                    if (c.from < NO_SQUARE) change(s.first, row_of(side, king, c.side, c.kind, c.from), false, sums);
                    if (c.to < NO_SQUARE) change(s.first, row_of(side, king, c.side, c.kind, c.to), true, sums);
                }
            }
        }
        if (anew || from < ply) {
            uint4 *mine = (uint4 *)s.m.sums[ply][side];
#pragma unroll
            for (int c = 0; c < SHARE; c++) mine[c * 32 + lane()] = sums[c];
            if (side) s.ready1 = ready | 1u << ply;
            else s.ready0 = ready | 1u << ply;
        }
        hear(s.net, bucket, turn, sums, voices);
    }
    int value = value_of(s.net, bucket, voices);
    value -= value * least_of((int)p.clock, 100) / 212;
    return clamp(value, -20000, 20000);
}

DEV int bucket_of(u64 a, u64 b) { return (int)((a * 0x9e3779b97f4a7c15ull ^ b * 0xd1342543de82ef95ull) >> 54); }

/// How far off the evaluation was in positions with the same pawns or men: each lane of three looks at one table.
DEV int correction_place(const Position &p, int table) {
    if (table == 0) return bucket_of(p.b[PAWN] & p.b[6], p.b[PAWN] & p.b[7]);
    const u64 men = p.b[5 + table] & ~p.b[PAWN];
    return bucket_of(men & (p.b[KNIGHT] | p.b[ROOK] | p.b[KING]), men & (p.b[BISHOP] | p.b[QUEEN]));
}
DEV int correction(const Search &s, const Position &p) {
    const int l = lane();
    return sum(l < 3 ? s.m.corrections[p.black][l][correction_place(p, l)] : 0) * 52 / 1024;
}
DEV void correct(Search &s, const Position &p, int depth, int by) {
    const int l = lane();
    if (l < 3) {
        i16 &of = s.m.corrections[p.black][l][correction_place(p, l)];
        const int bonus = clamp(by * depth / 6, -245, 245);
        of = (i16)(of + bonus - of * (bonus < 0 ? -bonus : bonus) / 1024);
    }
    sync();
}

/// Draws by the clock, by a repetition, or by men that cannot mate.
DEV bool is_draw(const Search &s, int ply) {
    const Position &p = s.f.pos[ply];
    if (p.clock >= 100) return true;
    u64 all = p.b[6] | p.b[7];
    if (popcount(all) <= 3 && !(p.b[PAWN] | p.b[ROOK] | p.b[QUEEN])) return true;
    const int most_back = least_of((int)p.clock, ply + s.plies);
#pragma unroll 1
    for (int back = 4; back <= most_back; back += 64) {
        int mine = back + 2 * lane();
        bool same = false;
        if (mine <= most_back) same = (mine <= ply ? s.f.pos[ply - mine].key : s.m.past[s.plies - (mine - ply)]) == p.key;
        if (votes(same)) return true;
    }
    return false;
}

constexpr u32 TABLE_MOVE = 0xfffffe, GOOD = 0x800000, KILLER = 0x7fff00, QUIET = 0x200000, BAD = 0x100000;
/// What the history says of a quiet move, from its number in the list.
DEV int history_of(u32 rank) { return (int)((rank - QUIET) >> 6) - 16384; }

/// Where men like to go, as far as nothing else is known: the same for both sides.
DEV u32 outlook(u32 m, int us) {
    const int to = to_of(m) ^ (us ? 56 : 0), rank = to >> 3, file = to & 7;
    return (u32)(8 * (least_of(rank, 7 - rank) + least_of(file, 7 - file)) + rank);
}

/// Says which of the list's moves come first: the higher the number, the earlier. The lowest byte finds the move again.
DEV void order(Search &s, const Node &n, int ply) {
    const int us = s.f.pos[ply].black;
    const u32 first = s.f.killers[ply][0], second = s.f.killers[ply][1];
#pragma unroll 1
    for (int i = lane(); i < n.count; i += 32) {
        const u32 m = s.m.moves[n.start + i];
        u32 key;
        if (m == n.table_move) key = TABLE_MOVE;
        else if (!is_quiet(m)) key = GOOD + ((special_of(m) == PROMOTION ? 64u : 0u) + 8u * ((taken_of(m) + 1) & 7) + (5 - kind_of(m))) * 64 + outlook(m, us);
        else if (m == first || m == second) key = KILLER + (m == first);
        else key = QUIET + (u32)(16384 + s.m.history[us][kind_of(m)][to_of(m)]) * 64 + outlook(m, us);
        s.m.keys[n.start + i] = key << 8 | (255 - i);
    }
    sync();
}

DEV void learn(i16 &of, int by) { of = (i16)(of + by - of * (by < 0 ? -by : by) / 16384); }

/// One iteration from the root. The best move so far is in `best`, kept also when the search is stopped; then the value is that of the best move.
DEV int iterate(Search &s, int depth, int alpha, int beta, u32 &best) {
    Node n;
    int ply = 0, value = 0, top = 0;
    n.alpha = alpha, n.beta = beta, n.depth = depth, n.flags = PV;
    best = 0;

enter: {
    s.nodes++;
    const Position &p = s.f.pos[ply];
    const int us = p.black;
    n.best = -INFINITE, n.best_move = 0, n.table_move = 0, n.tried = 0, n.count = 0, n.start = top, n.move = 0;
    n.flags &= PV | AFTER_NULL | CUT;
    if (ply > 0) {
        if (s.nodes > s.hard) {
            s.stop = true;
            goto stopped;
        }
        if (is_draw(s, ply)) {
            value = 0;
            goto leave;
        }
    }
    if (attacked(s.t, p, king_of(p, us), !us)) n.flags |= CHECK;
    const bool check = n.flags & CHECK, quiescence = n.depth <= 0, bottom = ply >= PLIES - 1 || top > LIST - 256;
    const u64 key = p.key;
    const Entry e = s.m.table[key & (ENTRIES - 1)];
    const bool known = e.check == ((u32)(key >> 32) ^ s.salt);
    int table_value = NONE;
    if (known) {
        n.table_move = e.move;
        if (e.bound) {
            table_value = e.value;
            if (table_value > DECIDED) table_value -= ply;
            if (table_value < -DECIDED) table_value += ply;
            if (!(n.flags & PV) && e.depth >= n.depth && (e.bound & (table_value >= n.beta ? LOWER : UPPER_BOUND))) {
                value = table_value;
                goto leave;
            }
        }
    }
    n.eval = NONE;
    if (!check || bottom) {
        n.raw = known && e.eval != NONE ? e.eval : evaluate(s, ply);
        n.eval = clamp(n.raw + correction(s, p), -20000, 20000);
    }
    if (bottom) {
        value = n.eval;
        goto leave;
    }
    int eval = n.eval;
    if (!check && table_value != NONE && (e.bound & (table_value > eval ? LOWER : UPPER_BOUND))) eval = table_value;
    if (!check && (ply < 2 || s.f.frame[ply - 2].eval == NONE || n.eval > s.f.frame[ply - 2].eval)) n.flags |= IMPROVING;
    if (quiescence) {
        if (!check) {
            n.best = eval;
            if (n.best >= n.beta) {
                value = n.best;
                goto leave;
            }
            n.alpha = most_of(n.alpha, n.best);
        }
    } else if (!check && !(n.flags & PV)) {
        // Far above beta, or even with a move less: enough.
        if (n.depth <= 7 && eval - 75 * (n.depth - ((n.flags & IMPROVING) != 0)) >= n.beta && eval < DECIDED && n.beta > -DECIDED) {
            value = n.beta + (eval - n.beta) / 3;
            goto leave;
        }
        if (n.depth <= 3 && eval + 250 + 200 * n.depth * n.depth < n.alpha) {
            n.depth = 0;
            n.best = eval;
            n.alpha = most_of(n.alpha, n.best);
        } else if (n.depth >= 3 && eval >= n.beta && n.eval >= n.beta && !(n.flags & AFTER_NULL) && n.beta > -DECIDED && (p.b[6 + us] & ~(p.b[PAWN] | p.b[KING]))) {
            n.stage = NULL_MOVE;
            make(s.t, p, s.f.pos[ply + 1], 0);
            s.f.frame[ply] = n;
            const int less = 3 + n.depth / 3 + least_of((eval - n.beta) / 200, 3);
            n.alpha = -n.beta, n.beta = n.alpha + 1, n.depth -= less, n.flags = AFTER_NULL;
            goto down;
        }
    }
    if (n.depth >= 4 && !n.table_move) n.depth--;
    goto list;
}

down:
    // The child's position has just been made.
    ply++;
    s.ready0 &= ~(1u << ply), s.ready1 &= ~(1u << ply);
    sync();
    goto enter;

list: {
    const bool check = n.flags & CHECK;
    n.count = generate(s.t, s.f.pos[ply], check, check || n.depth > 0, s.m.moves + n.start, s.f.men);
    top = n.start + n.count;
    order(s, n, ply);
}

next: {
    const Position &p = s.f.pos[ply];
    u32 key = 0;
#pragma unroll 1
    for (int i = lane(); i < n.count; i += 32) key = most_of(key, s.m.keys[n.start + i]);
    key = most(key);
    if (!key) goto done;
    const int at = n.start + 255 - (int)(key & 255);
    const u32 m = s.m.moves[at];
    const u32 rank = key >> 8;
    const bool check = n.flags & CHECK, quiescence = n.depth <= 0, quiet = is_quiet(m);
    const bool losing = !quiet && rank < TABLE_MOVE && rank >= GOOD && !loses_nothing(s.t, p, m);
    if (lane() == 0) s.m.keys[at] = losing && !(quiescence && !check) ? (BAD + 8 * taken_of(m)) << 8 | (key & 255) : 0;
    sync();
    if (losing) goto next;
    if (n.best > -DECIDED && ply > 0) {
        if (quiescence) {
            if (!check && n.eval + worth(taken_of(m)) + 200 <= n.alpha && special_of(m) != PROMOTION) goto next;
        } else if (!check) {
            if (quiet && rank < KILLER) {
                if (n.tried >= (3 + n.depth * n.depth) / (n.flags & IMPROVING ? 1 : 2)) goto next;
                if (n.depth <= 6 && n.eval + 90 + 85 * n.depth <= n.alpha) goto next;
                if (n.depth <= 3 && history_of(rank) < -2000 * n.depth) goto next;
            } else if (rank < QUIET && n.depth <= 4 && !(n.flags & PV)) {
                goto next;
            }
        }
    }
    make(s.t, p, s.f.pos[ply + 1], m);
    if (attacked(s.t, s.f.pos[ply + 1], king_of(s.f.pos[ply + 1], p.black), !p.black)) goto next;
    n.tried++;
    n.move = m;
    n.less = 0;
    n.stage = WIDE;
    Node child;
    child.depth = n.depth > 0 ? n.depth - 1 : 0;
    child.flags = n.flags & PV ? PV : n.flags & CUT ? 0 : CUT;
    child.alpha = -n.beta, child.beta = -n.alpha;
    if (n.depth > 0 && n.tried > 1) {
        n.stage = NARROW;
        child.flags = n.flags & CUT ? 0 : CUT;
        child.alpha = -n.alpha - 1;
        if (n.depth >= 2 && n.tried > 1 + (ply == 0) && !check && (quiet || rank < QUIET)) {
            int less = (int)(0.9f + logf((float)n.depth) * logf((float)n.tried) * 0.45f);
            if (!(n.flags & IMPROVING)) less++;
            if (n.flags & PV) less--;
            if (n.flags & CUT) less += 1 + !n.table_move;
            if (rank >= KILLER) less--;
            else if (quiet) less -= history_of(rank) / 6000;
            n.less = clamp(less, 0, n.depth - 1);
            child.depth -= n.less;
            if (n.less > 0) child.flags = CUT;
        }
    }
    s.f.frame[ply] = n;
    n = child;
    goto down;
}

leave:
    // `value` is the node's, for its side to move.
    if (ply == 0) return value;
    ply--;
    value = -value;
    sync();
    n = s.f.frame[ply];
    top = n.start + n.count;
    if (n.stage == NULL_MOVE) {
        if (value >= n.beta) {
            if (value > DECIDED) value = n.beta;
            goto leave;
        }
        n.move = 0;
        goto list;
    }
    if (n.stage == NARROW && value > n.alpha && (n.less > 0 || ((n.flags & PV) && value < n.beta))) {
        // Better than thought: deeper, and on the principal variation with the whole window.
        Node child;
        child.depth = n.depth - 1;
        if (n.less > 0) {
            n.less = 0;
            child.flags = n.flags & CUT ? 0 : CUT, child.alpha = -n.alpha - 1, child.beta = -n.alpha;
        } else {
            n.stage = WIDE;
            child.flags = PV, child.alpha = -n.beta, child.beta = -n.alpha;
        }
        sync();
        s.f.frame[ply] = n;
        n = child;
        ply++;
        sync();
        goto enter;
    }
    if (value > n.best) {
        n.best = value;
        if (value > n.alpha) {
            n.best_move = n.move;
            if (ply == 0) best = n.move;
            n.alpha = value;
            if (value >= n.beta) goto done;
        }
    }
    goto next;

done: {
    const Position &p = s.f.pos[ply];
    const bool check = n.flags & CHECK;
    if (n.tried == 0 && n.best == -INFINITE) n.best = check ? -MATE + ply : 0;
    if (n.best >= n.beta && n.depth > 0 && n.best_move && is_quiet(n.best_move)) {
        const int bonus = least_of(160 * n.depth + 100, 1600), us = p.black;
        const u32 old = s.f.killers[ply][0];
        sync();
        if (lane() == 0 && old != n.best_move) s.f.killers[ply][0] = n.best_move, s.f.killers[ply][1] = old;
        // The best move gains, the quiet ones tried before it lose.
#pragma unroll 1
    for (int i = lane(); i < n.count; i += 32) {
            const u32 m = s.m.moves[n.start + i];
            if (!is_quiet(m) || (s.m.keys[n.start + i] && m != n.best_move)) continue;
            learn(s.m.history[us][kind_of(m)][to_of(m)], m == n.best_move ? bonus : -bonus);
        }
        sync();
    }
    if (!check && n.depth > 0 && (!n.best_move || is_quiet(n.best_move)) && !(n.best >= n.beta && n.best <= n.eval) && !(!n.best_move && n.best >= n.eval))
        correct(s, p, n.depth, n.best - n.eval);
    value = n.best;
    if (lane() == 0) {
        Entry e;
        e.check = (u32)(p.key >> 32) ^ s.salt;
        e.move = n.best_move ? n.best_move : n.table_move;
        int kept = value;
        if (kept > DECIDED) kept += ply;
        if (kept < -DECIDED) kept -= ply;
        e.value = (i16)kept, e.eval = (i16)(check ? NONE : n.raw);
        e.depth = (u8)most_of(n.depth, 0);
        e.bound = n.best >= n.beta ? LOWER : n.best_move && (n.flags & PV) ? EXACT : UPPER_BOUND;
        e.unused = 0;
        s.m.table[p.key & (ENTRIES - 1)] = e;
    }
    sync();
    goto leave;
}

stopped:
    // What the root has found so far.
    sync();
    return ply == 0 ? 0 : s.f.frame[0].best;
}

struct Found {
    u32 move;
    int value;
};

/// Searches the root position, `s.f.pos[0]`, until so many nodes are spent.
DEV Found think(Search &s, int soft, int hard) {
    s.nodes = 0, s.stop = false;
    s.ready0 = s.ready1 = 0;
    if (lane() < PLIES) s.f.killers[lane()][0] = s.f.killers[lane()][1] = 0;
    sync();
    Found found{0, 0};
    for (int depth = 1; depth < 20; depth++) {
        // The first iteration is always finished: there must be a move.
        s.hard = depth == 1 ? 1 << 30 : hard;
        int width = 20;
        int alpha = depth < 4 ? -INFINITE : most_of(found.value - width, -INFINITE);
        int beta = depth < 4 ? INFINITE : least_of(found.value + width, INFINITE);
        for (;;) {
            u32 best = 0;
            const int value = iterate(s, depth, alpha, beta, best);
            if (s.stop) {
                if (best) found.move = best, found.value = value;
                return found;
            }
            width *= 3;
            if (value <= alpha && alpha > -INFINITE) {
                beta = least_of((alpha + beta) / 2, INFINITE);
                alpha = most_of(value - width, -INFINITE);
                beta = most_of(beta, alpha + 1);
            } else {
                if (best) found.move = best;
                found.value = value;
                if (value < beta || beta >= INFINITE) break;
                beta = least_of(value + width, INFINITE);
            }
        }
        if (!found.move || s.nodes >= soft) break;
    }
    return found;
}
