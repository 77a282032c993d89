interface RandomChoice {
  readonly seed: number;
  readonly count: number;
  /** The number of the only case to run, from 1. Undefined for all cases. */
  readonly only: number | undefined;
}

/** Reads `QVS_RANDOM=SEED:COUNT[:NUMBER]`. Without it, returns a new seed and the usual count. */
export function randomChoice(usualCount: number): RandomChoice {
  const [seed = Math.floor(Math.random() * 1_000_000), count = usualCount, only] = (
    process.env.QVS_RANDOM ?? ""
  )
    .split(":")
    .filter(Boolean)
    .map(Number);
  return { seed, count, only };
}
