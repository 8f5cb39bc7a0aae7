import { createRules } from "rukh-engine";
import type { Rules } from "rukh-engine";

let loading: Promise<Rules> | null = null;
let ready: Rules | null = null;

/** Loads the rules once. */
export function loadRules(): Promise<Rules> {
  loading ??= createRules().then((rules) => (ready = rules));
  return loading;
}

/** The rules, for code that runs after the shell has loaded them. */
export function rules(): Rules {
  if (!ready) throw new Error("the rules are not loaded yet");
  return ready;
}
