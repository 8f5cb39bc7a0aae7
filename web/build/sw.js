// The page offline. The build fills in the version (a hash of all files) and the list of files; nothing here needs changing
// for a new release. It also adds the headers that isolate the page, for hosts that cannot send them.
const VERSION = "@VERSION";
const FILES = "@FILES";
/** Large files that the first moments do not need. */
const LATER = "@LATER";
/** Files that only some people ever need; the page hands them over when they have proved good. */
const WANTED = "@WANTED";
const CACHE = `rukh-${VERSION}`;
const ISOLATION = {
  "Cross-Origin-Opener-Policy": "same-origin",
  "Cross-Origin-Embedder-Policy": "require-corp",
  "Cross-Origin-Resource-Policy": "same-origin",
};

self.addEventListener("install", (event) => {
  // `reload` passes the browser's own cache by: what is stored is what belongs to this version.
  event.waitUntil(
    caches.open(CACHE).then((cache) => cache.addAll(FILES.map((file) => new Request(file, { cache: "reload" })))),
  );
});

const isWanted = (href) => WANTED.some((file) => new URL(file, self.registration.scope).href === href);

self.addEventListener("message", (event) => {
  const { keep, bytes } = event.data ?? {};
  if (isWanted(keep)) event.waitUntil(caches.open(CACHE).then((cache) => cache.put(keep, new Response(bytes))));
});

// The page asks for it when it has come to rest: then the chapters and the coach work offline, too.
self.addEventListener("message", (event) => {
  if (event.data !== "rest") return;
  event.waitUntil(
    caches.open(CACHE).then(async (cache) => {
      for (const file of LATER) if (!(await cache.match(file))) await cache.add(file).catch(() => undefined);
    }),
  );
});

self.addEventListener("activate", (event) => {
  event.waitUntil(
    (async () => {
      const old = (await caches.keys()).filter((name) => name.startsWith("rukh-") && name !== CACHE);
      const cache = await caches.open(CACHE);
      for (const file of WANTED) {
        const kept = !(await cache.match(file)) && old.length > 0 && (await caches.match(file));
        if (kept) await cache.put(file, kept);
      }
      for (const name of old) await caches.delete(name);
      await self.clients.claim();
    })(),
  );
});

function isolated(response) {
  if (response.type === "opaque" || response.status === 0) return response;
  const headers = new Headers(response.headers);
  for (const [name, value] of Object.entries(ISOLATION)) headers.set(name, value);
  return new Response(response.body, { status: response.status, statusText: response.statusText, headers });
}

async function answer(request, url) {
  const cache = await caches.open(CACHE);
  const known = await cache.match(request.mode === "navigate" ? "./" : request, {
    ignoreSearch: request.mode === "navigate",
  });
  if (known) return isolated(known);
  const response = await fetch(request);
  // Files with a hash in their name never change.
  if (response.ok && url.pathname.includes("/assets/") && !isWanted(url.href))
    await cache.put(request, response.clone());
  return isolated(response);
}

self.addEventListener("fetch", (event) => {
  const url = new URL(event.request.url);
  const scope = new URL(self.registration.scope).pathname;
  if (event.request.method !== "GET" || url.origin !== location.origin || !url.pathname.startsWith(scope)) return;
  const path = url.pathname.slice(scope.length);
  if (path.startsWith("api/") || path === "engine" || path === "sw.js") return;
  event.respondWith(answer(event.request, url));
});
