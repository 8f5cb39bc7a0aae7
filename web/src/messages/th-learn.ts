import type { Messages } from "./messages.ts";

/** The chapters in Thai; loaded with their list. */
const thai = {
  Bitboards: "บิตบอร์ด",
  "A set of squares is one number, and one instruction moves a whole army.":
    "เซตของช่องคือตัวเลขหนึ่งตัว และคำสั่งเดียวเคลื่อนได้ทั้งกองทัพ",
  "Moves and attacks": "การเดินและการคุม",
  "What a piece attacks, where it could go, and why it may not.":
    "หมากคุมช่องไหน เดินไปไหนได้ และทำไมบางช่องจึงเดินไม่ได้",
  "Zobrist keys": "คีย์โซบริสต์",
  "A 64-bit name for every position, kept up to date by XOR.": "ชื่อ 64 บิตของทุกตำแหน่ง ปรับตามหมากด้วย XOR",
  Search: "การค้นหา",
  "Alpha-beta on a small tree, then the real one.": "อัลฟา-เบตาบนต้นไม้เล็ก แล้วต่อด้วยต้นไม้จริง",
  "The transposition table": "ตารางทรานสโพซิชัน",
  "What the search remembers, and where it looks it up.": "การค้นหาจำอะไรไว้ และไปเปิดดูที่ไหน",
  "Who stands better, and what each piece is worth here.": "ใครได้เปรียบ และหมากแต่ละตัวมีค่าเท่าไรในตำแหน่งนี้",
  "A position in 64 bits": "หนึ่งตำแหน่งใน 64 บิต",
  "Every position a number of its own, and back again.": "ทุกตำแหน่งมีตัวเลขของตัวเอง และแปลงกลับได้",
  "Perft lab": "ห้องทดลอง perft",
  "Counting every line proves that the rules are right.": "นับทุกแนวเดินเพื่อพิสูจน์ว่ากติกาถูกต้อง",
  "Counting in Makruk": "การนับในหมากรุกไทย",
  "Mate in time or draw: the count, with exact tables.": "รุกจนให้ทันหรือเสมอ: การนับศักดิ์ พร้อมตารางที่แน่นอน",
} satisfies Messages;

export default thai;
