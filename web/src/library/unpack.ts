const GZIP = [0x1f, 0x8b];
const ZSTD = [0x28, 0xb5, 0x2f, 0xfd];
/** How a text in two bytes a letter begins. */
const WIDE = { "utf-16le": [0xff, 0xfe], "utf-16be": [0xfe, 0xff] } as const;

const begins = (bytes: Uint8Array, with_: readonly number[]): boolean => with_.every((byte, i) => bytes[i] === byte);

/** Unpacks Zstandard as it comes. The library for it is loaded when the first such file is read. */
async function zstd(): Promise<TransformStream<Uint8Array, Uint8Array>> {
  const { Decompress } = await import("fzstd");
  let unpack: InstanceType<typeof Decompress>;
  return new TransformStream<Uint8Array, Uint8Array>({
    start(controller) {
      unpack = new Decompress((piece) => controller.enqueue(piece));
    },
    transform: (piece) => unpack.push(piece),
    flush: () => unpack.push(new Uint8Array(0), true),
  });
}

/** Counts what goes through. */
function counted(onBytes: (bytes: number) => void): TransformStream<Uint8Array, Uint8Array> {
  let sum = 0;
  return new TransformStream({
    transform(piece, controller) {
      onBytes((sum += piece.length));
      controller.enqueue(piece);
    },
  });
}

/** How many bytes at the end begin a letter of UTF-8 that goes on behind them. */
function unfinished(bytes: Uint8Array): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back++) {
    const byte = bytes[bytes.length - back] ?? 0;
    if (byte < 0x80) return 0;
    if (byte >= 0xc0) return back < (byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2) ? back : 0;
  }
  return 0;
}

/** Bytes as text: UTF-8, or the western code page that old programs wrote. */
function decoded(): TransformStream<Uint8Array, string> {
  let decoder = new TextDecoder("utf-8", { fatal: true });
  // The decoder itself holds nothing back: what it holds when it fails would be lost.
  let held = new Uint8Array(0);
  const decode = (bytes: Uint8Array, stream: boolean): string => {
    try {
      return decoder.decode(bytes, { stream });
    } catch {
      decoder = new TextDecoder("windows-1252");
      return decoder.decode(bytes, { stream });
    }
  };
  return new TransformStream({
    transform(piece, controller) {
      const bytes = new Uint8Array(held.length + piece.length);
      bytes.set(held);
      bytes.set(piece, held.length);
      const whole = bytes.length - unfinished(bytes);
      held = bytes.slice(whole);
      controller.enqueue(decode(bytes.subarray(0, whole), true));
    },
    flush: (controller) => controller.enqueue(decode(held, false)),
  });
}

/** The text of a file, plain or packed with gzip or Zstandard, piece by piece. `onBytes` hears how much of the file was read. */
export async function* pieces(file: Blob, onBytes: (bytes: number) => void): AsyncGenerator<string> {
  const head = new Uint8Array(await file.slice(0, 4).arrayBuffer());
  let bytes: ReadableStream<Uint8Array> = file.stream().pipeThrough(counted(onBytes));
  if (begins(head, GZIP))
    bytes = bytes.pipeThrough(new DecompressionStream("gzip") as unknown as TransformStream<Uint8Array, Uint8Array>);
  else if (begins(head, ZSTD)) bytes = bytes.pipeThrough(await zstd());
  const wide = Object.entries(WIDE).find(([, mark]) => begins(head, mark))?.[0];
  const decoder = wide ? (new TextDecoderStream(wide) as unknown as TransformStream<Uint8Array, string>) : decoded();
  const reader = bytes.pipeThrough(decoder).getReader();
  try {
    for (let next = await reader.read(); !next.done; next = await reader.read()) yield next.value;
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

/** The whole text of a small file. */
export async function textOf(file: Blob): Promise<string> {
  let text = "";
  for await (const piece of pieces(file, () => undefined)) text += piece;
  return text;
}

/** Whether a file is packed, by its first bytes. */
export async function isPacked(file: Blob): Promise<boolean> {
  const head = new Uint8Array(await file.slice(0, 4).arrayBuffer());
  return begins(head, GZIP) || begins(head, ZSTD);
}
