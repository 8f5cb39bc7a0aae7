// Stylesheets are loaded with their sections and stay: what one says of a class holds in every section that comes later.
import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";

const ROOT = new URL("../..", import.meta.url).pathname;

/** The classes that a stylesheet speaks of alone, wherever they are: `.tree`, `.tree:hover`, not `.study .tree`. */
function alone(css) {
  const heads = css.replace(/\/\*[^]*?\*\//g, "").matchAll(/([^{};]+)\{/g);
  const selectors = [...heads].flatMap(([, head]) => (head.trim().startsWith("@") ? [] : head.split(",")));
  return new Set(selectors.flatMap((text) => text.trim().match(/^\.([\w-]+)(:[\w-]+)*$/)?.[1] ?? []));
}

test("a class has the same look whichever sections have been open", () => {
  const owners = new Map();
  for (const folder of ["src", "learn"])
    for (const name of readdirSync(join(ROOT, folder), { recursive: true })) {
      if (!name.endsWith(".css")) continue;
      for (const one of alone(readFileSync(join(ROOT, folder, name), "utf8")))
        owners.set(one, [...(owners.get(one) ?? []), name]);
    }
  assert.ok(owners.size > 200);
  assert.deepEqual(
    [...owners].filter(([, files]) => files.length > 1),
    [],
  );
});
