import { Worker } from "node:worker_threads";

/** An endless search that has reported something: `done` is its answer, when it has been stopped. */
export async function endless(engine) {
  let done;
  await new Promise((resolve, reject) => {
    done = engine.go({ infinite: true }, resolve);
    done.catch(reject);
  });
  return { done };
}

/** How many milliseconds a stop takes, and what the search had found. */
export async function timedStop(engine, { done }) {
  const start = performance.now();
  await engine.stop();
  return { time: performance.now() - start, ...(await done) };
}

const BUSY = `const { parentPort } = require('node:worker_threads');
let busy = false;
const spin = () => {
  const end = performance.now() + 1;
  while (performance.now() < end);
  if (busy) setImmediate(spin);
};
parentPort.on('message', (message) => {
  if (typeof message !== 'boolean') return parentPort.postMessage(message);
  busy = message;
  if (busy) spin();
});`;
const echo = new Worker(BUSY, { eval: true });
echo.unref();
const answer = () => new Promise((resolve) => (echo.once("message", resolve), echo.postMessage("heard")));

/** How many milliseconds a busy worker needs to answer now: what this machine adds to every answer. */
export async function delay() {
  echo.ref();
  echo.postMessage(true);
  await answer();
  const start = performance.now();
  await answer();
  const time = performance.now() - start;
  echo.postMessage(false);
  echo.unref();
  return time;
}
