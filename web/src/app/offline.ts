/** Milliseconds until what the first moments do not need is fetched. */
const REST = 3000;

/** Whether somebody counts his bytes: he gets what he asks for, and nothing in the background. */
export const savesData = (): boolean =>
  (globalThis.navigator as { connection?: { saveData?: boolean } } | undefined)?.connection?.saveData === true;

/** Registers the service worker that keeps the page for offline use. Development servers have none. */
export function installOffline(): void {
  if (!import.meta.env.PROD || !("serviceWorker" in navigator)) return;
  addEventListener("load", () => {
    navigator.serviceWorker.register("./sw.js").catch(() => undefined);
    if (savesData()) return;
    void navigator.serviceWorker.ready.then(({ active }) => setTimeout(() => active?.postMessage("rest"), REST));
  });
}
