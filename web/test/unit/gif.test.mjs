// The writer of animated GIFs, read back by a reader of its own.
import assert from "node:assert/strict";
import { test } from "node:test";
import { GifWriter } from "../../src/board/gif.ts";

/** The pictures of a GIF as colours, each the whole screen. */
function readGif(bytes) {
  const word = (at) => bytes[at] | (bytes[at + 1] << 8);
  assert.equal(String.fromCharCode(...bytes.slice(0, 6)), "GIF89a");
  const [width, height] = [word(6), word(8)];
  const color = (index) => [...bytes.slice(13 + 3 * index, 16 + 3 * index)];
  let at = 13 + 3 * 256;
  const screen = new Array(width * height);
  const pictures = [];
  let delay = 0;
  for (;;) {
    const kind = bytes[at++];
    if (kind === 0x3b) break;
    if (kind === 0x21) {
      if (bytes[at] === 0xf9) delay = 10 * word(at + 3);
      for (at += 1; bytes[at]; at += bytes[at] + 1);
      at += 1;
      continue;
    }
    assert.equal(kind, 0x2c);
    const [left, top, w] = [word(at), word(at + 2), word(at + 4)];
    at += 10;
    const data = [];
    for (; bytes[at]; at += bytes[at] + 1) data.push(...bytes.slice(at + 1, at + 1 + bytes[at]));
    at += 1;
    unpack(data).forEach((index, i) => {
      screen[(top + Math.floor(i / w)) * width + left + (i % w)] = color(index);
    });
    pictures.push({ delay, screen: [...screen] });
  }
  assert.equal(at, bytes.length);
  return pictures;
}

function unpack(data) {
  let [size, bit] = [9, 0];
  const read = () => {
    let code = 0;
    for (let i = 0; i < size; i += 1, bit += 1) code |= ((data[bit >> 3] >> (bit & 7)) & 1) << i;
    return code;
  };
  let words = [];
  const clear = () => {
    words = Array.from({ length: 258 }, (_, i) => [i]);
    size = 9;
  };
  const out = [];
  let last = null;
  for (;;) {
    const code = read();
    if (code === 257) return out;
    if (code === 256) {
      clear();
      last = null;
      continue;
    }
    const word = words[code] ?? [...last, last[0]];
    out.push(...word);
    if (last && words.length < 4096) words.push([...last, word[0]]);
    if (words.length === 1 << size && size < 12) size += 1;
    last = word;
  }
}

test("pictures come back dot by dot: many colours of noise, small changes, and none", () => {
  const [width, height] = [150, 120];
  const picture = (color) =>
    Uint8ClampedArray.from({ length: 4 * width * height }, (_, i) => (i % 4 === 3 ? 255 : color(i >> 2, i % 4)));
  // Sixteen levels in each channel that are used, far enough apart to be told from each other.
  const noise = picture((at, channel) => (channel === 2 ? 0 : (((at * 2654435761) >>> (7 + 4 * channel)) & 15) * 16));
  const dotted = Uint8ClampedArray.from(noise);
  dotted.set([0, 0, 0, 255], 4 * (37 * width + 20));
  const gif = new GifWriter(width, height, [noise, dotted]);
  gif.add(noise, 1000);
  gif.add(dotted, 500);
  gif.add(dotted, 40);
  const pictures = readGif(gif.end());
  assert.deepEqual(
    pictures.map(({ delay }) => delay),
    [1000, 500, 40],
  );
  [noise, dotted, dotted].forEach((wanted, i) => {
    const colors = Array.from({ length: width * height }, (_, at) => [...wanted.slice(4 * at, 4 * at + 3)]);
    assert.deepEqual(pictures[i].screen, colors);
  });
});
