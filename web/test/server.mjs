// A tiny static server with the headers of `rukh serve`, for tests. `node test/server.mjs 8080` shows the built page.
import { createServer } from "node:http";
import { readFile } from "node:fs/promises";
import { extname, join, normalize } from "node:path";
import { fileURLToPath } from "node:url";

const DIST = fileURLToPath(new URL("../dist/", import.meta.url));
// The engine's package as others would use it, for tests that talk to it without the page.
const PACKAGE = fileURLToPath(new URL("../engine/dist/", import.meta.url));
const TYPES = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript",
  ".css": "text/css",
  ".svg": "image/svg+xml",
  ".png": "image/png",
  ".wasm": "application/wasm",
  ".webmanifest": "application/manifest+json",
  ".json": "application/json",
};
const ISOLATION = {
  "Cross-Origin-Opener-Policy": "same-origin",
  "Cross-Origin-Embedder-Policy": "require-corp",
};
const POLICY = {
  "Content-Security-Policy":
    "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; connect-src 'self'; worker-src 'self'; object-src 'none'; base-uri 'none'",
};

/**
 * Starts the server; `routes` answers what is not a file: path -> (url) => object. Without `isolated` it is a host that cannot
 * send the headers that let a page share memory.
 */
export function serve(port = 0, routes = {}, isolated = true) {
  const HEADERS = isolated ? { ...ISOLATION, ...POLICY } : POLICY;
  const server = createServer(async (request, response) => {
    const url = new URL(request.url, "http://localhost");
    const route = routes[url.pathname];
    if (route) {
      response.writeHead(200, { ...HEADERS, "Content-Type": "application/json" });
      response.end(JSON.stringify(route(url)));
      return;
    }
    const path = normalize(url.pathname === "/" ? "/index.html" : url.pathname).replace(/^(\.\.[/\\])+/, "");
    try {
      const body = await readFile(path.startsWith("/engine-dist/") ? join(PACKAGE, path.slice(13)) : join(DIST, path));
      response.writeHead(200, {
        ...HEADERS,
        "Content-Type": TYPES[extname(path)] ?? "application/octet-stream",
        "Cache-Control": path.startsWith("/assets/") ? "max-age=31536000, immutable" : "no-cache",
      });
      response.end(body);
    } catch {
      response.writeHead(404, { ...HEADERS, "Content-Type": "text/plain" });
      response.end("not found");
    }
  });
  return new Promise((resolve) => {
    server.listen(port, "127.0.0.1", () =>
      resolve({
        address: `http://127.0.0.1:${server.address().port}/`,
        close: () =>
          new Promise((done) => {
            server.closeAllConnections();
            server.close(done);
          }),
      }),
    );
  });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { address } = await serve(Number(process.argv[2] ?? 8080));
  console.log(address);
}
