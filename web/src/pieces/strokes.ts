/** What every drawing is made of; the style sheet gives the three classes their colours. */
export const body = (d: string): string => `<path class="pb" d="${d}"/>`;
export const line = (d: string): string => `<path class="pl" d="${d}"/>`;
export const ball = (x: number, y: number, r: number): string => `<circle class="pb" cx="${x}" cy="${y}" r="${r}"/>`;
export const dot = (x: number, y: number, r: number): string => `<circle class="pd" cx="${x}" cy="${y}" r="${r}"/>`;
