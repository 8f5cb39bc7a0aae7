import assert from "node:assert/strict";
import { mkdtemp, mkdir, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { tmpdir } from "node:os";
import { fileURLToPath } from "node:url";
import { test } from "node:test";

const vite = await import("vite").catch(() => null);

// Without any configuration: Vite then makes a classic script of the worker, which knows no `await` at the top.
test("Vite builds a fresh project as it is", { skip: vite ? false : "Vite is not installed" }, async () => {
  const folder = await mkdtemp(join(tmpdir(), "rukh-vite-"));
  try {
    await mkdir(join(folder, "node_modules"));
    await symlink(fileURLToPath(new URL("..", import.meta.url)), join(folder, "node_modules/rukh-engine"), "dir");
    await writeFile(join(folder, "index.html"), `<script type="module" src="./main.js"></script>`);
    await writeFile(
      join(folder, "main.js"),
      `import { createEngine } from "rukh-engine"; createEngine().go({ depth: 5 }).then(console.log);`,
    );
    await vite.build({ root: folder, configFile: false, logLevel: "error" });
    const files = await readdir(join(folder, "dist/assets"));
    assert.ok(files.some((name) => /^rukh-[^.]*\.wasm$/.test(name)));
    const worker = await readFile(
      join(
        folder,
        "dist/assets",
        files.find((name) => /^worker.*\.js$/.test(name)),
      ),
      "utf8",
    );
    assert.throws(() => new Function("await 0"), SyntaxError);
    new Function(worker); // a classic script
  } finally {
    await rm(folder, { recursive: true });
  }
});
