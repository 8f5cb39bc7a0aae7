import type { BoardState, Color, Evaluation, LegalMove, PgnGame, PgnOutput, Shape, Uci } from "rukh-engine";
import { rules } from "../engine/rules.ts";
import type { Variant } from "../pieces/names.ts";
import { passed } from "./passing.ts";
import { type EngineWord, splitEngineWord, withEngineWord } from "./signs.ts";

/** A move of a game with everything that was said about it. The root has no move. */
export interface TreeNode {
  readonly id: number;
  readonly parent: TreeNode | null;
  /** The first is the main continuation. */
  readonly children: TreeNode[];
  readonly uci: Uci;
  readonly san: string;
  readonly thai?: string | undefined;
  readonly fen: string;
  /** Moves played before and including this one. */
  readonly ply: number;
  before: string[];
  comments: string[];
  nags: number[];
  clock: number | null;
  /** From White's side. */
  eval: Evaluation | null;
  shapes: Shape[];
  /** What a review says; `comments` and `nags` are people's. */
  engine: EngineWord | null;
  /** Commands of other programs, `[%emt 0:00:03]`: kept, and shown to nobody. */
  commands: string;
}

/** How a move that passes is written. */
const PASS = "0000";

/** Takes the commands that nobody here understands out of the words of a comment. */
function withoutCommands(comments: readonly string[]): { comments: string[]; commands: string } {
  const commands: string[] = [];
  const words = comments.map((comment) =>
    comment
      .replace(/\[%[^\]]*\]/g, (command) => {
        commands.push(command);
        return "";
      })
      .replace(/\s+/g, " ")
      .trim(),
  );
  return { comments: words.filter(Boolean), commands: commands.join(" ") };
}

// Enough for a long game; older answers are asked again.
const CACHED_STATES = 400;

/** What a node carries beside its move, before anybody has said anything. */
const nothingSaid = () => ({
  before: [],
  comments: [],
  nags: [],
  clock: null,
  eval: null,
  shapes: [],
  engine: null,
  commands: "",
});

/** A game with variations. It keeps moves and words; every question about chess goes to the rules. */
export class GameTree {
  readonly root: TreeNode;
  tags: [string, string][] = [];
  result: PgnGame["result"] = "*";
  #next = 1;
  #states = new Map<number, BoardState>();

  constructor(
    readonly variant: Variant,
    readonly start: string,
  ) {
    this.root = {
      id: 0,
      parent: null,
      children: [],
      uci: "",
      san: "",
      fen: start,
      ply: 0,
      ...nothingSaid(),
    };
  }

  /** The start position of a variant. */
  static fresh(variant: Variant): GameTree {
    return new GameTree(variant, rules().state({ variant }).fen);
  }

  static fromPgn(game: PgnGame): GameTree {
    const tree = new GameTree(game.variant, game.start);
    tree.tags = game.tags.map(([name, value]) => [name, value]);
    tree.result = game.result;
    const made: TreeNode[] = [];
    for (const node of game.nodes) {
      const { before, clock, shapes } = node;
      const said = withoutCommands(node.comments);
      const { nags, comments, engine } = splitEngineWord(node.nags, said.comments);
      const words = { before, comments, nags, clock, eval: node.eval, shapes, engine, commands: said.commands };
      if (node.id === 0) {
        Object.assign(tree.root, words);
        made[0] = tree.root;
        continue;
      }
      const parent = made[node.parent] ?? tree.root;
      made[node.id] = tree.#add(parent, node);
      Object.assign(made[node.id]!, words);
    }
    // Children in the order the file names them, the main line first.
    for (const node of game.nodes) {
      const order = new Map(node.children.map((child, i) => [made[child], i]));
      made[node.id]?.children.sort((a, b) => (order.get(a) ?? 0) - (order.get(b) ?? 0));
    }
    return tree;
  }

  #add(parent: TreeNode, move: { uci: Uci; san: string; fen: string; thai?: string | undefined }): TreeNode {
    const node: TreeNode = {
      id: this.#next,
      parent,
      children: [],
      uci: move.uci,
      san: move.san,
      thai: move.thai,
      fen: move.fen,
      ply: parent.ply + 1,
      ...nothingSaid(),
    };
    this.#next += 1;
    parent.children.push(node);
    return node;
  }

  /** The moves from the start to a node. */
  path(node: TreeNode): Uci[] {
    const moves: Uci[] = [];
    for (let at: TreeNode | null = node; at?.parent; at = at.parent) moves.push(at.uci);
    return moves.reverse();
  }

  /** A node as the engine wants to hear of it: where to begin, and the moves from there. It does not know how to pass. */
  spec(node: TreeNode): { variant: Variant; fen: string; moves: Uci[] } {
    const moves: Uci[] = [];
    let at = node;
    for (; at.parent && at.uci !== PASS; at = at.parent) moves.push(at.uci);
    return { variant: this.variant, fen: at.fen, moves: moves.reverse() };
  }

  /** Everything the board shows at a node. */
  state(node: TreeNode): BoardState {
    const known = this.#states.get(node.id);
    if (known) return known;
    const state = rules().state(this.spec(node));
    if (this.#states.size >= CACHED_STATES) this.#states.delete(this.#states.keys().next().value!);
    this.#states.set(node.id, state);
    return state;
  }

  /** The node after a move; an existing one is found again. */
  play(from: TreeNode, move: Pick<LegalMove, "uci" | "san" | "thai">): TreeNode {
    const known = from.children.find((child) => child.uci === move.uci);
    if (known) return known;
    const spec = this.spec(from);
    const { fen } = rules().state({ ...spec, moves: [...spec.moves, move.uci] });
    return this.#add(from, { uci: move.uci, san: move.san, thai: move.thai, fen });
  }

  /** Plays a line of UCI moves; returns the last node that could be reached. */
  playLine(from: TreeNode, moves: readonly Uci[]): TreeNode {
    const pass = moves.indexOf(PASS);
    const line = rules().line(this.spec(from), pass < 0 ? moves : moves.slice(0, pass));
    let at = from;
    for (const move of line.moves) at = at.children.find((child) => child.uci === move.uci) ?? this.#add(at, move);
    return pass >= 0 && line.moves.length === pass ? this.#passLine(at, moves.slice(pass + 1)) : at;
  }

  /** Passes, as games of other programs do, and plays on. */
  #passLine(from: TreeNode, moves: readonly Uci[]): TreeNode {
    const known = from.children.find((child) => child.uci === PASS);
    const fen = known?.fen ?? passed(this.variant, from.fen);
    return fen === null ? from : this.playLine(known ?? this.#add(from, { uci: PASS, san: "--", fen }), moves);
  }

  /** Removes a move and all that follows. */
  remove(node: TreeNode): void {
    const siblings = node.parent?.children;
    const at = siblings?.indexOf(node) ?? -1;
    if (siblings && at >= 0) siblings.splice(at, 1);
  }

  /** Makes a variation the main continuation of its move, up to the root. */
  promote(node: TreeNode): void {
    for (let at: TreeNode | null = node; at?.parent; at = at.parent) {
      const { children } = at.parent;
      children.splice(children.indexOf(at), 1);
      children.unshift(at);
    }
  }

  /** The main line, the root first. */
  mainLine(): TreeNode[] {
    const line = [this.root];
    for (let at = this.root.children[0]; at; at = at.children[0]) line.push(at);
    return line;
  }

  get turnAtStart(): Color {
    return this.state(this.root).turn;
  }

  /** Somebody would miss it: it has a move, a word or a drawing. */
  get worthKeeping(): boolean {
    const { children, comments, shapes } = this.root;
    return children.length + comments.length + shapes.length > 0;
  }

  tag(name: string): string {
    return this.tags.find(([key]) => key === name)?.[1] ?? "";
  }

  toPgn(): string {
    const nodes: PgnOutput["nodes"][number][] = [];
    // A stack of its own: a file may hold a game longer than the language's.
    const todo: { node: TreeNode; parent: number }[] = [{ node: this.root, parent: -1 }];
    for (let next = todo.pop(); next; next = todo.pop()) {
      const { uci, before, clock, shapes, children } = next.node;
      const { nags, comments } = withEngineWord(next.node.nags, next.node.comments, next.node.engine);
      const { commands } = next.node;
      if (commands) comments[0] = comments[0] ? `${commands} ${comments[0]}` : commands;
      const at = nodes.length;
      nodes.push({ parent: next.parent, uci, before, comments, nags, clock, eval: next.node.eval, shapes });
      for (let i = children.length - 1; i >= 0; i -= 1) todo.push({ node: children[i]!, parent: at });
    }
    return rules().writePgn({ tags: this.tags, variant: this.variant, start: this.start, result: this.result, nodes });
  }
}

/** The last move of the main continuation. */
export function endOf(node: TreeNode): TreeNode {
  let at = node;
  while (at.children[0]) at = at.children[0];
  return at;
}

/** Whether every move up to here is the first of its choices. */
export function isMainLine(node: TreeNode): boolean {
  for (let at: TreeNode | null = node; at?.parent; at = at.parent) if (at.parent.children[0] !== at) return false;
  return true;
}
