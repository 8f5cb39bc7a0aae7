import type { Messages } from "./messages.ts";

/** English messages stand in the source; only those that count have forms, and they are here. */
const english = {
  "{n} games": { one: "{n} game", other: "{n} games" },
  "{n} games chosen": { one: "{n} game chosen", other: "{n} games chosen" },
  "{n} games will be gone from this browser.": {
    one: "{n} game will be gone from this browser.",
    other: "{n} games will be gone from this browser.",
  },
  "{n} games are in the library now.": {
    one: "{n} game is in the library now.",
    other: "{n} games are in the library now.",
  },
  "{file}: {n} games": { one: "{file}: {n} game", other: "{file}: {n} games" },
  "{bad} of {n} games could not be read. {why}": {
    one: "The game could not be read. {why}",
    other: "{bad} of {n} games could not be read. {why}",
  },
  "The database is damaged: {n} games are not counted here. “rukh db verify” says what is wrong.": {
    one: "The database is damaged: {n} game is not counted here. “rukh db verify” says what is wrong.",
    other: "The database is damaged: {n} games are not counted here. “rukh db verify” says what is wrong.",
  },
  "{n} moves": { one: "{n} move", other: "{n} moves" },
  "{n} lines": { one: "{n} line", other: "{n} lines" },
  "{n} threads": { one: "{n} thread", other: "{n} threads" },
  "{done} of {n} positions": { one: "{done} of {n} position", other: "{done} of {n} positions" },
  "Book: the first {n} moves.": { one: "Book: the first move.", other: "Book: the first {n} moves." },
  "{best} is {what} elsewhere ({bound}). Whatever the {n} other moves are worth, nobody will come here: cut off.": {
    one: "{best} is {what} elsewhere ({bound}). Whatever the other move is worth, nobody will come here: cut off.",
    other:
      "{best} is {what} elsewhere ({bound}). Whatever the {n} other moves are worth, nobody will come here: cut off.",
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
  "All {n} games are reviewed.": { one: "The game is reviewed.", other: "All {n} games are reviewed." },
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
  "{n} puzzles were read.": { one: "{n} puzzle was read.", other: "{n} puzzles were read." },
  "{n} cards were read.": { one: "{n} card was read.", other: "{n} cards were read." },
} satisfies Messages;

export default english;
