import type { Replica } from "../support/qvs/replica.ts";

/** Everything that a soak counts. */
export interface Figures {
  /** The number of runs by command, disturbance and outcome. */
  readonly runs: Map<string, Map<string, number>>;
  /** The number of disturbances that happened, with the failures, by name. */
  readonly disturbances: Map<string, { happened: number; failed: number }>;
  /** The number of failed runs by the code of their first error. */
  readonly codes: Map<string, number>;
  /** The memory and the handles of the controller. */
  readonly samples: Sample[];
  /** The times of interruptions of the control plane, as in `Date.now()`. */
  readonly interruptions: { readonly from: number; to: number }[];
  /** The largest number of records after a run. */
  records: number;
  /** The number of comparisons of previews and of drift with the cluster. */
  compared: number;
  /** The number of times that an undisturbed run repaired the state after a failure. */
  repaired: number;
  /** The number of orphans that a disturbed run left for the next one. */
  leftForLater: number;
  /** Everything that is wrong, with the step. */
  readonly flaws: string[];
}

interface Sample {
  readonly at: number;
  readonly residentMb: number;
  readonly handles: number;
}

export function noFigures(): Figures {
  return {
    runs: new Map(),
    disturbances: new Map(),
    codes: new Map(),
    samples: [],
    interruptions: [],
    records: 0,
    compared: 0,
    repaired: 0,
    leftForLater: 0,
    flaws: [],
  };
}

export function countRun(figures: Figures, command: string, code: number): void {
  const outcomes = figures.runs.get(command) ?? new Map<string, number>();
  figures.runs.set(command, outcomes);
  const outcome = code === 0 ? "succeeded" : code > 128 ? "ended by a signal" : "failed";
  outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
}

export function countDisturbance(figures: Figures, name: string, failed: boolean): void {
  const counted = figures.disturbances.get(name) ?? { happened: 0, failed: 0 };
  figures.disturbances.set(name, counted);
  counted.happened += 1;
  if (failed) counted.failed += 1;
}

/** Counts the code of the first error that a failed run shows. */
export function countCode(figures: Figures, stderr: string): void {
  const code = /^\s*error\[([\w-]+)\]/m.exec(stderr)?.[1] ?? "without a code";
  figures.codes.set(code, (figures.codes.get(code) ?? 0) + 1);
}

/** Adds a sample of the controller. Returns false if it has ended. */
export function sample({ samples }: Figures, controller: Replica): boolean {
  try {
    const residentMb = controller.residentMb();
    samples.push({ at: Date.now(), residentMb, handles: controller.handles() });
    return true;
  } catch {
    return false;
  }
}

/** Returns the medians of the samples around a part of the soak, from 0 to 1. */
export function around(
  samples: readonly Sample[],
  part: number,
): { readonly residentMb: number; readonly handles: number } {
  const window = Math.max(1, Math.round(samples.length / 10));
  const end = Math.max(window, Math.round(samples.length * part));
  const near = samples.slice(Math.max(0, end - window), end);
  return {
    residentMb: median(near.map((one) => one.residentMb)),
    handles: median(near.map((one) => one.handles)),
  };
}

function median(numbers: readonly number[]): number {
  const sorted = numbers.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}

/** The longest time until Services lead to the present Pods again after an interruption. */
const aftermathMs = 45_000;

/** Divides the lost requests of a log (`load.ts`) by the interruptions of the control plane. */
export function divideLosses(
  log: string,
  { interruptions }: Pick<Figures, "interruptions">,
  startedAt: number,
): { readonly during: readonly string[]; readonly outside: readonly string[] } {
  const during: string[] = [];
  const outside: string[] = [];
  for (const line of log.split("\n").filter(Boolean)) {
    const at = timeOf(line, startedAt);
    const isDuring = interruptions.some(({ from, to }) => at >= from && at <= to + aftermathMs);
    (isDuring ? during : outside).push(line);
  }
  return { during, outside };
}

/** The log has only times of day, in UTC. */
function timeOf(line: string, startedAt: number): number {
  const day = new Date(startedAt).toISOString().slice(0, 11);
  const at = Date.parse(`${day}${line.slice(0, 12)}Z`);
  return at < startedAt - 60_000 ? at + 86_400_000 : at;
}
