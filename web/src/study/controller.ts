import type { LegalMove, Uci } from "rukh-engine";
import { load, save } from "../app/settings.ts";
import { signal } from "../app/store.ts";
import { rules } from "../engine/rules.ts";
import { GameTree, type TreeNode, endOf } from "../game/tree.ts";
import { takeOver } from "./handover.ts";
import { follow, readShare } from "./share.ts";

export type Part = "analyse" | "review" | "explore";
const PARTS: readonly Part[] = ["analyse", "review", "explore"];

/** What is on the board, and how it came there. Every step is a new place, even one to the same move. */
export interface Place {
  readonly tree: GameTree;
  readonly node: TreeNode;
  /** The move shown before; null when another game was opened. */
  readonly before: TreeNode | null;
  /** The tree has got new moves or lost some. */
  readonly grown: boolean;
}

const KEY = "rukh.study";
const STORE_AFTER_MS = 500;
const MOST_UNDOS = 100;

/** The game of Analyse, Review and Explore: walking, playing, changing, keeping. No document. */
export class StudyController {
  readonly part = signal<Part>("analyse");
  readonly place = signal<Place>(atRoot(GameTree.fresh("chess")));
  /** Counts changes of words, signs and the order of variations. */
  readonly edits = signal(0);
  /** Takes a move of the person before the tree does, when it is the answer to a question. */
  intercept: (move: LegalMove) => boolean = () => false;
  /** Whether there is something that `undo` brings back. */
  readonly undoable = signal(false);
  #undo: (() => void)[] = [];
  #saving: ReturnType<typeof setTimeout> | undefined;

  constructor(private readonly warn: (text: string) => void) {}

  get tree(): GameTree {
    return this.place.value.tree;
  }

  get node(): TreeNode {
    return this.place.value.node;
  }

  /** Address, game handed over, or what was on the board last time. */
  load(path: string | undefined, query: URLSearchParams): void {
    const handed = takeOver();
    const stored = load<{ pgn: string; path: Uci[] }>(KEY);
    if (handed) this.#read(handed, []);
    else if (stored && typeof stored.pgn === "string")
      this.#read(stored.pgn, Array.isArray(stored.path) ? stored.path : []);
    if (!handed) this.#share(query);
    this.part.value = partOf(path);
  }

  /** The address changed. Returns a game handed over by another section, for whoever reads texts. */
  update(path: string | undefined, query: URLSearchParams): string | null {
    const handed = takeOver();
    if (!handed) this.#share(query);
    this.part.value = partOf(path);
    return handed;
  }

  /** Puts another game on the board. */
  open(tree: GameTree, node = tree.root): void {
    const last = this.place.peek();
    if (last.tree.worthKeeping) this.#remember(() => (this.place.value = { ...last, before: null, grown: true }));
    this.place.value = { tree, node, before: null, grown: true };
    this.#store();
  }

  go(node: TreeNode, grown = false): void {
    const { tree, node: before } = this.place.peek();
    this.place.value = { tree, node, before, grown };
    this.#store();
  }

  back(): void {
    this.go(this.node.parent ?? this.node);
  }
  forward(): void {
    this.go(this.node.children[0] ?? this.node);
  }
  toStart(): void {
    this.go(this.tree.root);
  }
  toEnd(): void {
    this.go(endOf(this.node));
  }
  nextVariation(): void {
    const siblings = this.node.parent?.children ?? [];
    this.go(siblings[(siblings.indexOf(this.node) + 1) % siblings.length] ?? this.node);
  }

  play(move: LegalMove): void {
    if (this.intercept(move)) return;
    const known = this.node.children.some((child) => child.uci === move.uci);
    this.go(this.tree.play(this.node, move), !known);
  }

  playUci(uci: Uci): void {
    const move = this.tree.state(this.node).moves.find((candidate) => candidate.uci === uci);
    if (move) this.play(move);
  }

  playLine(moves: readonly Uci[]): void {
    this.go(this.tree.playLine(this.node, moves), true);
  }

  /** Removes the shown move and what follows it. */
  remove(): void {
    const { tree, node } = this;
    const { parent } = node;
    if (!parent) return;
    const at = parent.children.indexOf(node);
    this.#remember(() => {
      parent.children.splice(at, 0, node);
      this.place.value = { tree, node, before: null, grown: true };
    });
    tree.remove(node);
    this.go(parent, true);
  }

  /** Brings back the move that was removed last, or the game that was on the board before this one. */
  undo(): void {
    this.#undo.pop()?.();
    this.undoable.value = this.#undo.length > 0;
    this.#store();
  }

  #remember(back: () => void): void {
    this.#undo.push(back);
    if (this.#undo.length > MOST_UNDOS) this.#undo.shift();
    this.undoable.value = true;
  }

  promote(): void {
    this.tree.promote(this.node);
    this.edited();
  }

  /** Words, signs or variations of the tree were changed. */
  edited(): void {
    this.edits.value += 1;
    this.#store();
  }

  /** Arrows and circles of the shown move were changed. */
  drawn(shapes: TreeNode["shapes"]): void {
    this.node.shapes = shapes;
    this.#store();
  }

  /** Keeps the game for the next visit now. */
  store(): void {
    clearTimeout(this.#saving);
    this.#saving = undefined;
    const { tree, node } = this.place.peek();
    save(KEY, { pgn: tree.toPgn(), path: tree.path(node) });
  }

  /** The same at most twice a second. */
  #store(): void {
    this.#saving ??= setTimeout(() => this.store(), STORE_AFTER_MS);
  }

  #read(pgn: string, path: readonly Uci[]): void {
    const game = rules().parsePgn(pgn).games[0];
    if (!game) return;
    const tree = GameTree.fromPgn(game);
    this.open(tree, follow(tree, path) ?? tree.root);
  }

  /** A link: a move of the game on the board, or another game. */
  #share(query: URLSearchParams): void {
    const shared = readShare(query);
    if (!shared) return;
    if (shared.error) this.warn(shared.error);
    const { tree } = this.place.peek();
    const same =
      tree.variant === shared.tree.variant && tree.start === shared.tree.start
        ? follow(tree, shared.tree.path(shared.node))
        : null;
    if (same) this.go(same);
    else this.open(shared.tree, shared.node);
  }
}

const atRoot = (tree: GameTree): Place => ({ tree, node: tree.root, before: null, grown: true });
const partOf = (path: string | undefined): Part => PARTS.find((part) => part === path) ?? "analyse";
