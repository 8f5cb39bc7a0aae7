let answer: Promise<boolean> | null = null;

/** Whether this page comes from `rukh serve`, which has an engine and a database of its own. Asked once. */
export function serverThere(): Promise<boolean> {
  answer ??= fetch("./", { method: "HEAD", cache: "no-store" }).then(
    (response) => response.headers.get("server")?.startsWith("rukh") ?? false,
    () => {
      // Offline now; perhaps not the next time.
      answer = null;
      return false;
    },
  );
  return answer;
}
