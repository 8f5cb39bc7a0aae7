/**
 * Dot products of bytes for the network's middle layer, where the host knows relaxed SIMD. A module that names them is refused elsewhere, so
 * this one function is a module of its own, made here, and put into the table of the engine's, which calls it there
 * (`crates/eval/src/nnue/simd/relaxed.rs`).
 *
 * The numbers are the same everywhere: hosts may differ only where a second operand is above 127, and none is.
 */

/** Four of the sixteen neurons' sums are in a register. */
const REGISTERS = 4;
/** Each sum is made in two parts that do not wait for each other. */
const PARTS = 2;
/** Inputs that are made bytes at a time, and those that are multiplied at a time. */
const [BLOCK, GROUP] = [16, 4];

// Parameters, each an address: the first layer's numbers, the weights `[four of them][neuron][4]`, the sums to add to, the end of the
// numbers. Then registers.
const [FIRST, WEIGHTS, SUMS, END, ZERO, LIMIT, BYTES, FOUR, TOTALS] = [0, 1, 2, 3, 4, 5, 6, 7, 8] as const;

const get = (local: number) => [0x20, local];
const set = (local: number) => [0x21, local];
const number = (value: number) => [0x41, ...signed(value)];
const vector = (code: number, ...operands: number[]) => [0xfd, ...unsigned(code), ...operands];
/** At a distance from the address, aligned or not. */
const load = (address: number, distance: number) => [...get(address), ...vector(0x00, 0, ...unsigned(distance))];
const store = (distance: number) => vector(0x0b, 0, ...unsigned(distance));
/** The instructions by their names. */
const op = {
  shuffle: 0x0d,
  i16x8_splat: 0x10,
  i8x16_narrow_i16x8_u: 0x66,
  i16x8_shr_u: 0x8d,
  i16x8_mul: 0x95,
  i16x8_min_s: 0x96,
  i16x8_max_s: 0x98,
  i32x4_add: 0xae,
  i32x4_relaxed_dot_i8x16_i7x16_add_s: 0x113,
};

/** LEB128, as all numbers in a module. */
function unsigned(value: number): number[] {
  return value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...unsigned(value >> 7)];
}

/** The same for what may be below zero. */
function signed(value: number): number[] {
  return value >= -64 && value < 64 ? [value & 0x7f] : [(value & 0x7f) | 0x80, ...signed(value >> 7)];
}

const times = (count: number, make: (at: number) => number[]) =>
  Array.from({ length: count }, (_, at) => make(at)).flat();
const sized = (bytes: number[]) => [...unsigned(bytes.length), ...bytes];
const section = (id: number, entry: number[]) => [id, ...sized([1, ...entry])];
const text = (word: string) => sized([...new TextEncoder().encode(word)]);

/** v²/512 of eight numbers, v = clamp(number, 0, 255). */
const squares = (distance: number) => [
  ...load(FIRST, distance),
  ...get(ZERO),
  ...vector(op.i16x8_max_s),
  ...get(LIMIT),
  ...vector(op.i16x8_min_s),
  ...[0x22, BYTES], // keep and use
  ...get(BYTES),
  ...vector(op.i16x8_mul),
  ...number(9),
  ...vector(op.i16x8_shr_u),
];

const total = (part: number, at: number) => TOTALS + part * REGISTERS + at;
const advance = (local: number, by: number) => [...get(local), ...number(by), 0x6a, ...set(local)];

const CODE = [
  ...number(255),
  ...vector(op.i16x8_splat),
  ...set(LIMIT),
  ...times(REGISTERS, (at) => [...load(SUMS, 16 * at), ...set(total(0, at))]),
  ...[0x03, 0x40], // loop
  ...squares(0),
  ...squares(16),
  ...vector(op.i8x16_narrow_i16x8_u),
  ...set(BYTES),
  ...times(BLOCK / GROUP, (group) => [
    ...get(BYTES),
    ...get(BYTES),
    ...vector(op.shuffle, ...times(BLOCK, (lane) => [group * GROUP + (lane % GROUP)])),
    ...set(FOUR),
    ...times(REGISTERS, (at) => [
      ...load(WEIGHTS, 16 * (group * REGISTERS + at)),
      ...get(FOUR),
      ...get(total(group % PARTS, at)),
      ...vector(op.i32x4_relaxed_dot_i8x16_i7x16_add_s),
      ...set(total(group % PARTS, at)),
    ]),
  ]),
  ...advance(FIRST, 2 * BLOCK),
  ...advance(WEIGHTS, 4 * REGISTERS * BLOCK),
  ...get(FIRST),
  ...get(END),
  ...[0x49, 0x0d, 0, 0x0b], // again while below
  ...times(REGISTERS, (at) => [
    ...get(SUMS),
    ...get(total(0, at)),
    ...get(total(1, at)),
    ...vector(op.i32x4_add),
    ...store(16 * at),
  ]),
  0x0b,
];

/** The module for a plain or a shared memory. */
export function kernelBytes(shared: boolean): Uint8Array<ArrayBuffer> {
  const [address, register] = [0x7f, 0x7b];
  // Any plain memory will do; for a shared one the most that it may grow to must be said.
  const limits = shared ? [0x03, 0, ...unsigned(1 << 16)] : [0x00, 0];
  return Uint8Array.from([
    ...[0, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
    ...section(1, [0x60, ...sized([address, address, address, address]), 0]),
    ...section(2, [...text("rukh"), ...text("memory"), 0x02, ...limits]),
    ...section(3, [0]),
    ...section(7, [...text("middle"), 0x00, 0]),
    ...section(10, sized([1, TOTALS - ZERO + PARTS * REGISTERS, register, ...CODE])),
  ]);
}

/** Compiled once for each kind of memory; null where the host cannot run it. */
const compiled = new Map<boolean, WebAssembly.Module | null>();

function kernelModule(shared: boolean): WebAssembly.Module | null {
  let module = compiled.get(shared);
  if (module === undefined) {
    module = made(shared);
    compiled.set(shared, module);
  }
  return module;
}

function made(shared: boolean): WebAssembly.Module | null {
  const bytes = kernelBytes(shared);
  if (!WebAssembly.validate(bytes)) return null;
  try {
    const module = new WebAssembly.Module(bytes);
    return computes(module, new WebAssembly.Memory({ initial: 1, maximum: 1, shared })) ? module : null;
  } catch {
    // A worker may be given a module and yet not be allowed to compile one.
    return null;
  }
}

type Kernel = (first: number, weights: number, sums: number, end: number) => void;

const kernel = (module: WebAssembly.Module, memory: WebAssembly.Memory) =>
  new WebAssembly.Instance(module, { rukh: { memory } }).exports.middle as Kernel;

/** Whether the host computes what it should. Node 20, where it is told to know relaxed SIMD, does not. */
function computes(module: WebAssembly.Module, memory: WebAssembly.Memory): boolean {
  const first = new Int16Array(memory.buffer, 0, 32);
  const weights = new Int8Array(memory.buffer, 64, 16 * 32);
  const sums = new Int32Array(memory.buffer, 1024, 16);
  for (let at = 0; at < first.length; at++) first[at] = 17 * at - 100;
  for (let at = 0; at < weights.length; at++) weights[at] = ((89 * at) % 255) - 127;
  const expected = Array.from(sums, (_, neuron) =>
    first.reduce((sum, value, at) => {
      const v = Math.min(Math.max(value, 0), 255);
      return sum + ((v * v) >> 9) * weights[(at - (at % GROUP)) * 16 + neuron * GROUP + (at % GROUP)]!;
    }, 1000 * neuron),
  );
  for (let at = 0; at < sums.length; at++) sums[at] = 1000 * at;
  kernel(module, memory)(first.byteOffset, weights.byteOffset, sums.byteOffset, first.byteLength);
  return expected.every((sum, at) => sum === sums[at]);
}

/** Puts the kernel behind what is in `table`, where the host can run it; its place there, or 0. */
export function addKernel(table: WebAssembly.Table, memory: WebAssembly.Memory): number {
  const module = kernelModule(!(memory.buffer instanceof ArrayBuffer));
  if (!module) return 0;
  const place = table.grow(1);
  table.set(place, kernel(module, memory));
  return place;
}
