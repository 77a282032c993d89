/** In milliseconds: what ends in order by itself says more. */
const grace = 1_000;

/**
 * The work, or the reason of the signal soon after it is aborted: a run that has changed nothing yet waits no longer for a server that
 * does not answer. Who has changed something ends in order, however long that takes.
 */
export async function unlessInterrupted<T>(
  work: Promise<T>,
  signal: AbortSignal,
  hasChanged: () => boolean,
): Promise<T> {
  const { promise: interrupted, reject } = Promise.withResolvers<never>();
  let timer: NodeJS.Timeout | undefined;
  const giveUp = () => {
    timer = setTimeout(() => hasChanged() || reject(signal.reason), grace);
  };
  if (signal.aborted) giveUp();
  else signal.addEventListener("abort", giveUp, { once: true });
  try {
    return await Promise.race([work, interrupted]);
  } finally {
    signal.removeEventListener("abort", giveUp);
    clearTimeout(timer);
  }
}
