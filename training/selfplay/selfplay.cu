// Training games played on a GPU, one game a warp: thousands at a time, each move a search of some hundred nodes with the network that the
// engine plays with. Writes the records that train.py reads (docs/formats/games.md), and nothing else.
//
//     selfplay play NET OUT.flat [--seconds S] [--soft N] [--hard N] [--opening CP] [--ahead X] [--seed N] [--starts FILE] [--plies N]
//     selfplay perft NET DEPTH FEN             counts leaves, promotions four times
//     selfplay eval NET < FENS                 lines of fen;value
//     selfplay think NET NODES < FENS          searches: move, score, nodes, each at once
//
// Built by nvcc (`nvcc -O3 -arch=sm_90 -DNEURONS=512 selfplay.cu`) it plays on the GPU; built by a C++ compiler (`c++ -x c++ -std=c++17 -O2`) it
// does the same slowly, for tests.
#include "search.h"

#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#ifndef WARPS
#define WARPS 24
#endif
constexpr int LONGEST = 400;

/// A scored move of a game: its position as the trainer's record has it, and whether the record is worth keeping.
struct Ply {
    u8 board[32];
    i16 score; // White's view
    u8 black, keep;
};

/// A game's numbers; a warp has them in registers while it plays.
struct State {
    u64 random;
    u32 salt;
    int begun, plies, past, scored, won, even;
};

/// A game at a time, in the large memory.
struct Game {
    Memory memory;
    Position now;
    State state;
    Ply list[LONGEST];
};

struct Rules {
    int soft, hard, opening, random_plies;
    float ahead;
};

/// 36 bytes, docs/formats/games.md.
struct Record {
    u32 words[9];
};

struct Block {
    Tables tables;
    Layers layers;
    Fast fast[WARPS];
};

struct Counters {
    unsigned long long records, games, moves, nodes, white, drawn;
};

struct Plan {
    const Tables *tables;
    const Layers *layers;
    const First *first;
    Game *games;
    Record *out;
    unsigned long long room;
    Counters *counters;
    const Position *starts;
    u32 start_count;
    Rules rules;
    unsigned long long nanoseconds;
    int moves; // at most so many moves of each game, for tests
};

DEV u32 draw(u64 &state, u32 below) {
    u64 z = state += 0x9e3779b97f4a7c15ull;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ z >> 27) * 0x94d049bb133111ebull;
    z ^= z >> 31;
    return (u32)((z >> 32) * below >> 32);
}

/// Copies a position, each part by a lane.
DEV void copy(Position &to, const Position &from) {
    const int l = lane();
    sync();
    if (l < 8) to.b[l] = from.b[l];
    if (l == 8) to.key = from.key;
    if (l == 9) to.black = from.black, to.rights = from.rights, to.passed = from.passed, to.clock = from.clock;
    sync();
}

/// Makes a move of the game; `s.f.pos[0]` is where it is.
DEV void advance(Search &s, u32 move) {
    make(s.t, s.f.pos[0], s.f.pos[1], move);
    if (s.f.pos[1].clock == 0) s.plies = 0;
    else {
        if (lane() == 0) s.m.past[s.plies] = s.f.pos[0].key;
        s.plies++;
    }
    copy(s.f.pos[0], s.f.pos[1]);
}

/// The legal moves of the root; the keys of the others in the list are 0.
DEV int legal(Search &s) {
    const Position &p = s.f.pos[0];
    const int us = p.black;
    const bool check = attacked(s.t, p, king_of(p, us), !us);
    const int count = generate(s.t, p, check, true, s.m.moves, s.f.men);
    for (int i = 0; i < count; i++) {
        make(s.t, p, s.f.pos[1], s.m.moves[i]);
        bool good = !attacked(s.t, s.f.pos[1], king_of(s.f.pos[1], us), !us);
        if (lane() == 0) s.m.keys[i] = good;
    }
    sync();
    return count;
}

/// A random move: the kind of man is drawn first, then one of its moves. 0: there is none.
DEV u32 random_move(Search &s, u64 &random) {
    const int count = legal(s);
    u32 kinds = 0;
    for (int i = lane(); i < count; i += 32)
        if (s.m.keys[i]) kinds |= 1u << kind_of(s.m.moves[i]);
    kinds = either(kinds);
    if (!kinds) return 0;
    for (u32 skip = draw(random, (u32)popcount((u64)kinds)); skip > 0; skip--) kinds &= kinds - 1;
    const int kind = lowest32(kinds);
    int mine = 0;
    for (int i = lane(); i < count; i += 32) mine += s.m.keys[i] && kind_of(s.m.moves[i]) == kind;
    int left = (int)draw(random, (u32)sum(mine));
    for (int i = 0; i < count; i++)
        if (s.m.keys[i] && kind_of(s.m.moves[i]) == kind && left-- == 0) return s.m.moves[i];
    return 0;
}

/// Begins a game: somewhere, and then some random moves. False if it ends in them.
DEV bool begin(const Plan &plan, Search &s, State &g) {
    s.plies = 0;
    copy(s.f.pos[0], plan.starts[draw(g.random, plan.start_count)]);
    for (int i = lane(); i < 2 * 6 * 64; i += 32) (&s.m.history[0][0][0])[i] = 0;
    for (int i = lane(); i < 2 * 3 * CORRECTIONS; i += 32) (&s.m.corrections[0][0][0])[i] = 0;
    sync();
    const int plies = plan.rules.random_plies + (int)draw(g.random, 2);
    for (int i = 0; i < plies; i++) {
        u32 move = random_move(s, g.random);
        if (!move) return false;
        advance(s, move);
    }
    return true;
}

/// Ends a game: every score sees the game's future, and the calm positions become records. `result`: 0 Black won, 1 drawn, 2 White won.
DEV void finish(const Plan &plan, State &g, Ply *list, int result) {
    const int l = lane();
    float next = -1;
    int kept = 0;
    for (int i = g.scored - 1; i >= 0; i--) {
        const int score = list[i].score;
        const bool keep = list[i].keep;
        sync();
        if (score >= DECIDED || score <= -DECIDED) {
            next = score > 0 ? 1.0f : 0.0f;
        } else {
            float chance = 1.0f / (1.0f + expf((float)-score / 230.0f));
            if (next >= 0) chance += plan.rules.ahead * (next - chance);
            next = chance;
            float safe = fminf(fmaxf(chance, 1e-6f), 1.0f - 1e-6f);
            if (l == 0) list[i].score = (i16)rintf(230.0f * logf(safe / (1.0f - safe)));
            kept += keep;
        }
        sync();
    }
    u32 held_out = draw(g.random, 64) == 0;
    u32 low = 0, high = 0;
    if (l == 0) {
        u64 at = atomicAdd(&plan.counters->records, (unsigned long long)kept);
        low = (u32)at, high = (u32)(at >> 32);
        atomicAdd(&plan.counters->games, 1ull);
        if (result != 1) atomicAdd(&plan.counters->white, (unsigned long long)(result == 2));
        else atomicAdd(&plan.counters->drawn, 1ull);
    }
    u64 at = (u64)shfl(high, 0) << 32 | shfl(low, 0);
    for (int i = 0; i < g.scored; i++) {
        const Ply &ply = list[i];
        if (!ply.keep || at >= plan.room) continue;
        const int score = ply.black ? -ply.score : ply.score;
        const u32 points = (u32)(ply.black ? 2 - result : result);
        if (l < 8) plan.out[at].words[l] = ((const u32 *)ply.board)[l];
        if (l == 8) plan.out[at].words[8] = (u32)(u16)(i16)score | points << 16 | held_out << 24;
        at++;
    }
    sync();
}

/// One lane's 4 bits of a square, as the side to move sees it.
DEV u32 code_at(const Position &p, int square) {
    square ^= p.black ? 56 : 0;
    u64 bit = 1ull << square;
    int kind = kind_at(p, bit);
    return kind == NOTHING ? 0 : (u32)kind + 1 + (p.b[6 + p.black] & bit ? 0 : 8);
}

/// The next move of the game, or another game.
DEV void step(const Plan &plan, Search &s, State &g, Ply *list) {
    const int l = lane();
    if (!g.begun) {
        g.scored = g.won = g.even = 0;
        s.salt = (u32)(g.random >> 32) ^ (u32)g.random;
        g.begun = begin(plan, s, g);
        g.plies = plan.rules.random_plies;
        return;
    }
    const Position &p = s.f.pos[0];
    const int us = p.black;
    // The game's end by the rules.
    const bool check = attacked(s.t, p, king_of(p, us), !us);
    int same = 0;
    for (int back = 4; back <= least_of((int)p.clock, s.plies); back += 2) same += s.m.past[s.plies - back] == p.key;
    u64 all = p.b[6] | p.b[7];
    const bool few = popcount(all) <= 3 && !(p.b[PAWN] | p.b[ROOK] | p.b[QUEEN]);
    if (same >= 2 || p.clock >= 100 || few || g.scored >= LONGEST) {
        finish(plan, g, list, 1);
        g.begun = false;
        return;
    }
    for (int i = l; i < 2 * 6 * 64; i += 32) (&s.m.history[0][0][0])[i] /= 2;
    sync();
    const Found found = think(s, plan.rules.soft, plan.rules.hard);
    if (!found.move) {
        // Mate or stalemate.
        finish(plan, g, list, check ? (us ? 2 : 0) : 1);
        g.begun = false;
        return;
    }
    if (l == 0) {
        atomicAdd(&plan.counters->moves, 1ull);
        atomicAdd(&plan.counters->nodes, (unsigned long long)s.nodes);
    }
    if (g.scored == 0 && (found.value > plan.rules.opening || found.value < -plan.rules.opening)) {
        g.begun = false;
        return;
    }
    const int white = us ? -found.value : found.value;
    Ply &ply = list[g.scored];
    u32 byte = code_at(p, 2 * l) | code_at(p, 2 * l + 1) << 4;
    ply.board[l] = (u8)byte;
    const bool decided = white >= DECIDED || white <= -DECIDED;
    if (l == 0) {
        ply.score = (i16)white, ply.black = (u8)us;
        ply.keep = is_quiet(found.move) && !check && !decided;
    }
    sync();
    g.scored++, g.plies++;
    g.won = white >= 1000 ? most_of(g.won, 0) + 1 : white <= -1000 ? least_of(g.won, 0) - 1 : 0;
    g.even = white <= 10 && white >= -10 ? g.even + 1 : 0;
    int result = -1;
    if (decided || g.won >= 4 || g.won <= -4) result = white > 0 ? 2 : 0;
    else if (g.even >= 12 && g.plies >= 80) result = 1;
    if (result >= 0) {
        finish(plan, g, list, result);
        g.begun = false;
        return;
    }
    advance(s, found.move);
}

/// Everything a kernel is asked for.
enum Job { PLAY, PERFT, EVAL, THINK };
struct Task {
    Plan plan;
    Job job;
    int depth;          // of PERFT, or nodes of THINK
    const Position *at; // positions of the other jobs
    u32 count;
    long long *answers;
};

/// Leaves `depth` plies below the root. A frame's `start`, `count` and `tried` are its list and how far it is.
DEV long long perft(Search &s, int depth) {
    long long leaves = 0;
    int ply = 0, start = 0, count = 0, at = 0;
    bool fresh = true;
    for (;;) {
        const Position &p = s.f.pos[ply];
        const int us = p.black;
        if (fresh) {
            count = generate(s.t, p, attacked(s.t, p, king_of(p, us), !us), true, s.m.moves + start, s.f.men);
            at = 0;
            fresh = false;
        }
        if (at == count) {
            if (ply == 0) return leaves;
            ply--;
            sync();
            start = s.f.frame[ply].start, count = s.f.frame[ply].count, at = s.f.frame[ply].tried;
            sync();
            continue;
        }
        const u32 m = s.m.moves[start + at++];
        make(s.t, p, s.f.pos[ply + 1], m);
        if (attacked(s.t, s.f.pos[ply + 1], king_of(s.f.pos[ply + 1], us), !us)) continue;
        if (ply + 1 == depth) {
            leaves += special_of(m) == PROMOTION ? 4 : 1;
            continue;
        }
        s.f.frame[ply].start = start, s.f.frame[ply].count = count, s.f.frame[ply].tried = at;
        start += count;
        ply++;
        fresh = true;
        sync();
    }
}

DEV u64 nanoseconds() {
#ifdef __CUDACC__
    u64 now;
    asm volatile("mov.u64 %0, %globaltimer;" : "=l"(now));
    return (u64)shfl((u32)(now >> 32), 0) << 32 | shfl((u32)now, 0);
#else
    return 0;
#endif
}

/// What a warp does. The jobs for tests are a program of their own: what the games run stays small, for the sake of the memory of instructions.
template <bool PLAYING> DEV void work(const Task &task, Block &block, int warp, int number) {
    const Plan &plan = task.plan;
    Game &game = plan.games[number];
    State g = game.state;
    Search s{block.tables, block.layers, *plan.first, block.fast[warp], game.memory, 0, 0, 0, 0, g.past, g.salt, false};
    if constexpr (PLAYING) {
        copy(s.f.pos[0], game.now);
        const u64 until = nanoseconds() + plan.nanoseconds;
        for (int i = 0; i < plan.moves && nanoseconds() <= until; i++) step(plan, s, g, game.list);
        g.past = s.plies, g.salt = s.salt;
        copy(game.now, s.f.pos[0]);
        if (lane() == 0) game.state = g;
    } else if (number == 0) for (u32 i = 0; i < task.count; i++) {
        copy(s.f.pos[0], task.at[i]);
        s.ready0 = s.ready1 = 0, s.plies = 0;
        if (task.job == PERFT) {
            long long leaves = perft(s, task.depth);
            if (lane() == 0) task.answers[i] = leaves;
        } else if (task.job == EVAL) {
            int value = evaluate(s, 0);
            if (lane() == 0) task.answers[i] = value;
        } else {
            Found found = think(s, task.depth, 3 * task.depth);
            if (lane() == 0) task.answers[3 * i] = found.move, task.answers[3 * i + 1] = found.value, task.answers[3 * i + 2] = s.nodes;
        }
    }
}

#ifdef __CUDACC__

template <bool PLAYING> __global__ void __launch_bounds__(WARPS * 32, 1) run(const __grid_constant__ Task task) {
    extern __shared__ uint4 memory[];
    Block &block = *(Block *)memory;
    auto fetch = [](void *to, const void *from, size_t bytes) {
        for (size_t i = threadIdx.x; i < bytes / 4; i += blockDim.x) ((u32 *)to)[i] = ((const u32 *)from)[i];
    };
    fetch(&block.tables, task.plan.tables, sizeof(Tables));
    fetch(&block.layers, task.plan.layers, sizeof(Layers));
    __syncthreads();
    const int warp = threadIdx.x / 32;
    work<PLAYING>(task, block, warp, blockIdx.x * WARPS + warp);
}

#define CHECKED(call) \
    do { \
        cudaError_t error = call; \
        if (error != cudaSuccess) { \
            fprintf(stderr, "%s: %s\n", #call, cudaGetErrorString(error)); \
            exit(1); \
        } \
    } while (0)

static void *room_for(size_t bytes) {
    void *at;
    CHECKED(cudaMalloc(&at, bytes));
    CHECKED(cudaMemset(at, 0, bytes));
    return at;
}
static void give(void *to, const void *from, size_t bytes) { CHECKED(cudaMemcpy(to, from, bytes, cudaMemcpyHostToDevice)); }
static void take(void *to, const void *from, size_t bytes) { CHECKED(cudaMemcpy(to, from, bytes, cudaMemcpyDeviceToHost)); }
static int blocks() {
    int count = 0;
    CHECKED(cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, 0));
    return count;
}
static void launch(const Task &task) {
    auto *kernel = task.job == PLAY ? run<true> : run<false>;
    CHECKED(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)sizeof(Block)));
    kernel<<<blocks(), WARPS * 32, sizeof(Block)>>>(task);
    CHECKED(cudaGetLastError());
    CHECKED(cudaDeviceSynchronize());
}

#else

static Block the_block;
static const Task *the_task;
static void *room_for(size_t bytes) { return calloc(1, bytes); }
static void give(void *to, const void *from, size_t bytes) { memcpy(to, from, bytes); }
static void take(void *to, const void *from, size_t bytes) { memcpy(to, from, bytes); }
static int blocks() { return 1; }
static void launch(const Task &task) {
    memcpy(&the_block.tables, task.plan.tables, sizeof(Tables));
    memcpy(&the_block.layers, task.plan.layers, sizeof(Layers));
    the_task = &task;
    if (task.job == PLAY) in_lanes([] { work<true>(*the_task, the_block, 0, 0); });
    else in_lanes([] { work<false>(*the_task, the_block, 0, 0); });
}

#endif

[[noreturn]] static void fail(const std::string &why) {
    fprintf(stderr, "selfplay: %s\n", why.c_str());
    exit(1);
}

/// Reads a network of docs/formats/network.md, version 2, and lays it out for the lanes.
static void load(const char *path, First &first, Layers &layers) {
    FILE *file = fopen(path, "rb");
    if (!file) fail(std::string(path) + ": cannot be opened");
    std::vector<u8> bytes;
    u8 buffer[1 << 16];
    for (size_t n; (n = fread(buffer, 1, sizeof buffer, file)) > 0;) bytes.insert(bytes.end(), buffer, buffer + n);
    fclose(file);
    auto u16_at = [&](size_t at) { return (unsigned)(bytes[at] | bytes[at + 1] << 8); };
    if (bytes.size() < 64 || memcmp(bytes.data(), "RUKHNNUE", 8) || u16_at(8) != 2 || bytes[10] != 0) fail(std::string(path) + ": not a chess network of version 2");
    if (u16_at(12) != (unsigned)N) fail(std::string(path) + ": " + std::to_string(u16_at(12)) + " neurons; this program was built for " + std::to_string(N));
    if (u16_at(14) != (unsigned)BUCKETS) fail(std::string(path) + ": the number of buckets is not " + std::to_string(BUCKETS));
    const size_t wanted = 64 + 1536ul * N + 2ul * N + 4ul * N * BUCKETS + 4 * BUCKETS + 32ul * N + 64 * BUCKETS + 1024 * BUCKETS + 128 * BUCKETS + 64 * BUCKETS;
    if (bytes.size() < wanted) fail(std::string(path) + ": cut off");
    memcpy(&layers.scale, &bytes[20], 4);
    const u8 *at = bytes.data() + 64;
    auto i16_next = [&] {
        i16 v;
        memcpy(&v, at, 2);
        at += 2;
        return v;
    };
    auto i32_next = [&] {
        int v;
        memcpy(&v, at, 4);
        at += 4;
        return v;
    };
    auto word = [&] {
        int low = i16_next(), high = i16_next();
        return (u32)(high * 65536 + low);
    };
    for (auto &row : first.rows)
        for (u32 &w : row) w = word();
    for (u32 &w : first.bias) w = word();
    // Neuron -> its place among the lanes.
    struct Place {
        int quad, lane, at;
    };
    auto place = [](int neuron) { return Place{neuron / 256, neuron % 256 / 8, neuron % 8}; };
    for (int b = 0; b < BUCKETS; b++)
        for (int side = 0; side < 2; side++)
            for (int n = 0; n < N; n++) {
                Place p = place(n);
                layers.second[b][side][p.quad][p.lane][p.at] = (int8_t)i16_next();
            }
    for (int &v : layers.second_bias) v = i32_next();
    for (int side = 0; side < 2; side++)
        for (int n = 0; n < N; n++)
            for (int j = 0; j < MIDDLE; j++) {
                Place p = place(n);
                uint4 &quad = layers.middle[side][p.quad][p.at / 4][j / 4][p.lane];
                u32 *words = (u32 *)&quad;
                words[j % 4] |= (u32)*at++ << 8 * (p.at % 4);
            }
    for (auto &bias : layers.middle_bias)
        for (int &v : bias) v = i32_next();
    for (auto &bucket : layers.upper)
        for (auto &row : bucket)
            for (i16 &v : row) v = i16_next();
    for (auto &bias : layers.upper_bias)
        for (int &v : bias) v = i32_next();
    for (auto &bucket : layers.last)
        for (i16 &v : bucket) v = i16_next();
}

/// A position from the first five fields of a FEN of standard chess.
static Position position(const Tables &t, const std::string &fen) {
    Position p;
    memset(&p, 0, sizeof p);
    p.passed = NO_SQUARE;
    char board[128] = "", side[8] = "w", rights[8] = "-", passed[8] = "-";
    int clock = 0;
    if (sscanf(fen.c_str(), "%127s %7s %7s %7s %d", board, side, rights, passed, &clock) < 2) fail("bad FEN: " + fen);
    int rank = 7, file = 0;
    for (const char *c = board; *c; c++) {
        const char *kinds = "pnbrqk", *found = strchr(kinds, *c | 32);
        if (*c == '/') rank--, file = 0;
        else if (*c >= '1' && *c <= '8') file += *c - '0';
        else if (found && rank >= 0 && file < 8) {
            int square = 8 * rank + file++, of = *c >= 'a';
            p.b[found - kinds] |= 1ull << square, p.b[6 + of] |= 1ull << square;
            p.key ^= t.men[6 * of + (found - kinds)][square];
        } else fail("bad FEN: " + fen);
    }
    for (int of = 0; of < 2; of++)
        if (__builtin_popcountll(p.b[KING] & p.b[6 + of]) != 1) fail("not one king each: " + fen);
    p.black = side[0] == 'b';
    for (const char *c = rights; *c; c++) p.rights |= *c == 'K' ? 1 : *c == 'Q' ? 2 : *c == 'k' ? 4 : *c == 'q' ? 8 : 0;
    if (passed[0] >= 'a' && passed[0] <= 'h' && passed[1]) {
        int square = passed[0] - 'a' + 8 * (passed[1] - '1');
        if (square >= 0 && square < 64 && (t.near[p.black ? 3 : 2][square] & p.b[PAWN] & p.b[6 + p.black])) p.passed = (u8)square;
    }
    p.clock = (u8)clock;
    p.key ^= t.rights[p.rights] ^ (p.black ? t.side : 0) ^ (p.passed < NO_SQUARE ? t.files[p.passed & 7] : 0);
    return p;
}

template <class T> static T *on_device(const T &value) {
    T *at = (T *)room_for(sizeof(T));
    give(at, &value, sizeof(T));
    return at;
}

static std::vector<std::string> lines(FILE *file) {
    std::vector<std::string> all;
    char line[512];
    while (fgets(line, sizeof line, file)) {
        std::string text(line, strcspn(line, ";\r\n"));
        if (!text.empty()) all.push_back(text);
    }
    return all;
}

/// Searches the position of each line of the input and answers at once, so that a program can play with it.
static int answer(Task task, const Tables &tables, int nodes) {
    task.job = THINK, task.depth = nodes, task.count = 1;
    Position *at = (Position *)room_for(sizeof(Position));
    task.at = at, task.answers = (long long *)room_for(3 * 8);
    char line[512];
    while (fgets(line, sizeof line, stdin)) {
        const Position p = position(tables, line);
        give(at, &p, sizeof p);
        launch(task);
        long long found[3];
        take(found, task.answers, sizeof found);
        const u32 m = (u32)found[0];
        printf("%c%c%c%c%s %lld %lld\n", 'a' + (m & 7), '1' + (m >> 3 & 7), 'a' + (m >> 6 & 7), '1' + (m >> 9 & 7), special_of(m) == PROMOTION ? "q" : "", found[1], found[2]);
        fflush(stdout);
    }
    return 0;
}

int main(int argc, char **argv) {
    auto usage = [] { fail("play NET OUT [options] | perft NET DEPTH FEN | eval NET | think NET NODES FEN"); };
    if (argc < 3) usage();
    const std::string job = argv[1];
    First *first = (First *)calloc(1, sizeof(First));
    Layers *layers = (Layers *)calloc(1, sizeof(Layers));
    Tables *tables = (Tables *)calloc(1, sizeof(Tables));
    load(argv[2], *first, *layers);
    fill(*tables);
    Task task{};
    Plan &plan = task.plan;
    plan.tables = on_device(*tables), plan.layers = on_device(*layers), plan.first = on_device(*first);
    plan.counters = on_device(Counters{});
    const int games = blocks() * WARPS;
    plan.games = (Game *)room_for(sizeof(Game) * games);
    const std::string start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
    std::vector<std::string> texts;
    if (job != "play") {
        if (job == "think" && argc == 4) return answer(task, *tables, atoi(argv[3]));
        if (job == "eval") texts = lines(stdin);
        else if (job == "perft" && argc == 5) texts.push_back(argv[4]);
        else usage();
        std::vector<Position> list;
        for (auto &text : texts) list.push_back(position(*tables, text));
        task.job = job == "perft" ? PERFT : EVAL;
        task.depth = task.job == EVAL ? 0 : atoi(argv[3]);
        if (task.job == PERFT && (task.depth < 1 || task.depth > 7)) fail("a depth of 1 to 7, please");
        Position *at = (Position *)room_for(list.size() * sizeof(Position));
        give(at, list.data(), list.size() * sizeof(Position));
        task.at = at, task.count = (u32)list.size();
        task.answers = (long long *)room_for(3 * 8 * list.size());
        launch(task);
        std::vector<long long> answers(3 * list.size());
        take(answers.data(), task.answers, answers.size() * 8);
        for (size_t i = 0; i < list.size(); i++) {
            if (task.job == EVAL) printf("%s;%lld\n", texts[i].c_str(), answers[i]);
            else printf("%lld\n", answers[i]);
        }
        return 0;
    }
    if (argc < 4) usage();
    double seconds = 60, slice = 15;
    u64 seed = 1;
    plan.rules = Rules{100, 300, 150, 8, 0.55f};
    plan.moves = 1 << 30;
    size_t room = 100'000'000;
    const char *starts = nullptr;
    for (int i = 4; i + 1 < argc; i += 2) {
        std::string name = argv[i];
        double value = atof(argv[i + 1]);
        if (name == "--seconds") seconds = value;
        else if (name == "--slice") slice = value;
        else if (name == "--soft") plan.rules.soft = (int)value;
        else if (name == "--hard") plan.rules.hard = (int)value;
        else if (name == "--opening") plan.rules.opening = (int)value;
        else if (name == "--ahead") plan.rules.ahead = (float)value;
        else if (name == "--random") plan.rules.random_plies = (int)value;
        else if (name == "--seed") seed = strtoull(argv[i + 1], nullptr, 10);
        else if (name == "--moves") plan.moves = (int)value;
        else if (name == "--room") room = (size_t)value;
        else if (name == "--starts") starts = argv[i + 1];
        else fail("what is " + name + "?");
    }
    if (starts) {
        FILE *file = fopen(starts, "r");
        if (!file) fail(std::string(starts) + ": cannot be opened");
        texts = lines(file);
        fclose(file);
    }
    if (texts.empty()) texts.push_back(start);
    std::vector<Position> list;
    for (auto &text : texts) list.push_back(position(*tables, text));
    Position *at = (Position *)room_for(list.size() * sizeof(Position));
    give(at, list.data(), list.size() * sizeof(Position));
    plan.starts = at, plan.start_count = (u32)list.size();
    plan.room = room;
    plan.out = (Record *)room_for(room * sizeof(Record));
    for (int i = 0; i < games; i++) {
        State state{};
        state.random = seed * 0x9e3779b97f4a7c15ull + (u64)i * 0xd1342543de82ef95ull;
        give(&plan.games[i].state, &state, sizeof state);
    }
    FILE *out = fopen(argv[3], "wb");
    if (!out) fail(std::string(argv[3]) + ": cannot be written");
    task.job = PLAY;
    std::vector<Record> records;
    const auto begun = std::chrono::steady_clock::now();
    auto elapsed = [&] { return std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count(); };
    u64 written = 0;
    do {
        plan.nanoseconds = (unsigned long long)(1e9 * (slice < seconds - elapsed() ? slice : seconds - elapsed()));
        launch(task);
        Counters now;
        take(&now, plan.counters, sizeof now);
        u64 count = now.records < plan.room ? now.records : plan.room;
        records.resize(count);
        take(records.data(), plan.out, count * sizeof(Record));
        if (fwrite(records.data(), sizeof(Record), count, out) != count) fail(std::string(argv[3]) + ": cannot be written");
        written += count;
        printf("%.0f s: %llu positions, %.0f a second; %llu games, White %.1f %%, drawn %.1f %%; %.1f nodes a move, %.2f M nodes a second\n", elapsed(), (unsigned long long)written,
            written / elapsed(), now.games, 100.0 * now.white / (now.games + 1e-9), 100.0 * now.drawn / (now.games + 1e-9), (double)now.nodes / (now.moves + 1e-9), now.nodes / elapsed() / 1e6);
        fflush(stdout);
        now.records = 0;
        give(plan.counters, &now, sizeof now);
    } while (elapsed() < seconds - 0.5 && plan.moves == 1 << 30);
    if (fclose(out)) fail(std::string(argv[3]) + ": cannot be written");
    return 0;
}
