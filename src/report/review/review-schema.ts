import * as v from "valibot";
import { changeSources } from "../../model/attribution.ts";
import { codePattern } from "../../model/problems/approval-codes.ts";
import { severities } from "../../model/problems/finding.ts";
import { type FindingCode, findingCodes } from "../../model/problems/finding-codes.ts";
import { type ProblemCode, problemCodes } from "../../model/problems/problem-codes.ts";
import { rowActions } from "../rows/row.ts";
import { orderedActions, type Review, reviewVersion } from "./review.ts";

/**
 * The form of a Review, which anybody may have written who may open a pull request: nothing in it is free, nothing nests, and
 * everything has an end. schema/review.schema.json is made of it.
 */

/** Names, paths and sentences. A message of an API server can be long. */
const text = v.pipe(v.string(), v.maxLength(100_000));
/** An object of the cluster can have a line of its whole size, which etcd limits to 1.5 MiB. */
const line = v.pipe(v.string(), v.maxLength(2_000_000));
const number = v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(1_000_000_000));
const list = <S extends v.GenericSchema>(item: S) => v.pipe(v.array(item), v.maxLength(100_000));
const described = <S extends v.GenericSchema>(schema: S, words: string) =>
  v.pipe(schema, v.description(words));

const keysOf = <K extends string>(table: Readonly<Record<K, unknown>>) =>
  Object.keys(table) as [K, ...K[]];

const position = v.strictObject({ file: text, line: number, column: number });

/** The published schema leaves them open, so that it stays the same with each new one. */
export const codes = {
  problem: v.picklist(keysOf<ProblemCode>(problemCodes)),
  finding: v.picklist(keysOf<FindingCode>(findingCodes)),
};

const problem = {
  code: described(codes.problem, "One of docs/reference/errors.md."),
  where: list(position),
  what: text,
  fix: text,
  otherwise: described(v.optional(list(text)), "What could be done instead."),
  inputs: described(
    v.optional(list(text)),
    "Where the cure is a flag, the inputs of the workflows that do the same.",
  ),
  paste: v.optional(list(line)),
  subjects: described(v.optional(list(text)), "Names of the objects that it is about."),
};

const autoscaler = v.strictObject({
  name: text,
  bounds: v.optional(v.strictObject({ least: v.number(), most: v.number() })),
});

const reviewedProblem = v.strictObject({
  ...problem,
  autoscaler: described(
    v.optional(autoscaler),
    "One of the same deployment that the problem comes from.",
  ),
});

const finding = v.strictObject({
  code: described(codes.finding, "One of docs/reference/findings.md."),
  severity: v.picklist(severities),
  object: v.strictObject({ apiVersion: text, kind: text, namespace: text, name: text }),
  what: text,
  why: text,
  fix: text,
  paste: v.optional(list(line)),
  path: v.optional(list(text)),
  where: list(position),
  allowed: described(
    v.optional(v.strictObject({ where: list(position) })),
    "Set where an annotation of the object allows it.",
  ),
  isOlder: described(v.boolean(), "It was the same before the pull request."),
});

const author = v.strictObject({ manager: text, operation: text, since: v.optional(text) });

const field = v.strictObject({
  path: text,
  source: described(v.optional(v.picklist(changeSources)), "Whose change it is."),
  by: described(v.optional(author), "Who has written the live value."),
  wasSet: described(v.boolean(), "Whether it has a value now."),
  notable: v.optional(v.strictObject({ text: text, isRisk: v.boolean(), means: v.optional(text) })),
  filledIn: described(
    v.optional(text),
    "The value that the server gives it, where nobody declares one.",
  ),
});

const diff = v.strictObject({
  hunks: list(v.strictObject({ place: v.optional(text), lines: list(line) })),
  added: number,
  removed: number,
  words: v.optional(list(text)),
});

const row = v.strictObject({
  action: v.picklist(rowActions),
  key: v.optional(text),
  name: text,
  succeeds: described(v.optional(text), "The object whose place it takes."),
  replaces: described(v.optional(text), "Its key, where it is deleted for this one."),
  recreates: described(v.optional(list(text)), "The fields that can't be changed."),
  isDeclaredHere: v.optional(v.boolean()),
  isRefused: v.optional(v.boolean()),
  unsure: v.optional(text),
  isUnchecked: described(v.optional(v.literal(true)), "Nobody could ask the server about it."),
  trace: v.optional(
    v.strictObject({
      patterns: list(text),
      line: number,
      changed: list(text),
      written: list(position),
    }),
  ),
  note: v.optional(text),
  source: described(v.optional(v.picklist(changeSources)), "Whose change it is as a whole."),
  fields: list(field),
  ignored: list(v.strictObject({ path: text, live: v.optional(text), declared: v.optional(text) })),
  diff: v.optional(diff),
  objects: described(
    v.optional(number),
    "For how many objects it stands; one where it is missing.",
  ),
  harmless: described(v.optional(v.literal(true)), "Nothing that anybody has to look at."),
});

const parameters = v.strictObject({
  pattern: described(text, "Import path of the adapter."),
  line: described(number, "Where the config uses it."),
  changes: list(v.strictObject({ path: text, before: v.optional(text), after: v.optional(text) })),
});

const ordered = v.strictObject({
  key: text,
  name: text,
  stage: text,
  action: v.picklist(orderedActions),
  after: list(v.strictObject({ on: text, reason: text })),
});

const origin = v.strictObject({
  release: v.optional(number),
  commit: v.optional(text),
  isPullRequest: v.boolean(),
});

const counts = v.strictObject({ create: number, update: number, replace: number, delete: number });

const deployment = v.strictObject({
  name: text,
  config: described(text, "Path of its QVS config."),
  environment: v.optional(text),
  context: v.optional(text),
  namespace: text,
  release: described(v.optional(number), "Revision of the release that runs."),
  waitsFor: described(
    v.optional(list(text)),
    "Deployments that go first, directly or through others.",
  ),
  notComparedBecause: described(v.optional(text), "Why the cluster was not asked."),
  isOfCommits: described(v.boolean(), "Only two commits are compared, since there is no plan."),
  isFirst: described(v.boolean(), "Nothing of it is in the cluster yet."),
  origin: described(v.optional(origin), "The release that live objects were compared with."),
  problems: described(list(reviewedProblem), "Why it does not compile."),
  blockers: described(list(reviewedProblem), "Why the plan would not be executed."),
  findings: described(list(finding), "What the cluster would do with the plan, the worst first."),
  orphanWarnings: described(list(v.strictObject(problem)), "What merging leaves behind."),
  removal: described(
    v.optional(v.literal("delete")),
    "Set where the deployment is removed and merging deletes all of it.",
  ),
  notices: list(v.strictObject(problem)),
  counts: described(v.optional(counts), "Missing where that is not known."),
  rows: described(list(row), "What happens to which object, the dangerous first."),
  parameters: described(list(parameters), "Arguments that the config gives in another way."),
  modules: described(
    list(v.strictObject({ name: text, before: v.optional(text), after: v.optional(text) })),
    "Modules of adapters that the pull request takes from another revision.",
  ),
  order: described(list(ordered), "What is written, then what is deleted, in that order."),
  digest: described(
    v.optional(v.pipe(v.string(), v.regex(/^[0-9a-f]{1,64}$/))),
    "What an approval of the plan refers to; missing where it would not be executed.",
  ),
  operations: described(
    v.optional(list(v.pipe(v.string(), v.regex(codePattern)))),
    "Codes of what the plan does, by which an approval of it is compared with another plan.",
  ),
});

/** What a Review is made of, by the names of the published schema. */
export const reviewParts = {
  ...{ deployment, row, field, diff, finding, parameters, ordered, position },
  problem: reviewedProblem,
};

export const reviewSchema = v.strictObject({
  version: v.literal(reviewVersion),
  headCommit: described(
    v.pipe(v.string(), v.regex(/^([0-9a-f]{40}|[0-9a-f]{64})?$/)),
    "Full id of the commit that was previewed.",
  ),
  pullRequest: described(v.optional(number), "Number of the pull request that was previewed."),
  deployments: list(deployment),
  previewProblems: described(
    v.optional(list(v.strictObject(problem))),
    "Why something can't be previewed at all.",
  ),
  runUrl: described(v.optional(text), "The workflow run."),
  repositoryUrl: described(v.optional(text), "Where people read the repository."),
  failed: described(
    v.optional(v.boolean()),
    "Whether the preview makes its job red: something can't be deployed, or is what fail-on names.",
  ),
  previewArtifact: described(v.optional(text), "Name of the artifact with the whole as a page."),
  now: described(v.optional(text), "When it was made, ISO 8601."),
}) satisfies v.GenericSchema<unknown, Review>;
