import { readFile } from "node:fs/promises";
import { transformWithOxc } from "vite";

export async function load(url, context, next) {
  if (!url.startsWith("file:") || !new URL(url).pathname.endsWith(".ts")) return next(url, context);
  const source = await readFile(new URL(url), "utf8");
  const { code } = await transformWithOxc(source, url, { target: "es2022" });
  return { format: "module", source: code, shortCircuit: true };
}
