import { type UserError, userError } from "../../model/problems/errors.ts";

/** How much one compilation may give back, in bytes of JSON. Everything after it (YAML, plans, records) costs many times that. */
export interface OutputLimits {
  /** One value, such as a resource. */
  readonly value: number;
  /** All values together: resources, and the params that the layout shows. */
  readonly total: number;
  /** Levels of maps and lists in one value. */
  readonly depth: number;
  /** Anything else that the engine answers, such as the fields of a struct. */
  readonly answer: number;
}

export const outputLimits: OutputLimits = {
  // The API server reads no larger request (MaxRequestBodyBytes in k8s.io/apiserver), and etcd stores half of it.
  value: 3 << 20,
  // All CRDs of the largest operators together are some 5 MB; writing YAML takes a second for each.
  total: 16 << 20,
  // The deepest schemas of CRDs have some 60 levels, and writing YAML fails beyond some hundreds.
  depth: 250,
  answer: 64 << 20,
};

/** How many seconds one evaluation may take, for whoever starts the program: a repository cannot choose it. */
export const timeVariable = "QVS_EVALUATION_TIMEOUT";

/** Milliseconds, or what is wrong with what the variable says; undefined when it says nothing. */
export function timeLimitFrom(env: NodeJS.ProcessEnv): number | UserError | undefined {
  const text = env[timeVariable] ?? "";
  if (text === "") return undefined;
  const seconds = Number(text);
  if (seconds > 0 && seconds <= longestSeconds) return seconds * 1000;
  return userError(
    "invalid-input",
    `${timeVariable} is "${text}", which is not a number of seconds up to ${longestSeconds}`,
    `Set it to the seconds that one evaluation may take, or leave it out: then it is 60`,
  );
}

const longestSeconds = 3600;
