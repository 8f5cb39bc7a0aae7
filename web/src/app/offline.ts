/** Milliseconds until what the first moments do not need is fetched. */
const REST = 3000;

/** Registers the service worker that keeps the page for offline use. Development servers have none. */
export function installOffline(): void {
  if (!import.meta.env.PROD || !("serviceWorker" in navigator)) return;
  addEventListener("load", () => {
    navigator.serviceWorker.register("./sw.js").catch(() => undefined);
    // Whoever counts his bytes gets the rest when he wants it.
    if ((navigator as { connection?: { saveData?: boolean } }).connection?.saveData) return;
    void navigator.serviceWorker.ready.then(({ active }) => setTimeout(() => active?.postMessage("rest"), REST));
  });
}
