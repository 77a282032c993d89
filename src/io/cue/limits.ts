import { UserError } from "../../model/problems/errors.ts";

/**
 * The maximum output of one compilation, in bytes of JSON. Everything after it (YAML, plans,
 * records) costs many times as much.
 */
export interface OutputLimits {
  /** One value, such as a resource. */
  readonly value: number;
  /** All values together: resources, and the parameters that the layout shows. */
  readonly total: number;
  /** Levels of objects and lists in one value. */
  readonly depth: number;
  /** Any other answer of the engine, such as the fields of a struct. */
  readonly answer: number;
}

export const outputLimits: OutputLimits = {
  // The API server reads no larger request (MaxRequestBodyBytes in k8s.io/apiserver), and etcd
  // stores half of it.
  value: 3 << 20,
  // All CRDs of the largest operators together have about 5 MB. Writing one megabyte as YAML takes
  // a second.
  total: 16 << 20,
  // The deepest schemas of CRDs have about 60 levels. Writing YAML fails beyond a few hundred.
  depth: 250,
  answer: 64 << 20,
};

/**
 * The environment variable with the time limit of one evaluation, in seconds. Only the user who
 * starts qvs can set it; a repository can't.
 */
export const timeLimitVariable = "QVS_EVALUATION_TIMEOUT";

/**
 * Returns the limit in milliseconds, or the error of an invalid value. Undefined if the variable
 * isn't set.
 */
export function readTimeLimit(env: NodeJS.ProcessEnv): number | UserError | undefined {
  const text = env[timeLimitVariable] ?? "";
  if (text === "") return undefined;
  const seconds = Number(text);
  if (seconds > 0 && seconds <= longestSeconds) return seconds * 1000;
  return new UserError([
    {
      code: "invalid-input",
      where: [],
      what: `${timeLimitVariable}: "${text}" isn't a valid number of seconds`,
      facts: [{ label: "allowed", value: `more than 0, at most ${longestSeconds}` }],
      fix: `Set ${timeLimitVariable} to the time limit of one evaluation in seconds`,
      otherwise: ["unset it to use the default of 60 s"],
    },
  ]);
}

const longestSeconds = 3600;
