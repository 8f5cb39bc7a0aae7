import { type CodedPosition, codeOf } from "../game/codes.ts";
import { button, h, setText } from "../ui/dom.ts";
import { copy } from "./portal.ts";
import { t } from "../messages/messages.ts";

// Nobody reads the codes of positions that go by.
const REST_MS = 120;

/** The code of the position on the board; a click copies it. */
export class CodeLine {
  #code = h("code");
  #copy = button(t("Copy the position code"), () => void this.#copied(), {
    icon: "copy",
    hideLabel: true,
    class: "quiet code-copy",
    title: t("The code of this position: click to copy it"),
  });
  readonly element = h("div", { class: "code-line" });
  #position: CodedPosition | null = null;
  #wait: ReturnType<typeof setTimeout> | undefined;

  constructor() {
    this.#copy.prepend(this.#code);
    this.element.append(this.#copy);
  }

  show(position: CodedPosition): void {
    this.#position = position;
    clearTimeout(this.#wait);
    // The models come after the board, the engine and its first words.
    this.#wait = setTimeout(() => void this.#draw(position), this.#code.textContent ? REST_MS : 10 * REST_MS);
  }

  leave(): void {
    clearTimeout(this.#wait);
  }

  async #draw(position: CodedPosition): Promise<void> {
    try {
      const code = await codeOf(position);
      if (this.#position !== position) return;
      setText(this.#code, code);
      this.#copy.setAttribute("aria-label", t("Copy the position code {code}", { code }));
    } catch {
      // Without the models (no network, not kept yet) there is no code; copying says why.
    }
  }

  async #copied(): Promise<void> {
    if (this.#position) await copy(await codeOf(this.#position));
  }
}
