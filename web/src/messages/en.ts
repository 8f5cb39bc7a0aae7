import type { Messages } from "./messages.ts";

/** English messages stand in the source; only those that count have forms, and they are here. */
const english = {
  "{n} games": { one: "{n} game", other: "{n} games" },
  "{n} games selected": { one: "{n} game selected", other: "{n} games selected" },
  "{n} games will be deleted from this browser for good.": {
    one: "{n} game will be deleted from this browser for good.",
    other: "{n} games will be deleted from this browser for good.",
  },
  "{n} games are in the library now.": {
    one: "{n} game is in the library now.",
    other: "{n} games are in the library now.",
  },
  "{n} variations end early, at a move that cannot be played. {why}": {
    one: "A variation ends early, at a move that cannot be played. {why}",
    other: "{n} variations end early, at a move that cannot be played. {why}",
  },
  "{n} games end early, where they cannot be read. {why}": {
    one: "A game ends early, where it cannot be read. {why}",
    other: "{n} games end early, where they cannot be read. {why}",
  },
  "{n} games were already there.": {
    one: "{n} game was already there.",
    other: "{n} games were already there.",
  },
  "{n} new games were added.": { one: "{n} new game was added.", other: "{n} new games were added." },
  "{file}: {n} games": { one: "{file}: {n} game", other: "{file}: {n} games" },
  "{bad} of {n} games could not be read. {why}": {
    one: "The game could not be read. {why}",
    other: "{bad} of {n} games could not be read. {why}",
  },
  "The database is damaged: {n} games are not counted here. Run “rukh db verify” for details.": {
    one: "The database is damaged: {n} game is not counted here. Run “rukh db verify” for details.",
    other: "The database is damaged: {n} games are not counted here. Run “rukh db verify” for details.",
  },
  "{n} moves": { one: "{n} move", other: "{n} moves" },
  "{n} lines": { one: "{n} line", other: "{n} lines" },
  "{n} threads": { one: "{n} thread", other: "{n} threads" },
  "{done} of {n} positions": { one: "{done} of {n} position", other: "{done} of {n} positions" },
  "Book: the first {n} moves.": { one: "Book: the first move.", other: "Book: the first {n} moves." },
  "{best} is {what} elsewhere ({bound}). Whatever the {n} other moves are worth, the game will not come here: cutoff.":
    {
      one: "{best} is {what} elsewhere ({bound}). Whatever the other move is worth, the game will not come here: cutoff.",
      other:
        "{best} is {what} elsewhere ({bound}). Whatever the {n} other moves are worth, the game will not come here: cutoff.",
    },
  "{n} squares": { one: "{n} square", other: "{n} squares" },
  "{n} squares are all but free": { one: "{n} square is all but free", other: "{n} squares are all but free" },
  "There is no function “{text}” of {n} sets.": {
    one: "There is no function “{text}” of one set.",
    other: "There is no function “{text}” of {n} sets.",
  },
  "{n} pairs": { one: "{n} pair", other: "{n} pairs" },
  "With {bits} bits {n} pairs look alike and are not.": {
    one: "With {bits} bits {n} pair looks alike and is not.",
    other: "With {bits} bits {n} pairs look alike and are not.",
  },
  "All {n} games have been reviewed.": {
    one: "The game has been reviewed.",
    other: "All {n} games have been reviewed.",
  },
  "{n} games, {points} of {n} points. The engine expects {expected} of the points{best}.": {
    one: "{n} game, {points} of 1 point. The engine expects {expected} of the points{best}.",
    other: "{n} games, {points} of {n} points. The engine expects {expected} of the points{best}.",
  },
  "It went wrong here in {n} games.": {
    one: "It went wrong here in one game.",
    other: "It went wrong here in {n} games.",
  },
  "You followed the book for {n} moves: {name}.": {
    one: "You followed the book for one move: {name}.",
    other: "You followed the book for {n} moves: {name}.",
  },
  "You gave away most in {phase}: {lost} % in {n} moves.": {
    one: "You gave away most in {phase}: {lost} % in one move.",
    other: "You gave away most in {phase}: {lost} % in {n} moves.",
  },
  "You need {n} moves and have {left}.": {
    one: "You need one move and have {left}.",
    other: "You need {n} moves and have {left}.",
  },
  "Mate needs {n} moves now, and the count leaves {left}.": {
    one: "Mate needs one move now, and the count leaves {left}.",
    other: "Mate needs {n} moves now, and the count leaves {left}.",
  },
  "{n} puzzles were imported.": { one: "{n} puzzle was imported.", other: "{n} puzzles were imported." },
  "{n} cards were imported.": { one: "{n} card was imported.", other: "{n} cards were imported." },
} satisfies Messages;

export default english;
