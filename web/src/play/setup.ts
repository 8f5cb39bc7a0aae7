import type { Color, Level } from "rukh-engine";
import { load, save } from "../app/settings.ts";
import { rules } from "../engine/rules.ts";
import { VARIANTS, VARIANT_NAMES, type Variant } from "../pieces/names.ts";
import { choice, number as numberField, select, toggle } from "../ui/controls.ts";
import { button, h } from "../ui/dom.ts";
import type { Control, PlayRecord } from "./game.ts";
import { levelText } from "./levels.ts";
import { t } from "../messages/messages.ts";

type Side = Color | "random" | "watch";
const SIDES: readonly (readonly [Side, string])[] = [
  ["white", t("White")],
  ["random", t("Random")],
  ["black", t("Black")],
  ["watch", t("Watch")],
];

interface Wishes {
  variant: Variant;
  side: Side;
  level: number;
  /** Of the other side, where the engine plays both. */
  rival: number;
  control: string;
  /** A clock of one's own. */
  minutes: number;
  increment: number;
  /** The engine opens from its book. */
  book: boolean;
}

const KEY = "rukh.newgame";
const CONTROLS: readonly (readonly [string, string])[] = [
  ["none", t("No clock")],
  ["180+2", "3 + 2"],
  ["300+3", "5 + 3"],
  ["600+5", "10 + 5"],
  ["900+10", "15 + 10"],
  ["1800+20", "30 + 20"],
  ["own", t("Custom …")],
];
const MOST_MINUTES = 600;
const MOST_INCREMENT = 300;

const within = (value: unknown, min: number, max: number, otherwise: number): number =>
  typeof value === "number" && Number.isFinite(value) ? Math.min(max, Math.max(min, Math.round(value))) : otherwise;

/** The time control that somebody wishes; null is no clock. */
export function controlOf({
  control,
  minutes,
  increment,
}: Pick<Wishes, "control" | "minutes" | "increment">): Control | null {
  if (control === "none") return null;
  if (control === "own") return { initial: minutes * 60_000, increment: increment * 1000 };
  const [seconds = 0, gain = 0] = control.split("+").map(Number);
  return { initial: seconds * 1000, increment: gain * 1000 };
}

/** A slider over the levels, with the name of the chosen one. */
function levelSlider(levels: readonly Level[], value: number, onChange: (level: number) => void) {
  const level = h("output", { class: "level-name" });
  const label = h("span");
  const slider = h("input", { type: "range", min: 0, max: levels.length - 1, step: 1 });
  const show = () => {
    level.textContent = levelText(levels[Number(slider.value)]!);
    slider.setAttribute("aria-valuetext", level.textContent);
  };
  slider.value = String(value);
  slider.addEventListener("input", () => {
    onChange(Number(slider.value));
    show();
  });
  show();
  return {
    element: h("div", { class: "field" }, label, slider, h("div", { class: "row apart small" }, level)),
    name(text: string): void {
      label.textContent = text;
      slider.setAttribute("aria-label", text);
    },
  };
}

/** The form for a new game; it remembers the last wishes. */
export function newGameForm(levels: readonly Level[], onStart: (record: PlayRecord) => unknown): HTMLElement {
  const stored = load<Partial<Wishes>>(KEY) ?? {};
  const wishes: Wishes = {
    variant: VARIANTS.includes(stored.variant as Variant) ? stored.variant! : "chess",
    side: SIDES.find(([side]) => side === stored.side)?.[0] ?? "white",
    level: within(stored.level, 0, levels.length - 1, 2),
    rival: within(stored.rival, 0, levels.length - 1, 4),
    control: CONTROLS.some(([key]) => key === stored.control) ? stored.control! : "none",
    minutes: within(stored.minutes, 1, MOST_MINUTES, 20),
    increment: within(stored.increment, 0, MOST_INCREMENT, 10),
    book: stored.book === true,
  };
  const strength = levelSlider(levels, wishes.level, (level) => (wishes.level = level));
  const rival = levelSlider(levels, wishes.rival, (level) => (wishes.rival = level));
  const nameStrengths = () => {
    const watch = wishes.side === "watch";
    strength.name(watch ? t("Strength of White") : t("Strength"));
    rival.name(t("Strength of Black"));
    rival.element.hidden = !watch;
  };
  nameStrengths();
  const number = h("input", {
    class: "input",
    type: "number",
    min: 0,
    max: 959,
    placeholder: t("at random"),
    "aria-label": t("Starting position 0 to 959"),
  });
  const setupNumber = h(
    "label",
    { class: "field", hidden: wishes.variant !== "chess960" },
    h("span", null, t("Starting position (0–959)")),
    number,
  );
  const ownClock = h(
    "div",
    { class: "row", hidden: wishes.control !== "own" },
    numberField(t("Minutes per side"), wishes.minutes, 1, MOST_MINUTES, (value) => (wishes.minutes = value)),
    numberField(t("Increment in seconds"), wishes.increment, 0, MOST_INCREMENT, (value) => (wishes.increment = value)),
  );
  const start = () => {
    save(KEY, wishes);
    const control = controlOf(wishes);
    const wanted =
      number.value === ""
        ? Math.floor(Math.random() * 960)
        : Math.min(959, Math.max(0, Math.round(Number(number.value)) || 0));
    onStart({
      variant: wishes.variant,
      start: wishes.variant === "chess960" ? rules().chess960(wanted) : rules().state({ variant: wishes.variant }).fen,
      moves: [],
      human:
        wishes.side === "random"
          ? Math.random() < 0.5
            ? "white"
            : "black"
          : wishes.side === "black"
            ? "black"
            : "white",
      level: wishes.level,
      book: wishes.book,
      ...(wishes.side === "watch" ? { watch: [wishes.level, wishes.rival] } : {}),
      control,
      clocks: [control?.initial ?? 0, control?.initial ?? 0],
      spent: [],
      counting: [],
      ending: null,
    });
  };
  return h(
    "section",
    { class: "card new-game", "aria-label": t("New game") },
    h("h2", null, t("New game")),
    choice(
      t("Game"),
      VARIANTS.map((variant) => [variant, VARIANT_NAMES[variant]] as const),
      wishes.variant,
      (variant) => {
        wishes.variant = variant;
        setupNumber.hidden = variant !== "chess960";
      },
    ),
    setupNumber,
    choice(t("You play"), SIDES, wishes.side, (side) => {
      wishes.side = side;
      nameStrengths();
    }),
    strength.element,
    rival.element,
    select(t("Clock"), CONTROLS, wishes.control, (control) => {
      wishes.control = control;
      ownClock.hidden = control !== "own";
    }),
    ownClock,
    toggle(t("Opening book"), wishes.book, (on) => (wishes.book = on)),
    button(t("Start"), start, { class: "primary big" }),
  );
}
