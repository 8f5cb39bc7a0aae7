import type { Missing } from "../engine/answers.ts";
import { t } from "../messages/messages.ts";

/** What to tell about it; nothing if the answer is whole. */
export function missingText(missing: Missing | null | undefined): string | null {
  if (!missing) return null;
  return missing.games > 0
    ? t("The database is damaged: {n} games are not counted here. Run “rukh db verify” for details.", {
        n: missing.games,
      })
    : t("The database is damaged: some games are not counted here. Run “rukh db verify” for details.");
}
