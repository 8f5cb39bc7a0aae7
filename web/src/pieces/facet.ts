import { body, dot, line } from "./strokes.ts";

/** Cut from straight edges. */
const base = body("M27 76H73L76 89H24Z");

export const FACET: Readonly<Record<string, string>> = {
  p: body("M50 20L62 32L56 44H61L66 76H34L39 44H44L38 32Z") + line("M39 44H61") + base,
  n:
    body("M32 76L37 59L47 48L34 51L25 56L18 48L28 31L37 24L38 11L48 20L62 24L73 38L78 58V76Z") +
    line("M55 30L66 43L69 62") +
    dot(38, 33, 2.8) +
    base,
  b:
    body("M50 9L57 17L53 22L68 42L62 58H38L32 42L47 22L43 17Z") +
    line("M50 31V46M43 38.5H57") +
    body("M38 58H62L67 76H33Z") +
    base,
  r:
    body("M27 18H38V26H45V18H55V26H62V18H73V36L66 43H34L27 36Z") +
    body("M34 43H66L69 76H31Z") +
    line("M33 52H67") +
    base,
  q:
    body("M17 24L31 46L37 18L50 42L63 18L69 46L83 24L72 62H28Z") +
    line("M31 55H69") +
    body("M28 62H72L71 76H29Z") +
    base,
  k:
    body("M46 7H54V13H60V20H54V27H46V20H40V13H46Z") +
    body("M50 27L60 37L81 34L72 62H28L19 34L40 37Z") +
    line("M50 37V62M36 52L32 44M64 52L68 44") +
    body("M28 62H72L71 76H29Z") +
    base,
};
