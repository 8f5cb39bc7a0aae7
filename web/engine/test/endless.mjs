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
