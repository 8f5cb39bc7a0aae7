import { createHash } from "node:crypto";
import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Plugin } from "vite";

/** Loaded on first use, or when the page has come to rest. */
const LATER = /rukh-(learn|threads)[^/]*\.wasm$|assets\/source-[^/]*\.js$|assets\/[^/]*\.bin$/;
/** Not for everybody: kept for whoever has used it. */
const WANTED = /assets\/[^/]*\.nnue$/;

/** All files below a folder. */
export function files(folder: string, prefix = ""): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) =>
    entry.isDirectory() ? files(join(folder, entry.name), `${prefix}${entry.name}/`) : [prefix + entry.name],
  );
}

/** Writes `sw.js` with the list of files and a version that is the hash of all of them. */
export function offline(): Plugin {
  let out = "dist";
  return {
    name: "rukh-offline",
    apply: "build",
    configResolved: (config) => {
      out = join(config.root, config.build.outDir);
    },
    closeBundle: () => {
      const all = files(out)
        .filter((name) => name !== "sw.js" && !name.endsWith(".br"))
        .sort();
      const list = all.filter((name) => !LATER.test(name) && !WANTED.test(name));
      const addresses = (names: RegExp) =>
        JSON.stringify(all.filter((name) => names.test(name)).map((name) => `./${name}`));
      const hash = createHash("sha256");
      for (const name of list) hash.update(name).update(readFileSync(join(out, name)));
      const source = readFileSync(new URL("./sw.js", import.meta.url), "utf8");
      const text = source
        .replace('"@VERSION"', JSON.stringify(hash.digest("hex").slice(0, 16)))
        .replace(
          '"@FILES"',
          JSON.stringify(["./", ...list.filter((name) => name !== "index.html").map((name) => `./${name}`)]),
        )
        .replace('"@LATER"', addresses(LATER))
        .replace('"@WANTED"', addresses(WANTED));
      writeFileSync(join(out, "sw.js"), text);
    },
  };
}
