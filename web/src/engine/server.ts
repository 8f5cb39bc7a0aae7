import type { ServerStatus } from "./answers.ts";
import type { Variant } from "../pieces/names.ts";

let answer: Promise<ServerStatus | null> | null = null;

async function ask(): Promise<ServerStatus | null> {
  // Other hosts of these files have no `/api/`: the name of the server tells them apart without a failed request.
  const head = await fetch("./", { method: "HEAD", cache: "no-store" });
  if (!head.headers.get("server")?.startsWith("rukh")) return null;
  return (await (await fetch("./api/status")).json()) as ServerStatus;
}

/** The server behind this page, if it is `rukh serve`. Asked once; again when nobody answered. */
export function server(): Promise<ServerStatus | null> {
  answer ??= ask().catch(() => {
    answer = null;
    return null;
  });
  return answer;
}

/** Whether the server has games of a variant; those of chess answer for Chess960 too. */
export async function hasGames(variant: Variant): Promise<boolean> {
  const status = await server();
  const known = status?.databases ?? (status?.database ? ["chess"] : []);
  return known.includes(variant) || (variant === "chess960" && known.includes("chess"));
}
