import type { Card as FsrsCard, FSRS } from "ts-fsrs";
import type { Grade, Schedule } from "./card.ts";

/** Says when a card comes back. */
export interface Scheduler {
  next(schedule: Schedule, grade: Grade, now: number): Schedule;
}

// Again, Hard and Good, as the library numbers them.
const GRADES = { again: 1, hard: 2, good: 3 } as const;

const toFsrs = (schedule: Schedule): FsrsCard => ({
  due: new Date(schedule.due),
  stability: schedule.stability,
  difficulty: schedule.difficulty,
  elapsed_days: 0,
  scheduled_days: schedule.interval,
  learning_steps: schedule.step,
  reps: schedule.reps,
  lapses: schedule.lapses,
  state: schedule.state,
  ...(schedule.last === null ? {} : { last_review: new Date(schedule.last) }),
});

class Fsrs implements Scheduler {
  constructor(private readonly fsrs: FSRS) {}

  next(schedule: Schedule, grade: Grade, now: number): Schedule {
    const { card } = this.fsrs.next(toFsrs(schedule), new Date(now), GRADES[grade]);
    return {
      due: card.due.getTime(),
      stability: card.stability,
      difficulty: card.difficulty,
      interval: card.scheduled_days,
      step: card.learning_steps,
      reps: card.reps,
      lapses: card.lapses,
      state: card.state as Schedule["state"],
      last: now,
    };
  }
}

/** FSRS with its usual numbers (nine of ten are to be known), loaded when somebody opens the cards. */
export async function loadScheduler(): Promise<Scheduler> {
  const { fsrs } = await import("ts-fsrs");
  return new Fsrs(fsrs());
}
