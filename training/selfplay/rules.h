// The rules of chess for a warp: positions, pseudo-legal moves, making them. Squares a1 = 0 … h8 = 63. Promotions are to the queen only: good
// enough for training games, and a position is never called mate or stalemate wrongly by it.
#pragma once

#include "lanes.h"

enum { PAWN, KNIGHT, BISHOP, ROOK, QUEEN, KING, NOTHING = 7 };
enum { PLAIN, PROMOTION, PASSING, CASTLING };
constexpr int NO_SQUARE = 64;

/// `b`: squares of the six kinds, then of White and of Black. `passed`: the square behind a pawn that can be taken en passant.
struct Position {
    u64 b[8];
    u64 key;
    u8 black, rights, passed, clock;
    u8 unused[4];
};

/// A move: from 6 bits, to 6, kind 3, captured kind 3, what is special about it 2.
DEV int from_of(u32 m) { return m & 63; }
DEV int to_of(u32 m) { return m >> 6 & 63; }
DEV int kind_of(u32 m) { return m >> 12 & 7; }
DEV int taken_of(u32 m) { return m >> 15 & 7; }
DEV int special_of(u32 m) { return m >> 18 & 3; }
DEV bool is_quiet(u32 m) { return taken_of(m) == NOTHING && special_of(m) != PROMOTION; }

/// Lines through a square without it (rank, file, the two diagonals), and the squares from which a knight, a king, a white and a black pawn
/// attack it; random numbers for keys; castling rights that end when a square is touched.
struct Tables {
    u64 line[4][64];
    u64 near[4][64];
    u64 men[12][64];
    u64 rights[16];
    u64 files[8];
    u64 side;
    u8 touch[64];
};

inline void fill(Tables &t) {
    auto bit = [](int file, int rank) -> u64 { return file < 0 || file > 7 || rank < 0 || rank > 7 ? 0 : 1ull << (8 * rank + file); };
    const int steps[4][2] = {{1, 0}, {0, 1}, {1, 1}, {1, -1}};
    for (int s = 0; s < 64; s++) {
        int f = s & 7, r = s >> 3;
        for (int d = 0; d < 4; d++) {
            t.line[d][s] = 0;
            for (int n = -7; n <= 7; n++)
                if (n) t.line[d][s] |= bit(f + n * steps[d][0], r + n * steps[d][1]);
        }
        t.near[0][s] = t.near[1][s] = 0;
        for (int x = -2; x <= 2; x++)
            for (int y = -2; y <= 2; y++) {
                if (x * x + y * y == 5) t.near[0][s] |= bit(f + x, r + y);
                if (x * x + y * y == 1 || x * x + y * y == 2) t.near[1][s] |= bit(f + x, r + y);
            }
        t.near[2][s] = bit(f - 1, r - 1) | bit(f + 1, r - 1);
        t.near[3][s] = bit(f - 1, r + 1) | bit(f + 1, r + 1);
        t.touch[s] = s == 0 ? 2 : s == 4 ? 3 : s == 7 ? 1 : s == 56 ? 8 : s == 60 ? 12 : s == 63 ? 4 : 0;
    }
    u64 state = 0x52756b68;
    auto random = [&state]() -> u64 {
        u64 z = state += 0x9e3779b97f4a7c15ull;
        z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
        z = (z ^ z >> 27) * 0x94d049bb133111ebull;
        return z ^ z >> 31;
    };
    for (auto &man : t.men)
        for (auto &n : man) n = random();
    for (auto &n : t.rights) n = random();
    for (auto &n : t.files) n = random();
    t.side = random();
}

/// What a slider on `bit` reaches along `mask`, a line without it.
DEV u64 along(u64 occupied, u64 bit, u64 mask) {
    u64 o = occupied & mask;
    return ((o - bit) ^ reversed(reversed(o) - reversed(bit))) & mask;
}

/// The part of those who attack `square` that this lane finds: a line each for four lanes, a kind each for four more.
DEV u64 attackers_of_lane(const Tables &t, const Position &p, u64 occupied, int square) {
    int l = lane();
    if (l < 4) return along(occupied, 1ull << square, t.line[l][square]) & (p.b[l < 2 ? ROOK : BISHOP] | p.b[QUEEN]);
    if (l < 6) return t.near[l - 4][square] & p.b[l == 4 ? KNIGHT : KING];
    if (l < 8) return t.near[l - 4][square] & p.b[PAWN] & p.b[l];
    return 0;
}

/// Whether a man of `side` attacks the square.
DEV bool attacked(const Tables &t, const Position &p, int square, int side) {
    u64 all = p.b[6] | p.b[7];
    return votes((attackers_of_lane(t, p, all, square) & p.b[6 + side]) != 0) != 0;
}

/// All who attack the square when only `occupied` stands in the way.
DEV u64 attackers(const Tables &t, const Position &p, u64 occupied, int square) {
    u64 mine = attackers_of_lane(t, p, occupied, square);
    return (u64)either((u32)(mine >> 32)) << 32 | either((u32)mine);
}

DEV int king_of(const Position &p, int side) { return lowest(p.b[KING] & p.b[6 + side]); }

DEV int kind_at(const Position &p, u64 bit) {
    int kind = NOTHING;
    for (int k = 0; k < 6; k++)
        if (p.b[k] & bit) kind = k;
    return kind;
}

/// The pseudo-legal moves of the side to move, or only captures and promotions, in no order: `moves[0 … n)`. `men` is room for 16 squares.
DEV int generate(const Tables &t, const Position &p, bool in_check, bool quiet_too, u32 *moves, u8 *men) {
    const int us = p.black, l = lane();
    const u64 own = p.b[6 + us], other = p.b[7 - us], all = own | other;
    // The lane that has the n-th man.
    u32 low = (u32)own, high = (u32)(own >> 32);
    u32 before = (1u << l) - 1;
    int in_low = popcount((u64)low);
    sync();
    if (low >> l & 1) men[popcount((u64)(low & before))] = (u8)l;
    if (high >> l & 1) men[in_low + popcount((u64)(high & before))] = (u8)(l + 32);
    sync();
    int count = popcount(own);
    u64 targets = 0;
    int square = 0, kind = NOTHING;
    if (l < count) {
        square = men[l];
        u64 bit = 1ull << square;
        kind = kind_at(p, bit);
        u64 wanted = quiet_too ? ~own : other;
        if (kind == PAWN) {
            u64 last = us ? 0xffull : 0xffull << 56;
            u64 one = (us ? bit >> 8 : bit << 8) & ~all;
            u64 start = us ? 0xffull << 48 : 0xffull << 8;
            u64 two = bit & start ? (us ? one >> 8 : one << 8) & ~all : 0;
            u64 passing = p.passed < NO_SQUARE ? 1ull << p.passed : 0;
            targets = t.near[3 - us][square] & (other | passing);
            targets |= quiet_too ? one | two : one & last;
        } else if (kind == KNIGHT || kind == KING) {
            targets = t.near[kind == KING][square] & wanted;
        } else {
            if (kind != BISHOP) targets = along(all, bit, t.line[0][square]) | along(all, bit, t.line[1][square]);
            if (kind != ROOK) targets |= along(all, bit, t.line[2][square]) | along(all, bit, t.line[3][square]);
            targets &= wanted;
        }
    }
    int n = popcount(targets), at = n;
#pragma unroll 1
    for (int by = 1; by < 32; by <<= 1) {
        int left = shfl_up(at, by);
        if (l >= by) at += left;
    }
    int total = (int)shfl((u32)at, 31);
    at -= n;
#pragma unroll 1
    while (targets) {
        moves[at++] = (u32)square | (u32)lowest(targets) << 6 | (u32)kind << 12;
        targets &= targets - 1;
    }
    sync();
#pragma unroll 1
    for (int i = l; i < total; i += 32) {
        u32 m = moves[i];
        u64 bit = 1ull << to_of(m);
        u32 taken = bit & other ? (u32)kind_at(p, bit) : (u32)NOTHING, special = PLAIN;
        if (kind_of(m) == PAWN) {
            int rank = to_of(m) >> 3;
            if (rank == 0 || rank == 7) special = PROMOTION;
            if (to_of(m) == p.passed) taken = PAWN, special = PASSING;
        }
        moves[i] = m | taken << 15 | special << 18;
    }
    if (quiet_too && !in_check && (p.rights >> 2 * us & 3)) {
        const int home = us ? 60 : 4;
#pragma unroll 1
        for (int wing = 0; wing < 2; wing++) {
            if (!(p.rights >> (2 * us + wing) & 1)) continue;
            u64 between = (wing ? 0x0eull : 0x60ull) << (us ? 56 : 0);
            if ((all & between) || attacked(t, p, wing ? home - 1 : home + 1, !us)) continue;
            if (l == 0) moves[total] = (u32)home | (u32)(wing ? home - 2 : home + 2) << 6 | (u32)KING << 12 | (u32)NOTHING << 15 | (u32)CASTLING << 18;
            total++;
        }
    }
    sync();
    return total;
}

/// The men that a move lifts and puts down, for keys and sums: `number`-th man (side, kind, from, to), a square of 64 for none.
struct Change {
    int side, kind, from, to;
};
DEV int changes_of(u32 m) { return 1 + (special_of(m) != PLAIN) + (taken_of(m) != NOTHING && special_of(m) != PASSING); }
DEV Change change_of(u32 m, int us, int number) {
    const int special = special_of(m);
    if (number == 0) return {us, kind_of(m), from_of(m), special == PROMOTION ? NO_SQUARE : to_of(m)};
    if (number == 1 && special == PROMOTION) return {us, QUEEN, NO_SQUARE, to_of(m)};
    if (number == 1 && special == PASSING) return {!us, PAWN, to_of(m) ^ 8, NO_SQUARE};
    if (number == 1 && special == CASTLING) return to_of(m) > from_of(m) ? Change{us, ROOK, to_of(m) + 1, to_of(m) - 1} : Change{us, ROOK, to_of(m) - 2, to_of(m) + 1};
    return {!us, taken_of(m), to_of(m), NO_SQUARE};
}

/// `q` is `p` after the move; 0 is a null move.
DEV void make(const Tables &t, const Position &p, Position &q, u32 m) {
    const int us = p.black, l = lane();
    u64 key = p.key ^ t.side ^ t.rights[p.rights];
    if (p.passed < NO_SQUARE) key ^= t.files[p.passed & 7];
    u64 mine = l < 8 ? p.b[l] : 0;
    int rights = p.rights, clock = p.clock + 1, passed = NO_SQUARE;
    if (m) {
        const int count = changes_of(m);
#pragma unroll 1
        for (int i = 0; i < count; i++) {
            Change c = change_of(m, us, i);
            u64 bits = 0;
            const u64 *random = t.men[6 * c.side + c.kind];
            if (c.from < NO_SQUARE) bits |= 1ull << c.from, key ^= random[c.from];
            if (c.to < NO_SQUARE) bits |= 1ull << c.to, key ^= random[c.to];
            if (l == c.kind || l == 6 + c.side) mine ^= bits;
        }
        rights &= ~(t.touch[from_of(m)] | t.touch[to_of(m)]);
        if (kind_of(m) == PAWN || taken_of(m) != NOTHING) clock = 0;
        if (kind_of(m) == PAWN && (from_of(m) ^ to_of(m)) == 16) {
            int behind = (from_of(m) + to_of(m)) >> 1;
            u64 takers = t.near[2 + !us][behind] & p.b[PAWN] & p.b[7 - us];
            if (takers) passed = behind, key ^= t.files[behind & 7];
        }
    }
    key ^= t.rights[rights];
    sync();
    if (l < 8) q.b[l] = mine;
    if (l == 8) q.key = key;
    if (l == 9) q.black = (u8)!us, q.rights = (u8)rights, q.passed = (u8)passed, q.clock = (u8)least_of(clock, 250);
    sync();
}

/// Whether the move loses nothing where it goes, by exchanges there (static exchange evaluation).
DEV int worth(int kind) { return kind == PAWN ? 100 : kind == KNIGHT || kind == BISHOP ? 300 : kind == ROOK ? 500 : kind == QUEEN ? 900 : 0; }
DEV bool loses_nothing(const Tables &t, const Position &p, u32 m) {
    if (special_of(m) != PLAIN) return true;
    int swap = worth(kind_of(m)) - worth(taken_of(m));
    if (swap <= 0) return true;
    const int square = to_of(m);
    u64 occupied = (p.b[6] | p.b[7]) ^ 1ull << from_of(m);
    occupied |= 1ull << square;
    int side = p.black, result = 1;
    for (;;) {
        side ^= 1;
        u64 all = attackers(t, p, occupied, square) & occupied;
        u64 ours = all & p.b[6 + side];
        if (!ours) break;
        result ^= 1;
        int kind = PAWN;
        while (!(ours & p.b[kind])) kind++;
        if (kind == KING) return all & p.b[7 - side] ? result ^ 1 : result;
        swap = worth(kind) - swap;
        if (swap < result) break;
        u64 first = ours & p.b[kind];
        occupied ^= first & (~first + 1);
    }
    return result;
}
