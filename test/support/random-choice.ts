interface RandomChoice {
  readonly seed: number;
  readonly count: number;
  /** The only case to play, from 1; undefined: all of them. */
  readonly only: number | undefined;
}

/** Reads `QVS_RANDOM=SEED:COUNT[:NUMBER]`; without it, draws a new seed and the usual number. */
export function randomChoice(usualCount: number): RandomChoice {
  const [seed = Math.floor(Math.random() * 1_000_000), count = usualCount, only] = (
    process.env.QVS_RANDOM ?? ""
  )
    .split(":")
    .filter(Boolean)
    .map(Number);
  return { seed, count, only };
}
