import { failed, type Problem } from "../../model/problem.ts";
import type { CompileRequest, Compiler } from "../../ports.ts";
import type { Stop } from "./engine-worker.ts";
import { type PoolOptions, startPool } from "./pool.ts";

export interface CompilerOptions extends Omit<PoolOptions, "timeLimit"> {
  /** Milliseconds for one compilation. */
  readonly timeLimit?: number;
}

const defaultTimeLimit = 60_000;

/** Compiles in worker threads, of which the first starts with this call. */
export function createCompiler(options: CompilerOptions): Compiler {
  const timeLimit = options.timeLimit ?? defaultTimeLimit;
  const pool = startPool({ ...options, timeLimit });
  return {
    async compile(request) {
      const outcome = await pool.compile(request);
      if (outcome.type === "compiled") return outcome.result;
      return failed([stopped(outcome.why, request, outcome.evaluating, timeLimit)]);
    },
    close: () => pool.close(),
  };
}

/** Blames the adapter that was evaluated last, at the places where the config uses it; before the first, all of them. */
function stopped(
  why: Stop,
  { config }: CompileRequest,
  evaluating: string | undefined,
  limit: number,
): Problem {
  const uses = config.designPatterns.filter((use) => use.pattern === evaluating);
  const suspects = uses.length > 0 ? uses : config.designPatterns;
  const names = [...new Set(suspects.map((use) => `"${use.pattern}"`))].join(", ");
  return { where: suspects.map((use) => use.where), ...explanations(names, limit)[why] };
}

function explanations(names: string, limit: number): Record<Stop, Pick<Problem, "what" | "fix">> {
  return {
    time: {
      what: `evaluating ${names} took more than ${limit / 1000} s and was stopped`,
      fix: "Look in the adapter for a comprehension or a list that grows with its own result, or for a range that is too large",
    },
    nesting: {
      what: `evaluating ${names} goes deeper and deeper and was stopped`,
      fix: "Look in the adapter for a definition that contains itself without an end, or for structs nested hundreds of levels deep",
    },
    memory: {
      what: `evaluating ${names} needs more than 2 GiB and was stopped`,
      fix: "Look in the adapter for a comprehension or a list that grows without an end, or use it with fewer resources at a time",
    },
  };
}
