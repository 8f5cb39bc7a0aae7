import type { LegalMove, Uci } from "rukh-engine";
import { signal } from "../app/store.ts";
import { rules } from "../engine/rules.ts";
import { readCodePath } from "../game/codes.ts";
import { GameTree, type TreeNode, endOf } from "../game/tree.ts";
import { takeOver } from "./handover.ts";
import { comesFrom } from "../library/lineage.ts";
import { type Document, Keeper, type Keeping, lineageOf, newDocument } from "./keeper.ts";
import { follow, readShare } from "./share.ts";
import { readSlot } from "./slot.ts";
import { said, t } from "../messages/messages.ts";

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
  /** The games that were on the board, as the library knows them. */
  #documents = new WeakMap<GameTree, Document>();
  #keeper: Keeper;
  #deaf: (() => void) | null = null;

  constructor(
    private readonly warn: (text: string) => void,
    private readonly library: () => Promise<Keeping> = async () => (await import("../library/db.ts")).library(),
  ) {
    this.#keeper = new Keeper(library, warn);
  }

  get tree(): GameTree {
    return this.place.value.tree;
  }

  get node(): TreeNode {
    return this.place.value.node;
  }

  /** Address, game handed over, or what was on the board last time. */
  load(path: readonly string[], query: URLSearchParams): void {
    const handed = takeOver();
    const slot = readSlot();
    const game = slot ? rules().parsePgn(slot.pgn).games[0] : undefined;
    if (slot && game) {
      const tree = GameTree.fromPgn(game);
      this.#documents.set(tree, newDocument(slot));
      this.#put(tree, follow(tree, slot.path) ?? tree.root);
    }
    // What the library does not have yet gets there, whatever comes to the board now.
    if (slot?.dirty) this.store();
    if (handed) this.#read(handed);
    else this.#share(query);
    this.part.value = partOf(path[0]);
    void this.#openCode(path);
    void this.#attend(query, this.#keeper.recover());
  }

  /** Listens to the library, and takes over what dead tabs left. */
  async #attend(query: URLSearchParams, recovered: Promise<number>): Promise<void> {
    try {
      const library = await this.library();
      this.#deaf = library.listen((ids) => void this.#heard(ids));
      if ((await recovered) > 0) this.warn(t("Unsaved work from a closed tab has been saved in the library."));
      await this.#openKept(query);
    } catch {
      // Without a library the slot of this tab remains; whoever changes something is told.
    }
  }

  leave(): void {
    this.store();
    this.#deaf?.();
  }

  /** All that was changed is in the library. */
  idle(): Promise<void> {
    return this.#keeper.idle();
  }

  /** The game on the board as the library knows it. */
  get document(): Document {
    const { tree } = this;
    let document = this.#documents.get(tree);
    if (!document) this.#documents.set(tree, (document = newDocument()));
    return document;
  }

  /** `#/p/…`: a position by its code. */
  async #openCode([first, ...path]: readonly string[]): Promise<void> {
    if (first !== "p") return;
    const read = await readCodePath(path);
    if ("error" in read) this.warn(t("The link does not contain a position: {why}", { why: said(read.error) }));
    else this.open(new GameTree(read.variant, read.fen), undefined, false);
  }

  /** `?game=…`: a game of the library. */
  async #openKept(query: URLSearchParams): Promise<void> {
    const id = query.get("game");
    if (!id) return;
    if (id !== this.document.id || this.document.rev === 0) {
      const kept = await (await this.library()).get(id);
      if (!kept) return this.warn(t("This game is not in the library of this browser."));
      this.#take(kept, null);
    }
    // Behind so many moves of its main line.
    const node = query.has("at") ? this.tree.mainLine()[Number(query.get("at"))] : undefined;
    if (node) this.go(node);
  }

  /** Another tab has written. What is shown here and not being changed follows. */
  async #heard(ids: readonly string[]): Promise<void> {
    const { document } = this;
    if (!ids.includes(document.id) || document.changes !== document.saved) return;
    const { tree, node } = this;
    const kept = await (await this.library()).get(document.id);
    if (!kept || this.tree !== tree || document.changes !== document.saved) return;
    if (kept.row.rev <= document.rev) return;
    // A tab that was killed may still be heard: what it wrote is older than what it left, which is on the board.
    const theirs = kept.lineage?.at(-1);
    const older = theirs !== undefined && comesFrom(lineageOf(document), theirs);
    if (older || kept.pgn === tree.toPgn()) document.rev = kept.row.rev;
    else this.#take(kept, tree.path(node));
  }

  #take(kept: Awaited<ReturnType<Keeping["get"]>> & object, path: readonly Uci[] | null): void {
    const { games, notes } = rules().parsePgn(kept.pgn);
    const [game] = games;
    if (!game) return path ? undefined : this.warn(t("This game cannot be read: its text is damaged."));
    if (notes[0] && !path) this.warn(said(notes[0].reason));
    const tree = GameTree.fromPgn(game);
    const { id, review } = kept;
    this.#documents.set(tree, {
      ...newDocument(),
      id,
      rev: kept.row.rev,
      review: review ?? null,
      lineage: kept.lineage ?? [],
    });
    const node = follow(tree, path ?? kept.path) ?? tree.root;
    if (path) this.place.value = { tree, node, before: null, grown: true };
    else this.#put(tree, node);
    this.#store();
  }

  /** The address changed. Returns a game handed over by another section, for whoever reads texts. */
  update(path: readonly string[], query: URLSearchParams): string | null {
    const handed = takeOver();
    if (!handed) this.#share(query);
    this.part.value = partOf(path[0]);
    void this.#openCode(path);
    void this.#openKept(query).catch(() => this.warn(t("The library cannot be read.")));
    return handed;
  }

  /** Puts another game on the board. The library gets it at once, or, where somebody only has a look, with the first change. */
  open(tree: GameTree, node = tree.root, keep = true): void {
    this.#put(tree, node);
    if (keep && tree.worthKeeping && this.document.rev === 0) this.#changed();
    else this.#store();
  }

  #put(tree: GameTree, node: TreeNode): void {
    const last = this.place.peek();
    if (last.tree.worthKeeping) this.#remember(() => (this.place.value = { ...last, before: null, grown: true }));
    this.place.value = { tree, node, before: null, grown: true };
  }

  go(node: TreeNode, grown = false): void {
    const { tree, node: before } = this.place.peek();
    this.place.value = { tree, node, before, grown };
    if (grown) this.#changed();
    else this.#store();
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

  /** Brings back the move or the arrows that were removed last, or the game that was on the board before this one. */
  undo(): void {
    const { tree } = this;
    this.#undo.pop()?.();
    this.undoable.value = this.#undo.length > 0;
    if (this.tree === tree) this.#changed();
    else this.#store();
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
    this.#changed();
  }

  /** What a review found so far, for the next visit. */
  reviewed(review: unknown): void {
    this.document.review = review;
    this.#changed();
  }

  /** Arrows and circles of the shown move were changed. */
  drawn(shapes: TreeNode["shapes"]): void {
    const { tree, node } = this;
    const old = node.shapes;
    if (!shapes.length && old.length > 1)
      this.#remember(() => {
        node.shapes = old;
        this.place.value = { tree, node, before: null, grown: true };
      });
    node.shapes = shapes;
    this.#changed();
  }

  /** Keeps the game for the next visit now. */
  store(): void {
    clearTimeout(this.#saving);
    this.#saving = undefined;
    const { tree } = this.place.peek();
    this.#keeper.keep(this.document, () => {
      const place = this.place.peek();
      return { pgn: tree.toPgn(), path: place.tree === tree ? tree.path(place.node) : [] };
    });
  }

  /** The game is not what the library has. */
  #changed(): void {
    this.document.changes += 1;
    this.store();
  }

  /** Remembers the place, at most twice a second. */
  #store(): void {
    this.#saving ??= setTimeout(() => this.store(), STORE_AFTER_MS);
  }

  #read(pgn: string): void {
    const game = rules().parsePgn(pgn).games[0];
    if (game) this.open(GameTree.fromPgn(game));
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
    else this.open(shared.tree, shared.node, false);
  }
}

const atRoot = (tree: GameTree): Place => ({ tree, node: tree.root, before: null, grown: true });
const partOf = (path: string | undefined): Part => PARTS.find((part) => part === path) ?? "analyse";
