import type { ProblemCode } from "./problem-codes.ts";

/** A place in a file that a user can open. Lines and columns count from 1. */
export interface Position {
  /** The path, relative to the working directory or repository, or `module@revision/path`. */
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

/** Reports whether a place is in this repository, and not in a module or a remote base. */
export function isInRepository(file: string): boolean {
  return !/@[^/@]*\//.test(file);
}

/** An error or a notice for a user. */
export interface Problem {
  /** The code. docs/reference/errors.md has a section for each code. */
  readonly code: ProblemCode;
  /** The places, the user's own file first. There are several if they contradict each other. */
  readonly where: readonly Position[];
  /**
   * The fact in one short sentence without a period.
   * The object or input is first. It has no cause, no advice and no parentheses.
   */
  readonly what: string;
  /** The cause in one sentence without a period, unless the fact is enough. */
  readonly why?: string | undefined;
  /** The safest action, as an imperative without a period. */
  readonly fix: string;
  /** Other actions without periods. Each is shown after the word "or". */
  readonly otherwise?: readonly string[] | undefined;
  /** Values and other evidence, each with a short label such as `cluster`. */
  readonly facts?: readonly Fact[] | undefined;
  /** Inputs of the workflows that have the effect of the flags in the fixes, as `NAME: VALUE`. */
  readonly inputs?: readonly string[] | undefined;
  /** Lines of the manifest to paste, in YAML, if that is a fix. */
  readonly paste?: readonly string[] | undefined;
  /** The names of the affected objects. If there is only one, `what` starts with its name. */
  readonly subjects?: readonly string[] | undefined;
  /** The affected fields, if known. They show whether two errors have the same subject. */
  readonly about?: readonly ResourceFields[] | undefined;
}

/** Changes every string of an error that readers see, for example to hide a secret. */
export function mapProblemTexts<T extends Omit<Problem, "code">>(
  problem: T,
  change: (text: string) => string,
): T {
  const { what, why, fix, facts, otherwise, inputs, paste } = problem;
  return {
    ...problem,
    what: change(what),
    fix: change(fix),
    ...(why === undefined ? {} : { why: change(why) }),
    ...(facts === undefined
      ? {}
      : { facts: facts.map(({ label, value }) => ({ label, value: change(value) })) }),
    ...(otherwise === undefined ? {} : { otherwise: otherwise.map(change) }),
    ...(inputs === undefined ? {} : { inputs: inputs.map(change) }),
    ...(paste === undefined ? {} : { paste: paste.map(change) }),
  };
}

/** One piece of evidence, shown as `cluster: 5`. */
export interface Fact {
  readonly label: string;
  readonly value: string;
}

export function hasSubject({ subjects = [] }: Pick<Problem, "subjects">, name: string): boolean {
  return subjects.includes(name);
}

export interface ResourceFields {
  /** The stage and ID, such as `app/web`. */
  readonly resource: string;
  /** Paths such as `spec.replicas`. */
  readonly fields: readonly string[];
}

export function resourceFields(
  { stage, resource }: { readonly stage: string; readonly resource: string },
  fields: readonly string[],
): readonly ResourceFields[] {
  return fields.length === 0 ? [] : [{ resource: `${stage}/${resource}`, fields }];
}

/** The parts of an error that an annotation next to a line of a file shows. */
export type AnnotatedProblem = Pick<
  Problem,
  "where" | "what" | "why" | "fix" | "facts" | "otherwise" | "inputs"
>;

/** Either a value or all errors that prevent it. */
export type Result<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly problems: readonly Problem[] };

export function ok<T>(value: T): Result<T> {
  return { ok: true, value };
}

export function failed<T>(problems: readonly Problem[]): Result<T> {
  return { ok: false, problems: sortProblems(problems) };
}

/** Returns the errors without duplicates, sorted by file and line. */
export function sortProblems(problems: readonly Problem[]): readonly Problem[] {
  return distinct(problems).toSorted(comparePlaces);
}

/** Returns the errors of a result. Empty if it has a value. */
export function resultProblems(result: Result<unknown>): readonly Problem[] {
  return result.ok ? [] : result.problems;
}

/** Returns the items without duplicates, in their order. */
export function distinct<T extends object>(all: readonly T[]): readonly T[] {
  return [...new Map(all.map((each) => [JSON.stringify(each), each])).values()];
}

/**
 * Compares the places of errors. Errors without a place are first: a missing file explains the
 * rest.
 */
function comparePlaces(a: Problem, b: Problem): number {
  const [one, other] = [a.where[0], b.where[0]];
  if (one === undefined || other === undefined) return one === other ? 0 : one ? 1 : -1;
  if (one.file !== other.file) return one.file < other.file ? -1 : 1;
  return one.line - other.line || one.column - other.column;
}

/**
 * Returns the known places of declarations. A rollback plans objects that no file declares any
 * more.
 */
export function declarationPlaces(
  ...declared: readonly { readonly where?: Position | undefined }[]
): readonly Position[] {
  const places = declared.flatMap(({ where }) => (where === undefined ? [] : [where]));
  // A loop declares many objects in one place.
  return distinct(places);
}

/** A problem whose place the caller adds. */
export type UnplacedProblem = Omit<Problem, "where">;

/** The actions that solve a problem; the safest is first. */
export type Fixes = Pick<Problem, "fix" | "otherwise">;
