import { t } from "../messages/messages.ts";
// What decides how a part of the board looks, wherever the picture is opened.
const LOOKS = [
  "fill",
  "fill-opacity",
  "stroke",
  "stroke-width",
  "stroke-opacity",
  "stroke-linecap",
  "stroke-linejoin",
  "stroke-dasharray",
  "opacity",
  "transform",
  "font-family",
  "font-size",
  "font-weight",
  "text-anchor",
  "dominant-baseline",
] as const;
const SIZE = 1600;

/** The board as it is shown, as one SVG that needs nothing else. */
export function diagramSvg(board: HTMLElement): string {
  const shown = board.querySelector("svg")!;
  const copy = shown.cloneNode(true) as SVGSVGElement;
  const symbols = new Map<string, string>();
  const copies = [...copy.querySelectorAll<SVGElement>("*")];
  [...shown.querySelectorAll<SVGElement>("*")].forEach((element, i) => {
    const target = copies[i]!;
    const style = getComputedStyle(element);
    if (element instanceof SVGUseElement) target.setAttribute("href", `#${pieceSymbol(element, style, symbols)}`);
    target.removeAttribute("class");
    target.setAttribute("style", LOOKS.map((name) => `${name}:${style.getPropertyValue(name)}`).join(";"));
  });
  copy.setAttribute("xmlns", "http://www.w3.org/2000/svg");
  copy.setAttribute("width", String(SIZE));
  copy.setAttribute("height", String(SIZE));
  copy.insertAdjacentHTML("afterbegin", `<defs>${[...symbols.values()].join("")}</defs>`);
  return new XMLSerializer().serializeToString(copy);
}

/** The drawing of a piece with its colours written out; returns its id. */
function pieceSymbol(use: SVGUseElement, style: CSSStyleDeclaration, symbols: Map<string, string>): string {
  const id = use.href.baseVal.slice(1);
  const value = (name: string, otherwise: string) => style.getPropertyValue(name).trim() || otherwise;
  const [fill, edge, inner] = [value("--pf", "#fff"), value("--po", "#000"), value("--pi", "#000")];
  const round = `stroke-linecap="round" stroke-linejoin="round"`;
  // The three classes that every drawing is made of (shapes.ts).
  const looks: Readonly<Record<string, string>> = {
    pb: `fill="${fill}" stroke="${edge}" stroke-width="${value("--ps", "3")}" ${round}`,
    pl: `fill="none" stroke="${inner}" stroke-width="${value("--pt", "3")}" ${round}`,
    pd: `fill="${inner}"`,
  };
  const art = document.getElementById(id);
  const drawing = (art?.innerHTML ?? "").replace(/class="(pb|pl|pd)"/g, (_, name: string) => looks[name]!);
  const own = [...symbols.keys()].find((known) => known.startsWith(`${id}-`) && symbols.get(known)!.includes(drawing));
  const name = own ?? `${id}-${symbols.size}`;
  symbols.set(
    name,
    `<symbol id="${name}" viewBox="${art?.getAttribute("viewBox") ?? "0 0 100 100"}">${drawing}</symbol>`,
  );
  return name;
}

/** The board drawn on a canvas of so many pixels. */
export async function diagramCanvas(board: HTMLElement, size: number): Promise<HTMLCanvasElement> {
  const address = URL.createObjectURL(new Blob([diagramSvg(board)], { type: "image/svg+xml" }));
  try {
    const image = new Image();
    image.src = address;
    await image.decode();
    const canvas = Object.assign(document.createElement("canvas"), { width: size, height: size });
    canvas.getContext("2d", { willReadFrequently: true })!.drawImage(image, 0, 0, size, size);
    return canvas;
  } finally {
    URL.revokeObjectURL(address);
  }
}

/** The same as a PNG. */
export async function diagramPng(board: HTMLElement): Promise<Blob> {
  const canvas = await diagramCanvas(board, SIZE);
  return new Promise((resolve, reject) =>
    canvas.toBlob(
      (blob) => (blob ? resolve(blob) : reject(new Error(t("The picture could not be made.")))),
      "image/png",
    ),
  );
}
