import type { Engine, Level } from "rukh-engine";
import { said, t } from "../messages/messages.ts";

/** `Learner · about 900 Elo`. Another engine has the levels that it has: the nearest one, or full strength. */
export function levelText(level: Level, guest: Pick<Engine, "elo"> | null = null): string {
  const range = guest?.elo;
  if (level.elo === null || (guest && !range)) return t("Full strength");
  if (!range) return t("{level} · about {elo} Elo", { level: said(level.name), elo: String(level.elo) });
  return t("about {elo} Elo", { elo: String(Math.min(range.most, Math.max(range.least, level.elo))) });
}
