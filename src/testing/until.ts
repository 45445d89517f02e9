/** Waits for a condition, looking again and again; fails with `what` when it does not come true in time. */
export async function until(
  holds: () => boolean | Promise<boolean>,
  what: string,
  timeoutMs = 100_000,
): Promise<void> {
  const end = performance.now() + timeoutMs;
  while (!(await holds())) {
    if (performance.now() > end) throw new Error(`Waited in vain: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
