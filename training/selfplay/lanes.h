// A warp of 32 lanes that work on one game together. Compiled by nvcc the lanes are threads of a GPU; compiled by any C++ compiler they are
// coroutines that take turns, so that rules and evaluation can be tested where there is no GPU.
//
// The convention of this folder: every lane runs the same program with the same values ("uniform"), except where a value is named by the lane
// it belongs to. What several lanes write to memory is read only after `sync`.
#pragma once

#include <cstdint>

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;
typedef int16_t i16;

#ifdef __CUDACC__

#define DEV __device__ __forceinline__
#define KERNEL __global__
constexpr u32 EVERY = 0xffffffffu;

DEV int lane() { return threadIdx.x & 31; }
DEV void sync() { __syncwarp(); }
DEV u32 votes(bool p) { return __ballot_sync(EVERY, p); }
DEV u32 shfl(u32 v, int from) { return __shfl_sync(EVERY, v, from); }
DEV int shfl_xor(int v, int mask) { return __shfl_xor_sync(EVERY, v, mask); }
DEV int shfl_up(int v, int by) { return __shfl_up_sync(EVERY, v, by); }
DEV int sum(int v) { return __reduce_add_sync(EVERY, v); }
DEV u32 most(u32 v) { return __reduce_max_sync(EVERY, v); }
DEV u32 either(u32 v) { return __reduce_or_sync(EVERY, v); }
DEV int popcount(u64 v) { return __popcll(v); }
DEV int lowest(u64 v) { return __ffsll((long long)v) - 1; }
DEV int lowest32(u32 v) { return __ffs((int)v) - 1; }
DEV u64 reversed(u64 v) { return __brevll(v); }
DEV int dot4(u32 bytes, u32 weights, int to) { return __dp4a((int)bytes, (int)weights, to); }

#else

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cmath>

#define DEV inline
#define KERNEL
struct alignas(16) uint4 {
    u32 x, y, z, w;
};

// Coroutines: each runs to the next exchange, then the next lane's turn comes. When it is a lane's turn again, all have said their value.
struct Lanes {
    void *stack[32];
    void *home;
    u64 said[2][32];
    int where[32];
    int now;
    bool done[32];
    void (*work)();
};
inline Lanes the;

extern "C" void rukh_switch(void **from, void *to);
asm(".text\n.globl rukh_switch\nrukh_switch:\n"
    "pushq %rbp\npushq %rbx\npushq %r12\npushq %r13\npushq %r14\npushq %r15\n"
    "movq %rsp, (%rdi)\nmovq %rsi, %rsp\n"
    "popq %r15\npopq %r14\npopq %r13\npopq %r12\npopq %rbx\npopq %rbp\nret\n");

inline int lane() { return the.now; }
inline void next_lane() {
    int from = the.now, to = (from + 1) % 32;
    the.now = to;
    rukh_switch(&the.stack[from], the.stack[to]);
}
/// What every lane said at this place of the program.
inline const u64 *exchange(u64 value, int line) {
    static int turn[32];
    int me = the.now, at = turn[me] & 1;
    turn[me]++;
    the.said[at][me] = value;
    the.where[me] = line;
    if (the.where[0] != line) {
        fprintf(stderr, "lanes 0 and %d have parted: lines %d and %d\n", me, the.where[0], line);
        abort();
    }
    next_lane();
    return the.said[at];
}
inline void lane_begins() {
    the.work();
    int me = the.now;
    the.done[me] = true;
    if (me == 31) {
        void *gone;
        rukh_switch(&gone, the.home);
    }
    next_lane();
    abort();
}
/// Runs `work` in 32 lanes.
inline void in_lanes(void (*work)()) {
    the.work = work;
    for (int i = 0; i < 32; i++) {
        const size_t size = 1 << 18;
        static char *stacks[32];
        if (!stacks[i]) stacks[i] = (char *)aligned_alloc(64, size);
        char *memory = stacks[i];
        void **top = (void **)(memory + size - 64);
        *--top = nullptr;
        *--top = (void *)lane_begins;
        for (int r = 0; r < 6; r++) *--top = nullptr;
        the.stack[i] = top;
        the.done[i] = false;
    }
    the.now = 0;
    rukh_switch(&the.home, the.stack[0]);
}

#define SAID(v) exchange((u64)(v), __LINE__)
inline void sync() { SAID(0); }
inline u32 votes(bool p) {
    const u64 *s = SAID(p);
    u32 bits = 0;
    for (int i = 0; i < 32; i++) bits |= (u32)(s[i] & 1) << i;
    return bits;
}
inline u32 shfl(u32 v, int from) { return (u32)SAID(v)[from & 31]; }
inline int shfl_xor(int v, int mask) { int me = lane(); return (int)SAID((u32)v)[me ^ mask]; }
inline int shfl_up(int v, int by) { int me = lane(); return (int)SAID((u32)v)[me >= by ? me - by : me]; }
inline int sum(int v) {
    const u64 *s = SAID((u32)v);
    u32 total = 0;
    for (int i = 0; i < 32; i++) total += (u32)s[i];
    return (int)total;
}
inline u32 most(u32 v) {
    const u64 *s = SAID(v);
    u32 best = 0;
    for (int i = 0; i < 32; i++) best = (u32)s[i] > best ? (u32)s[i] : best;
    return best;
}
inline u32 either(u32 v) {
    const u64 *s = SAID(v);
    u32 all = 0;
    for (int i = 0; i < 32; i++) all |= (u32)s[i];
    return all;
}
inline int popcount(u64 v) { return __builtin_popcountll(v); }
inline int lowest(u64 v) { return v ? __builtin_ctzll(v) : -1; }
inline int lowest32(u32 v) { return v ? __builtin_ctz(v) : -1; }
inline u64 reversed(u64 v) {
    u64 r = 0;
    for (int i = 0; i < 64; i++) r |= (v >> i & 1) << (63 - i);
    return r;
}
inline int dot4(u32 bytes, u32 weights, int to) {
    for (int i = 0; i < 4; i++) to += (int)(int8_t)(bytes >> 8 * i) * (int)(int8_t)(weights >> 8 * i);
    return to;
}
inline u64 atomicAdd(unsigned long long *at, unsigned long long by) { u64 old = *at; *at += by; return old; }

#endif

template <class T> DEV T least_of(T a, T b) { return a < b ? a : b; }
template <class T> DEV T most_of(T a, T b) { return a > b ? a : b; }
