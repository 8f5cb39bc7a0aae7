import type { Messages } from "./messages.ts";

/** The Coach in Thai: insights, the review of the library, and reasons. */
const thaiCoach = {
  Insights: "ภาพรวม",
  "Your games, explained. Nothing leaves this computer.": "เกมของคุณพร้อมคำอธิบาย ไม่มีอะไรออกจากเครื่องนี้",
  "The review does not go on: an answer of the engine was not understood.": "ทบทวนต่อไม่ได้: ไม่เข้าใจคำตอบของเอนจิน",
  "The engine gave no answer.": "เอนจินไม่ตอบ",
  "Missed: {what}": "พลาดโอกาส: {what}",
  "{won} for {given}": "{won} แลกกับ {given}",

  // What the engine says: the sentences of crates/coach/src/reasons/words.rs.
  "{move} is mate on the back rank: its own men shut the king in.": "{move} รุกจนที่แถวหลัง: หมากฝ่ายเดียวกันขังขุนไว้",
  "{move} forks {targets}.": "{move} โจมตีสองทาง: {targets}",
  "{move} uses a pin: {first} is pinned to {second} by {by}.":
    "{move} ใช้การตรึง: {first} ถูก {by} ตรึงไว้กับ {second}",
  "{move} is a skewer: when {first} moves, {second} behind it falls.":
    "{move} เสียบทะลุ: เมื่อ {first} หนี {second} ข้างหลังจะเสีย",
  "{move} opens the line of {by}, which attacks {first}.": "{move} เปิดแนวให้ {by} โจมตี {first}",
  "{move} opens the line of {by}: a discovered check.": "{move} เปิดแนวให้ {by}: รุกเปิด",
  "After {move} {first} has no safe square.": "หลัง {move} {first} ไม่มีช่องปลอดภัย",
  "{move} leads {first} away from guarding {second}.": "{move} ล่อ {first} ให้ละจากการคุม {second}",
  "{move} leads {first} away from its guard.": "{move} ล่อ {first} ให้ละจากหน้าที่คุม",
  "{move} takes {first}, the guard of {second}.": "{move} กิน {first} ซึ่งคุม {second} อยู่",
  "{move} takes {first}, a guard.": "{move} กิน {first} ซึ่งเป็นตัวคุม",
  "{move} takes {first}, which nothing protects.": "{move} กิน {first} ซึ่งไม่มีอะไรคุม",
  "{move} wins the exchange of pieces on {square}.": "{move} ได้เปรียบจากการแลกหมากที่ {square}",
  "The king cannot catch {by}: it promotes with {move}.": "ขุนไล่ {by} ไม่ทัน: จะเลื่อนขั้นด้วย {move}",
  "The {by} of {side} promotes with {move}.": "{by} ของ{side}เลื่อนขั้นด้วย {move}",
  "{move} is mate.": "{move} รุกจน",
  "It allows mate in 1 move.": "ตานี้ปล่อยให้รุกจนใน 1 ตา",
  "It allows mate in {n} moves.": "ตานี้ปล่อยให้รุกจนใน {n} ตา",
  "It shortens the way to mate to 1 move.": "ตานี้ทำให้ถูกรุกจนเร็วขึ้นใน 1 ตา",
  "It shortens the way to mate to {n} moves.": "ตานี้ทำให้ถูกรุกจนเร็วขึ้นใน {n} ตา",
  "There was a mate in 1 move.": "มีตารุกจนใน 1 ตา",
  "There was a mate in {n} moves.": "มีทางรุกจนใน {n} ตา",
  "By the end-game tables the position was {before} and is now {after}.":
    "ตามตารางปลายกระดาน เดิมตำแหน่งนี้{before} ตอนนี้{after}",
  "This loses the win: mate takes 1 move, and the count leaves {left}.":
    "ตานี้ทำให้ชนะไม่ได้: ต้องใช้ 1 ตาจึงจน แต่นับเหลือ {left}",
  "This loses the win: mate takes {n} moves, and the count leaves {left}.":
    "ตานี้ทำให้ชนะไม่ได้: ต้องใช้ {n} ตาจึงจน แต่นับเหลือ {left}",
  "The better move mates in 1 move, with {left} left in the count.": "ตาที่ดีกว่ารุกจนใน 1 ตา โดยนับเหลือ {left}",
  "The better move mates in {n} moves, with {left} left in the count.": "ตาที่ดีกว่ารุกจนใน {n} ตา โดยนับเหลือ {left}",
  "It loses {trade}.": "ตานี้เสีย {trade}",
  "The better line wins {trade}.": "แนวที่ดีกว่าได้ {trade}",
  "What moves most between the two lines is {term}: {pawns} pawns worse.":
    "สิ่งที่ต่างกันมากที่สุดระหว่างสองแนวคือ{term}: แย่ลง {pawns} เบี้ย",
  "The answer is {line}.": "คำตอบคือ {line}",
  "Better was {line}, which keeps {better} % of the points instead of {played} %.":
    "ที่ดีกว่าคือ {line} ซึ่งรักษาแต้มไว้ {better} % แทนที่จะเป็น {played} %",
  won: "ชนะ",
  drawn: "เสมอ",
  lost: "แพ้",
  material: "กำลังหมาก",
  "the placing of the pieces": "ตำแหน่งของหมาก",
  mobility: "ความคล่องตัว",
  "pawn structure": "โครงสร้างเบี้ย",
  "passed pawns": "เบี้ยผ่าน",
  "the knights": "ม้า",
  "the bishops": "บิชอป",
  "the rooks": "เรือ",
  "the queens": "ควีน",
  "king safety": "ความปลอดภัยของขุน",
  threats: "การคุกคาม",
  space: "พื้นที่",
  tempo: "จังหวะ",
  "how much there is left to play for": "สิ่งที่ยังเหลือให้เล่น",
} satisfies Messages;

export default thaiCoach;
