/** Whether something was thrown because the run was cancelled, which is nobody's mistake. */
export function isCancellation(error: unknown, signal: AbortSignal): boolean {
  return signal.aborted && error instanceof Error && error.name === "AbortError";
}
