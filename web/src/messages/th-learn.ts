import type { Messages } from "./messages.ts";

/** The chapters in Thai; loaded with the first of them. */
const thai = {} satisfies Messages;

export default thai;
