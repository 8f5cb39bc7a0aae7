import type { LegalMove, PositionSpec } from "rukh-engine";
import { settings } from "../app/settings.ts";
import { rules } from "../engine/rules.ts";
import type { Variant } from "../pieces/names.ts";
import { h } from "../ui/dom.ts";
import { reason, t } from "../messages/messages.ts";

/** How moves of a game are typed. */
export const moveExamples = (variant: Variant): string =>
  variant !== "makruk" ? "Nf3, e2e4" : settings.makrukNotation === "thai" ? "ค-ฉ๒, e3e4" : "Sf2, e3e4";

/** A field for typed moves: SAN, long algebraic, UCI or Thai, as the engine reads them. What it refuses is said beside it. */
export class TypedMove {
  readonly field = h("input", {
    class: "input typed",
    "aria-label": t("Type a move"),
    autocomplete: "off",
    autocapitalize: "off",
    spellcheck: "false",
    enterkeyhint: "go",
  });
  #error = h("p", { class: "error", role: "alert" });
  readonly element = h(
    "form",
    {
      class: "typed-form",
      onSubmit: (event: Event) => {
        event.preventDefault();
        this.#submit();
      },
    },
    this.field,
    this.#error,
  );

  /** `position` is null while no move may be made. */
  constructor(
    private readonly position: () => PositionSpec | null,
    private readonly onMove: (move: LegalMove) => void,
  ) {}

  /** Says how moves of a game are typed. */
  set example(text: string) {
    this.field.placeholder = t("Type a move: {examples} …", { examples: text });
  }

  focus(): void {
    this.field.focus();
  }

  #submit(): void {
    const text = this.field.value.trim();
    const position = this.position();
    if (!text) return;
    try {
      if (!position) throw new Error(t("It is not your turn."));
      const move = rules().move(position, text);
      this.field.value = "";
      this.#say("");
      this.onMove(move);
    } catch (error) {
      this.#say(reason(error));
    }
  }

  #say(error: string): void {
    this.#error.textContent = error;
    if (error) this.field.setAttribute("aria-invalid", "true");
    else this.field.removeAttribute("aria-invalid");
  }
}
