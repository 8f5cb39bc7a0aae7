import { type RukhBoard, createBoard } from "./board.ts";
import { diagramCanvas } from "./diagram.ts";
import { parseSquare } from "./geometry.ts";
import { GifWriter } from "./gif.ts";

const SIZE = 480;
const MOVE_MS = 1000;
const END_MS = 4000;

/** A game as an animated GIF, drawn as `board` draws: its pieces, colours and side. */
export async function gameGif(
  board: RukhBoard,
  moves: readonly { fen: string; uci: string }[],
): Promise<Uint8Array<ArrayBuffer>> {
  // A board of its own, out of sight but in the document: its colours come from there.
  const copy = createBoard("");
  const holder = Object.assign(document.createElement("div"), { ariaHidden: "true", inert: true });
  holder.style.cssText = `position:fixed;left:-9999px;top:0;width:${SIZE}px`;
  holder.append(copy);
  document.body.append(holder);
  try {
    copy.variant = board.variant;
    copy.orientation = board.orientation;
    copy.setLook(board.look);
    const draw = async (at: number) => {
      const { fen, uci } = moves[at]!;
      copy.setFen(fen, false);
      copy.lastMove = [uci.slice(0, 2), uci.slice(2, 4)].flatMap((name) => parseSquare(name) ?? []);
      const canvas = await diagramCanvas(copy, SIZE);
      return canvas.getContext("2d")!.getImageData(0, 0, SIZE, SIZE).data;
    };
    const last = moves.length - 1;
    const samples = [...new Set([0, Math.min(1, last), last])];
    const pictures = [];
    for (const at of samples) pictures.push(await draw(at));
    const gif = new GifWriter(SIZE, SIZE, pictures);
    for (let at = 0; at <= last; at += 1) gif.add(await draw(at), at === last ? END_MS : MOVE_MS);
    return gif.end();
  } finally {
    holder.remove();
  }
}
