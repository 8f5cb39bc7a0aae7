import { confirm } from "../ui/dialog.ts";
import { t } from "../messages/messages.ts";
import type { PlayGame } from "./game.ts";

/** Whether another game may take the place of this one: where it is not finished, somebody is asked. */
export async function mayLeave(game: PlayGame | null): Promise<boolean> {
  if (!game || game.ply === 0 || game.over) return true;
  return confirm(t("Leave this game?"), t("It is not finished, and the new game will replace it."), t("Start"));
}
