// The evaluation network of docs/formats/network.md for a warp, digit for digit what the engine computes. Each lane has its share of the first
// layer's neurons. Two sums of sixteen bits lie in one word as high · 65536 + low, both signed, so that plain additions of words add both.
#pragma once

#include "rules.h"

#ifndef NEURONS
#define NEURONS 512
#endif

constexpr int N = NEURONS, WORDS = N / 2, BUCKETS = 8, MIDDLE = 16, UPPER = 32;
/// Quadruples of words (eight neurons) that a lane has of each side's sums.
constexpr int SHARE = N / 256;
static_assert(N % 256 == 0, "eight neurons a lane at a time");

/// What all warps of a block have in fast memory.
struct Layers {
    uint4 middle[2][SHARE][2][4][32]; // [side][quadruple][half of it][four outputs][lane]: four inputs' weights for each of four outputs
    int8_t second[BUCKETS][2][SHARE][32][8];
    int second_bias[BUCKETS], middle_bias[BUCKETS][MIDDLE];
    i16 upper[BUCKETS][MIDDLE][UPPER];
    int upper_bias[BUCKETS][UPPER];
    i16 last[BUCKETS][UPPER];
    int scale;
};

/// The first layer, in the large memory: 768 rows and the bias.
struct First {
    u32 rows[768][WORDS];
    u32 bias[WORDS];
};

DEV int row_of(int side, int king, int of, int kind, int square) {
    return ((of == side ? 0 : 6) + kind) * 64 + (square ^ (side ? 56 : 0) ^ ((king & 7) > 3 ? 7 : 0));
}

DEV uint4 plus(uint4 a, uint4 b) { return uint4{a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w}; }
DEV uint4 minus(uint4 a, uint4 b) { return uint4{a.x - b.x, a.y - b.y, a.z - b.z, a.w - b.w}; }

/// Adds or takes away a row of the first layer.
DEV void change(const First &net, int row, bool add, uint4 *sums) {
    const uint4 *weights = (const uint4 *)net.rows[row];
    for (int c = 0; c < SHARE; c++) {
        uint4 w = weights[c * 32 + lane()];
        sums[c] = add ? plus(sums[c], w) : minus(sums[c], w);
    }
}

/// The sums of `side` from nothing.
DEV void refresh(const First &net, const Position &p, int side, uint4 *sums) {
    for (int c = 0; c < SHARE; c++) sums[c] = ((const uint4 *)net.bias)[c * 32 + lane()];
    const int king = king_of(p, side);
#pragma unroll 1
    for (int kind = 0; kind < 6; kind++)
#pragma unroll 1
        for (int of = 0; of < 2; of++)
#pragma unroll 1
            for (u64 men = p.b[kind] & p.b[6 + of]; men; men &= men - 1) change(net, row_of(side, king, of, kind, lowest(men)), true, sums);
}

DEV int clamp(int v, int low, int high) { return least_of(most_of(v, low), high); }

/// What the first layer's sums say to the next ones: of the neurons that this lane has.
struct Voices {
    int direct, middle[MIDDLE];
};

/// Adds what a side's sums say; `turn` is 0 for the side to move.
DEV void hear(const Layers &net, int bucket, int turn, const uint4 *sums, Voices &v) {
    const int l = lane();
#pragma unroll
    for (int c = 0; c < SHARE; c++) {
        const u32 words[4] = {sums[c].x, sums[c].y, sums[c].z, sums[c].w};
        const int8_t *second = net.second[bucket][turn][c][l];
#pragma unroll
        for (int half = 0; half < 2; half++) {
            u32 bytes = 0;
#pragma unroll
            for (int i = 0; i < 4; i++) {
                const int at = 4 * half + i;
                const u32 word = words[at / 2];
                const int low = (int)(i16)(word & 0xffff);
                const int active = clamp(at & 1 ? (int)(word - (u32)low) >> 16 : low, 0, 255);
                v.direct += active * active * second[at];
                bytes |= (u32)(active * active >> 9) << 8 * i;
            }
#pragma unroll
            for (int j = 0; j < 4; j++) {
                const uint4 w = net.middle[turn][c][half][j][l];
                v.middle[4 * j] = dot4(bytes, w.x, v.middle[4 * j]);
                v.middle[4 * j + 1] = dot4(bytes, w.y, v.middle[4 * j + 1]);
                v.middle[4 * j + 2] = dot4(bytes, w.z, v.middle[4 * j + 2]);
                v.middle[4 * j + 3] = dot4(bytes, w.w, v.middle[4 * j + 3]);
            }
        }
    }
}

/// Centipawns for the side to move, from what all lanes have heard.
DEV int value_of(const Layers &net, int bucket, Voices &v) {
    const int l = lane();
    const int direct = sum(v.direct);
    // Sixteen sums over 32 lanes: with each exchange a lane keeps half of what it has; at the end two neighbours have the same one.
#pragma unroll
    for (int width = 8, mask = 16; width > 0; width >>= 1, mask >>= 1)
#pragma unroll
        for (int j = 0; j < width; j++) {
            const bool upper_half = l & mask;
            const int give = upper_half ? v.middle[j] : v.middle[j + width];
            const int keep = upper_half ? v.middle[j + width] : v.middle[j];
            v.middle[j] = keep + shfl_xor(give, mask);
        }
    const int total = clamp(v.middle[0] + shfl_xor(v.middle[0], 1) + net.middle_bias[bucket][l >> 1], 0, 8128);
    const int m = total * total >> 12;
    int sums = net.upper_bias[bucket][l];
#pragma unroll 4
    for (int j = 0; j < MIDDLE; j++) sums += (int)shfl((u32)m, 2 * j) * net.upper[bucket][j][l];
    sums = clamp(sums >> 8, 0, 16129);
    const int out = sum((sums * sums >> 14) * net.last[bucket][l]);
    const int value = direct / 255 + net.second_bias[bucket] + (int)((long long)out * 255 / 63514);
    return (int)((long long)value * net.scale / (255 * 64));
}
