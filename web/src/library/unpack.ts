const GZIP = [0x1f, 0x8b];
const ZSTD = [0x28, 0xb5, 0x2f, 0xfd];

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

/** Bytes as text: UTF-8, or the western code page that old programs wrote. */
function decoded(): TransformStream<Uint8Array, string> {
  let decoder = new TextDecoder("utf-8", { fatal: true });
  const decode = (piece: Uint8Array | undefined): string => {
    try {
      return decoder.decode(piece, { stream: piece !== undefined });
    } catch {
      decoder = new TextDecoder("windows-1252");
      return decoder.decode(piece, { stream: piece !== undefined });
    }
  };
  return new TransformStream({
    transform: (piece, controller) => controller.enqueue(decode(piece)),
    flush: (controller) => controller.enqueue(decode(undefined)),
  });
}

/** The text of a file, plain or packed with gzip or Zstandard, piece by piece. `onBytes` hears how much of the file was read. */
export async function* pieces(file: Blob, onBytes: (bytes: number) => void): AsyncGenerator<string> {
  const head = new Uint8Array(await file.slice(0, 4).arrayBuffer());
  let bytes: ReadableStream<Uint8Array> = file.stream().pipeThrough(counted(onBytes));
  if (begins(head, GZIP))
    bytes = bytes.pipeThrough(new DecompressionStream("gzip") as unknown as TransformStream<Uint8Array, Uint8Array>);
  else if (begins(head, ZSTD)) bytes = bytes.pipeThrough(await zstd());
  const reader = bytes.pipeThrough(decoded()).getReader();
  try {
    for (let next = await reader.read(); !next.done; next = await reader.read()) yield next.value;
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

/** Whether a file is packed, by its first bytes. */
export async function isPacked(file: Blob): Promise<boolean> {
  const head = new Uint8Array(await file.slice(0, 4).arrayBuffer());
  return begins(head, GZIP) || begins(head, ZSTD);
}
