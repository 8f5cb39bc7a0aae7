/**
 * The drawings. All of them are original work of this project, under its MIT licence.
 *
 * Every shape lives in a 100 x 100 box and is drawn with three CSS classes: `pb` (body: filled and outlined), `pl`
 * (inner line) and `pd` (inner dot), so that one drawing serves both colours and every theme.
 */
import { ball, body, dot, line } from "./strokes.ts";

/** Mirrors a half outline (half width, y), listed from top to bottom, into a closed turned form. */
function turned(points: ReadonlyArray<readonly [number, number]>): string {
  const right = points.map(([x, y]) => `${50 + x} ${y}`);
  const left = points.map(([x, y]) => `${50 - x} ${y}`).reverse();
  return `M${right.join("L")}L${left.join("L")}Z`;
}

/** A foot that the tall pieces share. */
const foot = (half: number, y: number): string =>
  body(
    `M${50 - half} ${y + 11}V${y + 6}Q${50 - half} ${y} ${50 - half + 6} ${y}H${50 + half - 6}Q${50 + half} ${y} ${50 + half} ${y + 6}V${y + 11}Q${50 + half} ${y + 14} ${50 + half - 3} ${y + 14}H${50 - half + 3}Q${50 - half} ${y + 14} ${50 - half} ${y + 11}Z`,
  );

const HORSE =
  "M31 76C30 62 37 56 45 49C48 46 49 43 48 40C44 44 38 46 33 46C31 50 27 53 23 52C19 51 17 47 18 43C19 38 25 32 29 25" +
  "C32 20 36 17 41 16L42 8C46 10 49 13 51 17C68 19 79 35 79 58C79 65 78 71 77 76Z";
const HORSE_LINES = "M53 25C64 30 69 43 68 62M26 44L28 42";

/** The western set, by FEN letter. */
export const WESTERN: Readonly<Record<string, string>> = {
  p:
    body("M50 17A13.5 13.5 0 0 1 58 41.4C59 45 60 47 63 49H37C40 47 41 45 42 41.4A13.5 13.5 0 0 1 50 17Z") +
    body("M42 49H58C58 60 62 67 69 74H31C38 67 42 60 42 49Z") +
    foot(25, 74),
  n: body(HORSE) + line(HORSE_LINES) + dot(38, 29, 2.8) + foot(28, 75),
  b:
    ball(50, 14, 5) +
    body("M50 19C63 28 70 38 68 48C67 53 63 57 60 60H40C37 57 33 53 32 48C30 38 37 28 50 19Z") +
    line("M50 31V47M43 39H57") +
    body("M40 60H60C60 67 63 71 67 75H33C37 71 40 67 40 60Z") +
    foot(27, 75),
  r:
    body("M27 17H37V24H45V17H55V24H63V17H73V36L65 43H35L27 36Z") +
    body("M36 43H64L67 70L70 75H30L33 70Z") +
    line("M29 35.5H71") +
    foot(29, 75),
  q:
    body("M22 34L31 62H69L78 34L64 50L60 27L50 48L40 27L36 50Z") +
    ball(21, 30, 5) +
    ball(39.5, 22, 5) +
    ball(60.5, 22, 5) +
    ball(79, 30, 5) +
    body("M31 62H69C68 67 69 71 72 75H28C31 71 32 67 31 62Z") +
    line("M34 68.5H66") +
    foot(30, 75),
  k:
    body("M46.5 24V18H41V12H46.5V6H53.5V12H59V18H53.5V24Z") +
    body(
      "M50 25C55 25 58 29 58 34C58 38 55 42 53 45C58 35 70 31 78 37C86 44 82 55 72 63H28C18 55 14 44 22 37C30 31 42 35 47 45C45 42 42 38 42 34C42 29 45 25 50 25Z",
    ) +
    line("M50 45V62M33 56C28 52 26 47 30 45C36 44 44 50 47 57M67 56C72 52 74 47 70 45C64 44 56 50 53 57") +
    body("M28 63H72C70 68 70 71 73 75H27C30 71 30 68 28 63Z") +
    foot(30, 75),
};

const spire = (top: number, half: number): string =>
  turned([
    [0, top],
    [2.5, top + 7],
    [3, top + 12],
    [half, top + 17],
    [half, top + 20],
  ]);

/** The Makruk set, by FEN letter; `b` is a Bia-ngai, the Bia that was turned over. */
export const MAKRUK: Readonly<Record<string, string>> = {
  k:
    body(spire(5, 7)) +
    body(
      turned([
        [9, 25],
        [12, 30],
        [10, 33],
      ]),
    ) +
    body("M40 33H60C61 41 66 44 70 52C72 56 72 59 71 62H29C28 59 28 56 30 52C34 44 39 41 40 33Z") +
    line("M33 52.5H67M37 43.5H63") +
    body("M29 62H71C70 67 72 71 76 75H24C28 71 30 67 29 62Z") +
    foot(31, 75),
  m:
    body(spire(26, 6)) +
    body("M42 46H58C59 51 63 54 66 59C67 62 67 64 66 66H34C33 64 33 62 34 59C37 54 41 51 42 46Z") +
    line("M37 58.5H63") +
    body("M34 66H66C66 70 68 73 71 76H29C32 73 34 70 34 66Z") +
    foot(26, 76),
  s:
    body(spire(14, 8)) +
    body("M40 34H60C70 38 76 46 75 55C74 60 70 64 66 66H34C30 64 26 60 25 55C24 46 30 38 40 34Z") +
    line("M27 48.5H73M31 59.5H69") +
    body("M34 66H66C66 70 69 73 72 76H28C31 73 34 70 34 66Z") +
    foot(29, 76),
  n:
    body(HORSE) +
    line("M53 25C64 30 69 43 68 62M52 35C59 40 62 50 61 64M26 44L28 42") +
    dot(38, 29, 2.8) +
    foot(28, 75),
  r:
    body("M38 34H62V42H38Z") +
    body("M16 42H84C86 42 87 44 86 46C82 57 75 64 65 67H35C25 64 18 57 14 46C13 44 14 42 16 42Z") +
    line("M19 51.5H81") +
    body("M35 67H65L70 76H30Z") +
    foot(27, 76),
  p:
    '<g transform="translate(-4 -20) scale(1.08)">' +
    body("M50 47C68 47 78 58 78 70C78 80 68 86 50 86C32 86 22 80 22 70C22 58 32 47 50 47Z") +
    line("M33 64C36 58 42 55 48 54.5") +
    "</g>",
  b:
    '<g transform="translate(-4 -20) scale(1.08)">' +
    body("M50 47C68 47 78 57 78 67C78 79 68 86 50 86C32 86 22 79 22 67C22 57 32 47 50 47Z") +
    body("M31 67C38 61 62 61 69 67C62 73 38 73 31 67Z") +
    line("M38 57.5V62.2M46 55.5V61M54 55.5V61M62 57.5V62.2M38 76.5V71.8M46 78.5V73M54 78.5V73M62 76.5V71.8") +
    "</g>",
};
