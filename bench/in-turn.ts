import type { Cost } from "./timed.ts";

/**
 * Runs each subject once per round, one after the other, so that other work on the machine affects
 * all of them equally. By default, a first round that fills the file caches isn't counted; it is
 * omitted if rounds are so long that the caches don't matter.
 */
export async function inTurn<Subject extends string>(
  rounds: number,
  subjects: Readonly<Record<Subject, () => Promise<Cost>>>,
  warmUp = true,
): Promise<Readonly<Record<Subject, readonly Cost[]>>> {
  const names = Object.keys(subjects) as Subject[];
  const costs = Object.fromEntries(names.map((name) => [name, []])) as unknown as Record<
    Subject,
    Cost[]
  >;
  for (let round = warmUp ? 0 : 1; round <= rounds; round++) {
    process.stderr.write(round === 0 ? "warming up\n" : `round ${round} of ${rounds}\n`);
    for (const name of names) {
      const cost = await subjects[name]();
      if (round > 0) costs[name].push(cost);
      process.stderr.write(`  ${name}: ${lineOf(cost)}\n`);
    }
  }
  return costs;
}

/** Returns a progress line with the costs of one run. Some rounds take minutes. */
function lineOf({ wallMs, cpuMs, peakMb = 0, requests = "" }: Cost): string {
  const times = `${Math.round(wallMs)} ms, CPU ${Math.round(cpuMs)} ms`;
  return `${times}, ${Math.round(peakMb)} MB ${requests}`.trimEnd();
}
