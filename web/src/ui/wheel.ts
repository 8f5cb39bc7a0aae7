// A notch of a wheel; touchpads send many small ones.
const NOTCH = 60;

/** Tells the steps of a wheel over an element: up is back. Where the page could scroll itself it keeps its wheel. */
export function wheelSteps(element: HTMLElement, step: (by: -1 | 1) => void): void {
  let sum = 0;
  element.addEventListener(
    "wheel",
    (event) => {
      if (event.ctrlKey || document.documentElement.scrollHeight > innerHeight) return;
      event.preventDefault();
      sum = Math.sign(event.deltaY) === Math.sign(sum) ? sum + event.deltaY : event.deltaY;
      if (Math.abs(sum) < NOTCH) return;
      step(sum < 0 ? -1 : 1);
      sum = 0;
    },
    { passive: false },
  );
}
