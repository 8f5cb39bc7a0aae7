import { type ReadonlySignal, effect, untracked } from "@preact/signals-core";

export { type ReadonlySignal, type Signal, batch, computed, effect, signal, untracked } from "@preact/signals-core";

/**
 * Calls back whenever what `read` reads has changed, and only then: nothing that the callback looks at is watched. Returns the
 * function that ends it.
 */
export function watch<T>(read: () => T, changed: (value: T) => void): () => void {
  let first = true;
  return effect(() => {
    const value = read();
    if (first) first = false;
    else untracked(() => changed(value));
  });
}

/** The same, called at once too. */
export function follow<T>(source: ReadonlySignal<T>, changed: (value: T) => void): () => void {
  return effect(() => {
    const { value } = source;
    untracked(() => changed(value));
  });
}
