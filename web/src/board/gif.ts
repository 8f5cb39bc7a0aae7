/** A small writer of animated GIFs: one palette for all frames, and of each frame only what has changed. */

/** A picture: four bytes a pixel, as a canvas gives them. */
export type Pixels = Uint8ClampedArray;

const MOST_COLORS = 256;
// Colours this close (of 8 bits a channel) are taken for one: edges have many shades.
const COARSE = 3;

/** Bytes that grow. */
class Bytes {
  #data = new Uint8Array(1 << 16);
  #length = 0;

  push(...bytes: number[]): void {
    for (const byte of bytes) this.byte(byte);
  }
  byte(byte: number): void {
    if (this.#length === this.#data.length) {
      const larger = new Uint8Array(2 * this.#length);
      larger.set(this.#data);
      this.#data = larger;
    }
    this.#data[this.#length++] = byte;
  }
  word(value: number): void {
    this.push(value & 255, value >> 8);
  }
  text(text: string): void {
    this.push(...new TextEncoder().encode(text));
  }
  all(): Uint8Array<ArrayBuffer> {
    return this.#data.slice(0, this.#length);
  }
}

/** The colours that are used most, and how any colour finds the nearest of them. */
class Palette {
  readonly colors: number[];
  #nearest = new Map<number, number>();

  constructor(pictures: readonly Pixels[]) {
    const counts = new Map<number, { color: number; count: number }>();
    for (const pixels of pictures)
      for (let i = 0; i < pixels.length; i += 4) {
        const color = (pixels[i]! << 16) | (pixels[i + 1]! << 8) | pixels[i + 2]!;
        const known = counts.get(coarse(color));
        if (known) known.count += 1;
        else counts.set(coarse(color), { color, count: 1 });
      }
    this.colors = [...counts.values()]
      .sort((a, b) => b.count - a.count)
      .slice(0, MOST_COLORS)
      .map(({ color }) => color);
  }

  indexOf(color: number): number {
    const key = coarse(color);
    let index = this.#nearest.get(key);
    if (index === undefined) {
      let least = Infinity;
      index = 0;
      this.colors.forEach((other, i) => {
        const distance = [16, 8, 0].reduce(
          (sum, shift) => sum + (((color >> shift) & 255) - ((other >> shift) & 255)) ** 2,
          0,
        );
        if (distance < least) [least, index] = [distance, i];
      });
      this.#nearest.set(key, index);
    }
    return index;
  }
}

const coarse = (color: number): number => {
  const mask = (0xff << COARSE) & 0xff;
  return color & ((mask << 16) | (mask << 8) | mask);
};

/** The part of a picture that differs from the one before; null: nothing. */
function changed(before: Uint8Array | null, now: Uint8Array, width: number) {
  const height = now.length / width;
  if (!before) return { left: 0, top: 0, width, height };
  let [left, right, top, bottom] = [width, -1, height, -1];
  for (let i = 0; i < now.length; i += 1) {
    if (now[i] === before[i]) continue;
    const [x, y] = [i % width, Math.floor(i / width)];
    left = Math.min(left, x);
    right = Math.max(right, x);
    top = Math.min(top, y);
    bottom = Math.max(bottom, y);
  }
  return right < 0 ? null : { left, top, width: right - left + 1, height: bottom - top + 1 };
}

/** Lempel, Ziv and Welch as GIF wants it: codes of 9 to 12 bits, in blocks of up to 255 bytes. */
function compress(pixels: Iterable<number>, out: Bytes): void {
  const [CLEAR, END] = [256, 257];
  let block: number[] = [];
  let [bits, count, size, next] = [0, 0, 9, 258];
  let codes = new Map<number, number>();
  const flush = () => {
    out.push(block.length, ...block);
    block = [];
  };
  const put = (code: number) => {
    bits |= code << count;
    count += size;
    for (; count >= 8; count -= 8, bits >>>= 8) {
      block.push(bits & 255);
      if (block.length === 255) flush();
    }
  };
  out.byte(8);
  put(CLEAR);
  let prefix = -1;
  for (const pixel of pixels) {
    if (prefix < 0) {
      prefix = pixel;
      continue;
    }
    const key = (prefix << 8) | pixel;
    const known = codes.get(key);
    if (known !== undefined) {
      prefix = known;
      continue;
    }
    put(prefix);
    prefix = pixel;
    if (next === 4096) {
      put(CLEAR);
      codes = new Map();
      [size, next] = [9, 258];
    } else {
      if (next === 1 << size) size += 1;
      codes.set(key, next++);
    }
  }
  if (prefix >= 0) put(prefix);
  put(END);
  if (count > 0) block.push(bits & 255);
  if (block.length) flush();
  out.byte(0);
}

/** A GIF that begins anew for ever. Its colours are those of the samples. */
export class GifWriter {
  #out = new Bytes();
  #palette: Palette;
  #before: Uint8Array | null = null;

  constructor(
    private readonly width: number,
    height: number,
    samples: readonly Pixels[],
  ) {
    this.#palette = new Palette(samples);
    const out = this.#out;
    out.text("GIF89a");
    out.word(width);
    out.word(height);
    out.push(0xf7, 0, 0);
    for (let i = 0; i < MOST_COLORS; i += 1) {
      const color = this.#palette.colors[i] ?? 0;
      out.push(color >> 16, (color >> 8) & 255, color & 255);
    }
    out.push(0x21, 0xff, 11);
    out.text("NETSCAPE2.0");
    out.push(3, 1, 0, 0, 0);
  }

  /** Adds a picture that stays for so many milliseconds. */
  add(pixels: Pixels, ms: number): void {
    const { width } = this;
    const out = this.#out;
    const now = new Uint8Array(pixels.length / 4);
    for (let i = 0; i < now.length; i += 1)
      now[i] = this.#palette.indexOf((pixels[4 * i]! << 16) | (pixels[4 * i + 1]! << 8) | pixels[4 * i + 2]!);
    // A picture without a change is one dot of it.
    const part = changed(this.#before, now, width) ?? { left: 0, top: 0, width: 1, height: 1 };
    this.#before = now;
    out.push(0x21, 0xf9, 4, 4);
    out.word(Math.round(ms / 10));
    out.push(0, 0, 0x2c);
    for (const value of [part.left, part.top, part.width, part.height]) out.word(value);
    out.byte(0);
    compress(rectangle(now, width, part), out);
  }

  end(): Uint8Array<ArrayBuffer> {
    this.#out.byte(0x3b);
    return this.#out.all();
  }
}

function* rectangle(pixels: Uint8Array, stride: number, part: NonNullable<ReturnType<typeof changed>>) {
  for (let y = part.top; y < part.top + part.height; y += 1)
    yield* pixels.subarray(y * stride + part.left, y * stride + part.left + part.width);
}
