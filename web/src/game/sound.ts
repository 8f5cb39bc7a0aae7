import { settings } from "../app/settings.ts";

/** What can be heard. */
export type Sound = "move" | "capture" | "check" | "end" | "low";

let context: AudioContext | null = null;

/** A knock: a short noise through a band-pass, like wood on wood. */
function knock(at: AudioContext, when: number, pitch: number, loudness: number): void {
  const length = 0.07;
  const buffer = at.createBuffer(1, Math.ceil(at.sampleRate * length), at.sampleRate);
  const data = buffer.getChannelData(0);
  for (let i = 0; i < data.length; i += 1) data[i] = (Math.random() * 2 - 1) * Math.exp(-i / (at.sampleRate * 0.012));
  const source = at.createBufferSource();
  const filter = at.createBiquadFilter();
  const gain = at.createGain();
  source.buffer = buffer;
  filter.type = "bandpass";
  filter.frequency.value = pitch;
  filter.Q.value = 2.2;
  gain.gain.value = loudness;
  source.connect(filter).connect(gain).connect(at.destination);
  source.start(when);
}

/** A soft tone that dies away. */
function tone(at: AudioContext, when: number, pitch: number, length: number): void {
  const oscillator = at.createOscillator();
  const gain = at.createGain();
  oscillator.type = "triangle";
  oscillator.frequency.value = pitch;
  gain.gain.setValueAtTime(0.0001, when);
  gain.gain.exponentialRampToValueAtTime(0.12, when + 0.01);
  gain.gain.exponentialRampToValueAtTime(0.0001, when + length);
  oscillator.connect(gain).connect(at.destination);
  oscillator.start(when);
  oscillator.stop(when + length);
}

/** Plays a sound if sound is on; browsers allow it only after a first touch of the page. */
export function playSound(sound: Sound): void {
  if (!settings.sound || typeof AudioContext === "undefined") return;
  if (navigator.userActivation && !navigator.userActivation.hasBeenActive) return;
  try {
    context ??= new AudioContext();
    if (context.state === "suspended") void context.resume();
    const now = context.currentTime + 0.005;
    if (sound === "move") knock(context, now, 900, 1.1);
    if (sound === "capture") {
      knock(context, now, 1400, 1.2);
      knock(context, now + 0.045, 700, 1);
    }
    if (sound === "check") {
      knock(context, now, 900, 1.1);
      tone(context, now + 0.03, 660, 0.18);
    }
    if (sound === "low") tone(context, now, 330, 0.15);
    if (sound === "end") [392, 494, 587].forEach((pitch, i) => tone(context!, now + i * 0.11, pitch, 0.4));
  } catch {
    // A machine without sound is still a board.
  }
}

/** The sound of a move. */
export function moveSound(move: { capture: string | null; check: boolean }): Sound {
  return move.check ? "check" : move.capture ? "capture" : "move";
}
