import type { ProblemCode } from "./problem-codes.ts";

/** A place in a file that a user can open. Lines and columns count from 1. */
export interface Position {
  /** Path as the user knows it: relative to the working directory or repository, or `module@revision/path`. */
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

/** One thing that is wrong and that a person can put right. */
export interface Problem {
  /** Which kind of mistake it is: docs/reference/errors.md has a section for each. */
  readonly code: ProblemCode;
  /** Where it is; several places when they contradict each other. The user's own file comes first. */
  readonly where: readonly Position[];
  /**
   * The fact in one short sentence without a period: the object or the input first, no cause, no advice,
   * no parentheses.
   */
  readonly what: string;
  /** The cause in one sentence without a period, if the fact doesn't explain itself. */
  readonly why?: string | undefined;
  /** The safest action, as an imperative without a period. */
  readonly fix: string;
  /** Other actions, each shown after the word "or". No periods. */
  readonly otherwise?: readonly string[] | undefined;
  /** Values and other evidence, each with a short label such as `cluster`. */
  readonly facts?: readonly Fact[] | undefined;
  /** Inputs of the workflows that have the effect of the flags in the fixes, as `NAME: VALUE`. */
  readonly inputs?: readonly string[] | undefined;
  /** Lines of the manifest to paste, in YAML, where that is a way. */
  readonly paste?: readonly string[] | undefined;
  /** The names of the objects that it is about; `what` begins with the name of the only one. */
  readonly subjects?: readonly string[] | undefined;
  /** The fields that it is about, where that is known, by which two problems are known to be of the same. */
  readonly about?: readonly FieldsOfResource[] | undefined;
}

/** Changes every text of a problem that readers see, for example to hide a secret in it. */
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

export function isAbout({ subjects = [] }: Pick<Problem, "subjects">, name: string): boolean {
  return subjects.includes(name);
}

export interface FieldsOfResource {
  /** Stage and id, as `app/web`. */
  readonly resource: string;
  /** Paths such as `spec.replicas`. */
  readonly fields: readonly string[];
}

export function fieldsOf(
  { stage, resource }: { readonly stage: string; readonly resource: string },
  fields: readonly string[],
): readonly FieldsOfResource[] {
  return fields.length === 0 ? [] : [{ resource: `${stage}/${resource}`, fields }];
}

/** The parts of a problem that an annotation next to a line of a file shows. */
export type Annotated = Pick<
  Problem,
  "where" | "what" | "why" | "fix" | "facts" | "otherwise" | "inputs"
>;

/** Either a value or all problems that prevent it, never a part of each. */
export type Result<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly problems: readonly Problem[] };

export function ok<T>(value: T): Result<T> {
  return { ok: true, value };
}

export function failed<T>(problems: readonly Problem[]): Result<T> {
  return { ok: false, problems: inOrder(problems) };
}

/** Each problem once, in the order of files and lines. */
export function inOrder(problems: readonly Problem[]): readonly Problem[] {
  return distinct(problems).toSorted(byPlace);
}

/** What is wrong; nothing where there is a value. */
export function problemsOf(result: Result<unknown>): readonly Problem[] {
  return result.ok ? [] : result.problems;
}

/** Each of them once, in their order. */
export function distinct<T extends object>(all: readonly T[]): readonly T[] {
  return [...new Map(all.map((each) => [JSON.stringify(each), each])).values()];
}

/** What has no place comes first: a file that is missing explains what follows. */
function byPlace(a: Problem, b: Problem): number {
  const [one, other] = [a.where[0], b.where[0]];
  if (one === undefined || other === undefined) return one === other ? 0 : one ? 1 : -1;
  if (one.file !== other.file) return one.file < other.file ? -1 : 1;
  return one.line - other.line || one.column - other.column;
}

/** Where things are declared, as far as that is known: rollbacks plan objects that no file declares any more. */
export function declaredAt(
  ...declared: readonly { readonly where?: Position | undefined }[]
): readonly Position[] {
  const places = declared.flatMap(({ where }) => (where === undefined ? [] : [where]));
  // A loop declares many things in one place.
  return distinct(places);
}
