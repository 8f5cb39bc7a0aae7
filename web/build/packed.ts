import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { brotliCompressSync, constants } from "node:zlib";
import type { Plugin } from "vite";
import { files } from "./offline.ts";

const PACKED = /\.(html|js|css|svg|wasm|bin|nnue|webmanifest)$/;
/** Larger files are packed with less effort: the last percent would cost half a minute. */
const LARGE = 2 << 20;

/** Writes `name.br` beside every file worth it, for `rukh serve` and for hosts that look for such files. */
export function packed(): Plugin {
  let out = "dist";
  return {
    name: "rukh-packed",
    apply: "build",
    configResolved: (config) => {
      out = join(config.root, config.build.outDir);
    },
    closeBundle: () => {
      for (const name of files(out).filter((file) => PACKED.test(file))) {
        const plain = readFileSync(join(out, name));
        const params = {
          [constants.BROTLI_PARAM_QUALITY]: plain.length > LARGE ? 9 : 11,
          [constants.BROTLI_PARAM_LGWIN]: 22,
          [constants.BROTLI_PARAM_SIZE_HINT]: plain.length,
        };
        const small = brotliCompressSync(plain, { params });
        if (small.length < plain.length * 0.95) writeFileSync(join(out, `${name}.br`), small);
      }
    },
  };
}
