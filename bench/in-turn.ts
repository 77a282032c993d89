import type { Cost } from "./timed.ts";

/**
 * Lets every subject run once per round, one after the other, so that whatever else the machine does meets all of
 * them alike. A first round, which fills the caches of files, is not counted.
 */
export async function inTurn<Subject extends string>(
  rounds: number,
  subjects: Readonly<Record<Subject, () => Promise<Cost>>>,
): Promise<Readonly<Record<Subject, readonly Cost[]>>> {
  const names = Object.keys(subjects) as Subject[];
  const costs = Object.fromEntries(names.map((name) => [name, []])) as unknown as Record<
    Subject,
    Cost[]
  >;
  for (let round = 0; round <= rounds; round++) {
    process.stderr.write(round === 0 ? "warming up\n" : `round ${round} of ${rounds}\n`);
    for (const name of names) {
      const cost = await subjects[name]();
      if (round > 0) costs[name].push(cost);
    }
  }
  return costs;
}
