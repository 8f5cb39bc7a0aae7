import type { Messages } from "./messages.ts";

/** The Coach in Thai: insights and the review of the library. */
const thaiCoach = {
  Insights: "ภาพรวม",
  "Your games, explained. Nothing leaves this computer.": "เกมของคุณพร้อมคำอธิบาย ไม่มีอะไรออกจากเครื่องนี้",
} satisfies Messages;

export default thaiCoach;
