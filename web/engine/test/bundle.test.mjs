// Fresh projects that install the packed package: Node, Vite, and with RUKH_LONG=1 webpack, esbuild and a browser that runs what they build.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { createServer } from "node:http";
import { copyFile, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { extname, join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const run = promisify(execFile);
const npm = (folder, ...words) =>
  run("npm", [...words, "--no-audit", "--no-fund", "--no-update-notifier"], { cwd: folder, maxBuffer: 1 << 24 });
const long = process.env.RUKH_LONG ? false : "long: RUKH_LONG=1";
const vite = await import("vite").catch(() => null);

const MAIN = `import { createEngine } from "rukh-engine";
const engine = createEngine();
engine.setPosition("6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - 0 1");
const { bestMove } = await engine.go({ depth: 5 });
engine.terminate();
globalThis.document ? (document.title = bestMove) : console.log(bestMove);
`;

let folder, tarball;
before(async () => {
  folder = await mkdtemp(join(tmpdir(), "rukh-npm-"));
  const { stdout } = await npm(
    fileURLToPath(new URL("..", import.meta.url)),
    "pack",
    "--json",
    "--pack-destination",
    folder,
  );
  tarball = JSON.parse(stdout)[0];
});
after(() => rm(folder, { recursive: true, force: true }));

/** An empty project with the package from its tarball. */
async function project(name, main = MAIN) {
  const root = join(folder, name);
  await mkdir(root);
  await writeFile(join(root, "package.json"), JSON.stringify({ name, private: true, type: "module" }));
  await writeFile(join(root, "index.html"), `<title>…</title><script type="module" src="./main.js"></script>`);
  await writeFile(join(root, "main.js"), main);
  await npm(root, "install", "--offline", join(folder, tarball.filename));
  return root;
}

const modules = async (dist) => (await readdir(dist, { recursive: true })).filter((name) => name.endsWith(".wasm"));

test("the package holds what it names, and its licence", async () => {
  const files = tarball.files.map(({ path }) => path);
  const { exports } = JSON.parse(await readFile(new URL("../package.json", import.meta.url), "utf8"));
  const named = Object.values(exports).flatMap((entry) => (typeof entry === "string" ? entry : Object.values(entry)));
  for (const path of [...named, "LICENSE", "README.md"]) assert.ok(files.includes(path.replace(/^\.\//, "")), path);
  const [own, root] = ["../LICENSE", "../../../LICENSE"].map((path) =>
    readFile(new URL(path, import.meta.url), "utf8"),
  );
  assert.equal(await own, await root);
});

test("Node runs it from a fresh project, subpaths and all", async () => {
  const main = `${MAIN}import { encode, decode } from "rukh-engine/learn";
import { threadsUrl } from "rukh-engine/threads";
import { readFile } from "node:fs/promises";
console.log(await decode((await encode({ fen: "8/8/8/4k3/8/8/4P3/4K3 w - - 0 1" })).text), threadsUrl.protocol);
const other = createEngine({ network: await readFile(process.argv[2]), variant: "makruk" });
console.log((await other.go({ nodes: 500 })).bestMove?.length);
other.terminate();
`;
  const root = await project("node", main);
  const network = fileURLToPath(new URL("../../../crates/eval/src/nnue/makruk.nnue", import.meta.url));
  const { stdout } = await run("node", ["main.js", network], { cwd: root });
  assert.equal(stdout, "a1a8\n8/8/8/4k3/8/8/4P3/4K3 w - - 0 1 file:\n4\n");
});

// Without any configuration: Vite then makes a classic script of the worker, which knows no `await` at the top.
test("Vite builds it as it is, with the modules in use alone", { skip: vite ? false : "no Vite" }, async () => {
  const root = await project(
    "vite",
    MAIN.replace("const { bestMove }", "main(); async function main() { const { bestMove }") + "}",
  );
  const build = () => vite.build({ root, configFile: false, logLevel: "error" });
  await build();
  const assets = join(root, "dist/assets");
  assert.match((await modules(assets)).join(), /^rukh-[^.,]*\.wasm$/);
  const worker = (await readdir(assets)).find((name) => /^worker.*\.js$/.test(name));
  assert.throws(() => new Function("await 0"), SyntaxError);
  new Function(await readFile(join(assets, worker), "utf8")); // a classic script
  await browse(join(root, "dist"));
  await writeFile(join(root, "main.js"), `import "rukh-engine/learn";\n${await readFile(join(root, "main.js"))}`);
  await build();
  assert.equal((await modules(assets)).length, 2);
});

test("webpack builds it as it is, with one module", { skip: long }, async (t) => {
  const root = await project("webpack");
  await npm(root, "install", "--include=dev", "--save-dev", "webpack", "webpack-cli").catch(() =>
    t.skip("webpack cannot be had"),
  );
  const { stdout } = await run("npx", ["webpack", "--mode", "production", "--entry", "./main.js"], { cwd: root });
  assert.doesNotMatch(stdout, /Critical dependency/);
  assert.equal((await modules(join(root, "dist"))).length, 1);
  await writeFile(join(root, "dist/index.html"), `<script type="module" src="./main.js"></script>`);
  await browse(join(root, "dist"));
});

test("esbuild builds it as the README says", { skip: long }, async (t) => {
  const root = await project("esbuild");
  await npm(root, "install", "--include=dev", "--save-dev", "esbuild").catch(() => t.skip("esbuild cannot be had"));
  const words = [
    "main.js",
    "rukh-engine/dist/worker.js",
    "--bundle",
    "--format=esm",
    "--entry-names=[name]",
    "--outdir=dist",
    "--log-level=error",
  ];
  await run("npx", ["esbuild", ...words], { cwd: root });
  await copyFile(join(root, "node_modules/rukh-engine/dist/rukh.wasm"), join(root, "dist/rukh.wasm"));
  await copyFile(join(root, "index.html"), join(root, "dist/index.html"));
  await browse(join(root, "dist"));
});

/** With RUKH_LONG, and where there is one, a browser must find the mate. */
async function browse(dist) {
  const playwright = long ? null : await import("playwright-core").catch(() => null);
  const browser = await playwright?.chromium.launch({ executablePath: "/usr/bin/chromium", args: ["--no-sandbox"] });
  if (!browser) return;
  const types = { ".html": "text/html", ".js": "text/javascript", ".wasm": "application/wasm" };
  const server = createServer(async ({ url }, answer) => {
    const file = join(dist, url === "/" ? "index.html" : new URL(url, "http://x").pathname);
    const bytes = await readFile(file).catch(() => null);
    answer.writeHead(bytes ? 200 : 404, { "content-type": types[extname(file)] ?? "text/plain" }).end(bytes);
  });
  try {
    await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
    const page = await browser.newPage();
    await page.goto(`http://127.0.0.1:${server.address().port}/`);
    await page.waitForFunction(() => document.title === "a1a8", null, { timeout: 60_000 });
  } finally {
    await browser.close();
    server.close();
  }
}
