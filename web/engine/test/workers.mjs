// Every worker that an engine starts, so that a test can end one behind its back. Import it before the package.
import { createRequire, syncBuiltinESMExports } from "node:module";
import { after } from "node:test";

const threads = createRequire(import.meta.url)("node:worker_threads");
export const workers = [];
/** Whether every new worker dies before it is up. */
export const fate = { doomed: false };
threads.Worker = class extends threads.Worker {
  constructor(...words) {
    super(...words);
    workers.push(this);
    if (fate.doomed) void this.terminate();
  }
};
syncBuiltinESMExports();

// A test that fails must not leave its engine running. (An engine whose worker is ended would start another one.)
after(() => workers.forEach((worker) => worker.unref()));
