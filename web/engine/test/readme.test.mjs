import assert from "node:assert/strict";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { execFile } from "node:child_process";
import { join } from "node:path";
import { test } from "node:test";
import { promisify } from "node:util";

test("the example of the README runs and prints what it says", async () => {
  const readme = await readFile(new URL("../README.md", import.meta.url), "utf8");
  const [, example] = /```js\n([\s\S]*?)```/.exec(readme);
  const dist = new URL("../dist/", import.meta.url);
  const folder = await mkdtemp(join(new URL(".", dist).pathname, "example-"));
  try {
    const file = join(folder, "example.mjs");
    await writeFile(file, example.replace("'rukh-engine'", "'../index.js'"));
    const { stdout } = await promisify(execFile)(process.execPath, [file]);
    for (const expected of example.matchAll(/console\.log\(.*\); \/\/ (.*)/g)) {
      assert.ok(stdout.split("\n").includes(expected[1]), `${expected[1]} in\n${stdout}`);
    }
    assert.match(stdout, /^3$/m);
  } finally {
    await rm(folder, { recursive: true });
  }
});
