import * as v from "valibot";
import { codePattern } from "../../model/plan/approval.ts";
import { changeSources } from "../../model/plan/attribution.ts";
import { severities } from "../../model/problems/finding.ts";
import { type FindingCode, findingCodes } from "../../model/problems/finding-codes.ts";
import { currentCode } from "../../model/problems/previous-codes.ts";
import { type ProblemCode, problemCodes } from "../../model/problems/problem-codes.ts";
import { sourceTypes } from "../../model/sources/locked-source.ts";
import { rowActions } from "../rows/row.ts";
import { orderedActions, type Review, reviewVersion } from "./review.ts";

/**
 * The schema of a Review. Anyone who can open a pull request can write a Review.
 * Therefore it has no free-form fields and no recursion, and every part has a maximum size.
 * schema/review.schema.json is generated from it.
 */

/** Names, paths and sentences. A message of an API server can be long. */
const text = v.pipe(v.string(), v.maxLength(100_000));
/** A line of an object. A line can be as long as the object, which etcd limits to 1.5 MiB. */
const line = v.pipe(v.string(), v.maxLength(2_000_000));
const number = v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(1_000_000_000));
const list = <S extends v.GenericSchema>(item: S) => v.pipe(v.array(item), v.maxLength(100_000));
const described = <S extends v.GenericSchema>(schema: S, words: string) =>
  v.pipe(schema, v.description(words));

const tableKeys = <K extends string>(table: Readonly<Record<K, unknown>>) =>
  Object.keys(table) as [K, ...K[]];

const position = v.strictObject({
  file: described(text, "Path in the repository, or `MODULE@REVISION/PATH`."),
  line: described(number, "Line, counted from 1."),
  column: described(number, "Column, counted from 1."),
});

/** The published schema has no list of codes, so a new code doesn't change it. */
export const codes = {
  problem: v.picklist(tableKeys<ProblemCode>(problemCodes)),
  finding: v.picklist(tableKeys<FindingCode>(findingCodes)),
};

/** Accepts former names too, because an earlier version might have written the file. */
const written = <Code extends string>(code: v.GenericSchema<string, Code>) =>
  v.pipe(v.string(), v.transform(currentCode), code);

const facts = v.optional(
  list(
    v.strictObject({
      label: described(text, "Label of the value, such as `cluster`."),
      value: described(text, "The value."),
    }),
  ),
);

const problem = {
  code: described(written(codes.problem), "Code from docs/reference/errors.md."),
  where: described(list(position), "Places in files, the user's own file first; empty if unknown."),
  what: described(text, "The fact, as one sentence without a period."),
  why: described(v.optional(text), "The cause."),
  facts: described(facts, "Values that show the error."),
  fix: described(text, "The safest fix."),
  otherwise: described(v.optional(list(text)), "Other fixes."),
  inputs: described(
    v.optional(list(text)),
    "Inputs of the workflows that replace flags in the fixes, as `NAME: VALUE`.",
  ),
  paste: described(v.optional(list(line)), "Lines of the manifest to paste, in YAML."),
  subjects: described(v.optional(list(text)), "Names of the affected objects."),
};

/** An error or notice without further data. */
const notice = v.strictObject(problem);

const autoscaler = v.strictObject({
  name: described(text, "Kind, namespace and name of the autoscaler."),
  bounds: described(
    v.optional(v.strictObject({ least: v.number(), most: v.number() })),
    "Lowest and highest number of replicas.",
  ),
});

const reviewedProblem = v.strictObject({
  ...problem,
  autoscaler: described(
    v.optional(autoscaler),
    "Autoscaler of the same deployment that causes the error.",
  ),
});

const object = described(
  v.strictObject({
    apiVersion: described(text, "API version, such as `apps/v1`."),
    kind: described(text, "Kind of the object."),
    namespace: described(text, "Namespace; empty for cluster-scoped objects."),
    name: described(text, "Name of the object."),
  }),
  "Identifies an object.",
);

const finding = v.strictObject({
  code: described(written(codes.finding), "Code from docs/reference/findings.md."),
  severity: described(v.picklist(severities), "Severity of the finding."),
  object,
  what: described(text, "The prediction, as one sentence."),
  why: described(text, "The reason, with numbers."),
  fix: described(text, "The fix."),
  paste: described(v.optional(list(line)), "Lines of the manifest to paste, in YAML."),
  path: described(v.optional(list(text)), "Path of the declared field that causes the finding."),
  facts: described(facts, "Values that show the cause."),
  where: described(list(position), "Places in files; empty if unknown."),
  allowed: described(
    v.optional(v.strictObject({ where: list(position) })),
    "Set if an annotation allows the finding, with its place.",
  ),
  isOlder: described(v.boolean(), "True if the finding existed before the pull request."),
});

const forecast = v.strictObject({
  key: described(text, "Key of the workload, such as `apps:Deployment::shop/web`."),
  name: described(text, "Kind, namespace and name of the workload."),
  replicas: described(number, "Declared number of Pods."),
  leastReady: described(number, "Smallest number of ready Pods during the rollout."),
  morePods: described(number, "Pods at the peak beyond those before and after the rollout."),
  waves: described(number, "How often new Pods become ready one after another."),
  seconds: described(
    v.optional(number),
    "Duration in seconds, from earlier rollouts; absent if none is recorded.",
  ),
  isRoomUnknown: described(
    v.optional(v.literal(true)),
    "Set if qvs couldn't check whether the nodes have room for the Pods.",
  ),
});

const author = v.strictObject({
  manager: described(text, "Field manager."),
  operation: described(text, "`Apply` or `Update`."),
  since: described(v.optional(text), "Time of the operation (RFC 3339)."),
});

const notable = v.strictObject({
  text: described(text, "The change as text."),
  isRisk: described(v.boolean(), "True if the change reduces capacity, such as replicas."),
  means: described(v.optional(text), "Effect of the change."),
});

const field = v.strictObject({
  path: described(text, 'Path, such as `spec.template.spec.containers[name="web"].image`.'),
  source: described(
    v.optional(v.picklist(changeSources)),
    "Source of the change; absent if only two commits are compared.",
  ),
  by: described(v.optional(author), "Author of the live value, if it isn't this deployment."),
  wasSet: described(v.boolean(), "True if the live object has a value."),
  notable: described(v.optional(notable), "A change that a reader should notice."),
  filledIn: described(v.optional(text), "Value that the API server adds as a default."),
});

const ignored = v.strictObject({
  path: described(text, "Path of the field."),
  live: described(v.optional(text), "Live value; absent if the field doesn't exist."),
  declared: described(v.optional(text), "Declared value."),
});

const hunk = v.strictObject({
  place: described(v.optional(text), "Path of the fields around the lines."),
  lines: described(list(line), "Lines of a unified diff of the YAML."),
});

const diff = v.strictObject({
  hunks: described(list(hunk), "Changed parts, in order."),
  added: described(number, "Number of added lines."),
  removed: described(number, "Number of removed lines."),
  words: described(
    v.optional(list(text)),
    "Summary of the difference, if the lines are hard to read.",
  ),
});

const trace = v.strictObject({
  patterns: described(list(text), "Import paths of the adapters, outermost first."),
  line: described(number, "Line of the config that uses the outermost adapter."),
  changed: described(list(text), "Names of the changed arguments."),
  written: described(
    list(position),
    "Places of the changed fields in adapters, if no argument explains the change.",
  ),
  patched: described(
    v.optional(list(position)),
    "Places of the patches and other parts of kustomizations behind the object, one per file.",
  ),
  declared: described(
    v.optional(list(position)),
    "Lines of files that declare the fields that differ from the live object; only without a base commit.",
  ),
});

const row = v.strictObject({
  action: described(v.picklist(rowActions), "Effect on the object."),
  key: described(
    v.optional(text),
    "Key of the object; absent for a row that stands for several objects.",
  ),
  name: described(text, "Kind, namespace and name."),
  succeeds: described(v.optional(text), "Object that this new object replaces."),
  replaces: described(v.optional(text), "Key of that object, if the deployment deletes it."),
  recreates: described(
    v.optional(list(text)),
    "Unchangeable fields for which qvs recreates the object.",
  ),
  keepsPods: described(
    v.optional(v.literal(true)),
    "Set if qvs recreates the object and its Pods stay.",
  ),
  isDeclaredHere: described(
    v.optional(v.boolean()),
    "True if the pull request changes the declaration; absent if unknown.",
  ),
  isRefused: described(v.optional(v.boolean()), "True if the API server would reject the object."),
  unsure: described(v.optional(text), "Reason why the prediction is uncertain."),
  isUnchecked: described(v.optional(v.literal(true)), "Set if the change is unchecked."),
  trace: described(v.optional(trace), "Adapters and arguments behind the change."),
  note: described(v.optional(text), "More information, such as why an object stays."),
  source: described(
    v.optional(v.picklist(changeSources)),
    "Source of the change as a whole; absent if unknown.",
  ),
  fields: described(list(field), "Changed fields; their values are in the diff."),
  ignored: described(
    list(ignored),
    "Declared fields whose different live values an annotation keeps.",
  ),
  diff: described(v.optional(diff), "Difference of the YAML."),
  objects: described(v.optional(number), "Number of objects in the row. Default: 1."),
  harmless: described(v.optional(v.literal(true)), "Set if nothing needs attention."),
});

const argument = v.strictObject({
  path: described(text, "Path of the argument."),
  before: described(v.optional(text), "Value before the pull request; absent if it wasn't set."),
  after: described(v.optional(text), "Value of the pull request; absent if it isn't set."),
});

const parameters = v.strictObject({
  pattern: described(text, "Import path of the adapter."),
  line: described(number, "Line of the config that uses it."),
  changes: described(list(argument), "The changed arguments."),
});

const moduleChange = v.strictObject({
  name: described(text, "Name of the module."),
  before: described(v.optional(text), "Revision before the pull request; absent if it is new."),
  after: described(
    v.optional(text),
    "Revision of the pull request; absent if it is no longer used.",
  ),
});

const lockedVersion = v.strictObject({
  from: described(text, "Git repository, Helm repository, or registry with the path of the chart."),
  version: described(text, "Version of the chart, or revision in the Git repository."),
  pinned: described(text, "Commit, or digest of the chart."),
});

const sourceChange = v.strictObject({
  type: described(v.picklist(sourceTypes), "Type of the source."),
  name: described(text, "Name of the module or chart, or repository of the base."),
  before: described(v.optional(lockedVersion), "Version before; absent if the source is new."),
  after: described(
    v.optional(lockedVersion),
    "Version of the pull request; absent if the source is no longer used.",
  ),
  where: described(position, "Place in the lockfile."),
});

const edge = v.strictObject({
  on: described(text, "Key of the object that must be ready first."),
  reason: described(text, "Reason for the dependency."),
});

const ordered = v.strictObject({
  key: described(text, "Key of the object."),
  name: described(text, "Kind, namespace and name."),
  stage: described(text, "Stage of the object."),
  action: described(v.picklist(orderedActions), "Effect on the object."),
  after: described(list(edge), "Objects of the same list that must be ready first."),
});

const gate = v.strictObject({
  stage: described(text, "Earliest stage of the objects that wait for the check."),
  after: described(list(edge), "Objects of the order that the check needs."),
  before: described(list(text), "Keys of the objects of the order that wait for the check."),
});

const orderedCheck = v.strictObject({
  key: described(text, "Key of the check."),
  name: described(text, "Kind, namespace and name."),
  gate: described(
    v.optional(gate),
    "Place of a check before objects; absent if it runs before the deletions.",
  ),
});

const origin = v.strictObject({
  release: described(v.optional(number), "Number of the current release."),
  commit: described(v.optional(text), "Commit of that release."),
  isPullRequest: described(v.boolean(), "True if two commits are compared, as in a pull request."),
});

const obstacle = v.strictObject({
  object: v.optional(object),
  what: described(text, "The fact, as one sentence."),
  why: described(text, "The reason."),
  fix: described(text, "The fix."),
});

const rollback = v.strictObject({
  to: described(number, "Number of the release to which the rollback returns."),
  possible: described(v.optional(v.boolean()), "Absent if qvs can't predict the rollback."),
  objects: described(number, "Number of objects that the rollback changes."),
  lost: described(list(obstacle), "Parts of the current state that aren't restored."),
  reasons: described(list(obstacle), "Why the rollback isn't possible or isn't predicted."),
  notes: described(list(obstacle), "Other effects of the rollback, such as migrations that stay."),
  needs: described(list(text), "Inputs without which the rollback is blocked."),
});

const counts = v.strictObject({
  create: described(number, "Number of new objects."),
  update: described(number, "Number of updated objects."),
  replace: described(number, "Number of recreated objects."),
  delete: described(number, "Number of deleted objects."),
});

const versionCheck = v.strictObject({
  version: described(text, "The other version, such as `1.37`."),
  server: described(v.optional(text), "Version of the API server; absent if unknown."),
  release: described(v.optional(number), "Current release that was checked, too."),
  isReleaseUnread: described(
    v.optional(v.boolean()),
    "True if qvs couldn't read the releases, so that it didn't check the current one.",
  ),
  findings: described(number, "Number of findings about the other version."),
});

const deployment = v.strictObject({
  name: described(text, "Name of the deployment."),
  config: described(text, "Path of its config."),
  environment: described(v.optional(text), "Its GitHub environment."),
  context: described(v.optional(text), "Its context of the kubeconfig."),
  namespace: described(text, "Namespace of its releases and its lock."),
  release: described(v.optional(number), "Number of the current release; absent if unknown."),
  waitsFor: described(
    v.optional(list(text)),
    "Deployments that it depends on, directly or through others.",
  ),
  notComparedBecause: described(v.optional(text), "Why qvs didn't compare with the cluster."),
  isFork: described(
    v.optional(v.literal(true)),
    "True if qvs didn't compare because the pull request comes from a fork.",
  ),
  isOfCommits: described(v.boolean(), "True if only two commits are compared, without a plan."),
  isFirst: described(v.boolean(), "True if the cluster contains nothing of it yet."),
  origin: described(v.optional(origin), "Release that the live objects were compared with."),
  problems: described(list(reviewedProblem), "Errors of the compilation."),
  blockers: described(list(reviewedProblem), "Errors that block the plan."),
  findings: described(list(finding), "Predictions about the cluster, most severe first."),
  orphanWarnings: described(list(notice), "Warnings about objects that stay after the merge."),
  removal: described(
    v.optional(v.literal("delete")),
    "Set if the pull request removes the deployment and the merge deletes it.",
  ),
  notices: described(list(notice), "Information without a decision."),
  counts: described(v.optional(counts), "Numbers of affected objects; absent if unknown."),
  rows: described(list(row), "Affected objects, most dangerous first."),
  parameters: described(list(parameters), "Changed arguments of adapters."),
  rollback: described(v.optional(rollback), "Prediction of a rollback of this plan."),
  againstVersion: described(
    v.optional(versionCheck),
    "Check against another version of Kubernetes; absent without one.",
  ),
  forecasts: described(
    v.optional(list(forecast)),
    "Forecasts of the rollouts that replace Pods; absent if there are none.",
  ),
  modules: described(list(moduleChange), "Modules with another revision."),
  sources: described(
    v.optional(list(sourceChange)),
    "Modules, charts and remote bases with another entry in the lockfile; absent if there are none.",
  ),
  order: described(list(ordered), "Written objects, then deleted objects, in order."),
  checks: described(v.optional(list(orderedCheck)), "Checks that run with these objects."),
  digest: described(
    v.optional(v.pipe(v.string(), v.regex(/^[0-9a-f]{1,64}$/))),
    "Digest of the reviewed plan; absent if the plan can't be executed.",
  ),
  operations: described(
    v.optional(list(v.pipe(v.string(), v.regex(codePattern)))),
    "One code per operation. A deployment compares them with its own plan.",
  ),
});

/** The parts of a Review, by their names in the published schema. */
export const reviewParts = {
  ...{ deployment, row, field, notable, author, ignored, trace, diff, hunk },
  ...{ finding, object, parameters, argument, ordered, orderedCheck, gate, edge, position },
  ...{ autoscaler, origin, counts, notice, rollback, obstacle, versionCheck },
  problem: reviewedProblem,
  module: moduleChange,
  ...{ source: sourceChange, lockedVersion },
};

export const reviewSchema = v.strictObject({
  version: described(v.literal(reviewVersion), "Version of this format."),
  headCommit: described(
    v.pipe(v.string(), v.regex(/^([0-9a-f]{40}|[0-9a-f]{64})?$/)),
    "Full ID of the previewed commit.",
  ),
  pullRequest: described(v.optional(number), "Number of the previewed pull request."),
  deployments: described(list(deployment), "The previewed deployments."),
  previewProblems: described(v.optional(list(notice)), "Errors that prevent the whole preview."),
  runUrl: described(v.optional(text), "URL of the workflow run."),
  repositoryUrl: described(v.optional(text), "URL of the repository."),
  failed: described(
    v.optional(v.boolean()),
    "True if the preview fails its job: an error blocks a deployment, or `fail-on` applies.",
  ),
  previewArtifact: described(v.optional(text), "Name of the artifact with the page."),
  now: described(v.optional(text), "Time of the preview (ISO 8601)."),
}) satisfies v.GenericSchema<unknown, Review>;
