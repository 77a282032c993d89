import { isDeletedByTtl, isDoneWhenAbsent } from "../../model/cluster/jobs.ts";
import type { ReleaseHistory } from "../../model/deployments/release-history.ts";
import {
  fieldDifferences,
  formatFieldPath,
  valueAtPath,
} from "../../model/fields/field-differences.ts";
import { fieldOf, isList, isObject, type Json, sameJson } from "../../model/json.ts";
import { isKnownAfterDeploy } from "../../model/plan/apply-time-reference.ts";
import {
  type Attribution,
  type Attributions,
  type ChangeSource,
  changeSources,
  type FieldChange,
} from "../../model/plan/attribution.ts";
import type { Deletion } from "../../model/plan/deletion.ts";
import type { Change, Plan } from "../../model/plan/plan.ts";
import type { Compilation } from "../../model/sources/compilation.ts";
import { hideKeys, hideSteps } from "../../redaction/hidden-keys.ts";
import { redactedChange, withWrittenReferences } from "../../redaction/redacted-change.ts";
import { ignoredFields, isSoleOwner, lastAuthor, takenManagers, takesField } from "./authors.ts";
import {
  type CommitDifferences,
  commitDifferences,
  declaredFieldValue,
} from "./commit-differences.ts";
import { collectRecords, findSuccessions, type ReleaseRecords } from "./release-records.ts";

/** The facts in addition to the plan that attribution uses. */
export interface AttributionFacts {
  /**
   * The compilation of the base commit.
   * If a preview compares no commits, `base` is undefined, and `head` can be undefined too.
   */
  readonly base?: Compilation | undefined;
  readonly head?: Compilation | undefined;
  /**
   * The releases of this deployment itself.
   * Releases that another source recorded under its name explain nothing.
   */
  readonly history: ReleaseHistory;
}

/** Finds the source of everything that a plan changes. */
export function attribute(plan: Plan, { base, head, history }: AttributionFacts): Attributions {
  const records = collectRecords(history);
  const commits =
    base === undefined || head === undefined ? undefined : commitDifferences(base, head);
  const known: AttributionContext = { plan, records, commits, head };
  const changed = plan.changes.filter(({ action }) => action !== "unchanged");
  const ignoring = plan.changes.filter(({ action }) => action === "unchanged");
  return {
    release: records.release,
    ...(records.commit === undefined ? {} : { commit: records.commit }),
    changes: new Map([
      ...changed.map((change) => [change.key, attributeChange(change, known)] as const),
      ...ignoring.flatMap((change) => {
        const ignored = ignoredFields(change, known);
        const nothing = { source: undefined, fields: [] };
        return ignored.length === 0 ? [] : [[change.key, { ...nothing, ignored }] as const];
      }),
    ]),
    deletions: new Map(plan.deletions.map((each) => [each.key, deletionSource(each, known)])),
    successions: findSuccessions(plan, records),
  };
}

interface AttributionContext {
  readonly plan: Plan;
  readonly records: ReleaseRecords;
  readonly commits: CommitDifferences | undefined;
  readonly head: Compilation | undefined;
}

function attributeChange(change: Change, known: AttributionContext): Attribution {
  const ignored = ignoredFields(change, known);
  if (change.live === undefined) {
    return { ...creationSource(change, known), fields: [], ignored };
  }
  // The attribution would depend on a Secret's value.
  if (change.dryRunSkipped !== undefined) return { source: undefined, fields: [], ignored };
  const { hides = [] } = known.plan;
  // The records contain the fields by their names, which are hidden only in the result.
  const shown = redactedChange(change, hides, { keepsKeys: true });
  const written = { ...change, desired: withWrittenReferences(change.desired, change) };
  const fields = fieldDifferences(shown.before, shown.after)
    .filter(({ after }) => !isKnownAfterDeploy(after))
    .map(({ path, before, after }): FieldChange => {
      const { source, isDrifted } = decideSource(written, path, known);
      const isForeign = isDrifted || source === "adoption";
      const managers = source === "adoption" ? takenManagers(change) : undefined;
      const author = isForeign
        ? lastAuthor(change.live ?? change.desired, path, known.plan.deployment, managers)
        : undefined;
      // Another tool that also applies the object keeps its fields if qvs forces nothing.
      const isShared =
        source === "adoption" && managers === undefined && author?.operation === "Apply";
      const by = isShared ? undefined : author;
      return {
        path: formatFieldPath(hideSteps(hides, path)),
        steps: path,
        source,
        before: hideKeys(hides, before),
        after: hideKeys(hides, after),
        ...(by === undefined ? {} : { by }),
      };
    });
  const source = changeSources.find((each) => fields.some((field) => field.source === each));
  return { source, fields, ignored };
}

type Path = ReturnType<typeof fieldDifferences>[number]["path"];

interface AttributedSource {
  readonly source: ChangeSource;
  /** True if this deployment didn't write the live value. */
  readonly isDrifted: boolean;
}

/**
 * Decides the source of a field's change.
 * `change.desired` contains its references as written, like the records.
 */
function decideSource(
  change: Change,
  path: Path,
  { plan, records, commits }: AttributionContext,
): AttributedSource {
  const recorded = records.possiblyLive.get(change.key) ?? [];
  const values = recorded.map(({ object }) => declaredFieldValue(object, path));
  const [live, desired] = [
    valueAtPath(change.live, path),
    declaredFieldValue(change.desired, path),
  ];
  const differsInCommits = commits?.differs(change, path);
  const declared = declaredSource(differsInCommits);
  const isTaken = takesField(change, path);
  if (recorded.length === 0) {
    const isDeclared = desired !== undefined || differsInCommits === true;
    if (isTaken || (isDeclared && !isEverRecorded(change, records)))
      return { source: "adoption", isDrifted: true };
    return { source: isDeclared ? declared : "server", isDrifted: false };
  }
  if ([desired, ...values].every((each) => each === undefined)) {
    return { source: isTaken ? "adoption" : "server", isDrifted: false };
  }
  const isDrifted = !values.some((each) => matchesRecorded(live, each));
  const isSame = sameJson(desired, values[0]);
  if (!isSame || differsInCommits === true) return { source: declared, isDrifted };
  if (!isDrifted) {
    // A release that failed might have declared the value without deploying it.
    const isDeployed = matchesRecorded(live, values[0]) && !isReference(desired);
    return { source: isDeployed ? "server" : declared, isDrifted };
  }
  if (isTaken) return { source: "adoption", isDrifted };
  const byServer =
    live !== undefined &&
    change.live !== undefined &&
    isSoleOwner(change.live, path, plan.deployment);
  return { source: byServer ? "server" : "drift", isDrifted };
}

function declaredSource(commits: boolean | undefined): "undeployed" | "change" {
  return commits === false ? "undeployed" : "change";
}

/** Reports whether any release declared the object. */
function isEverRecorded({ key }: Change, { lastDeclared }: ReleaseRecords): boolean {
  return lastDeclared.has(key);
}

/**
 * Reports whether a live value is the recorded value, apart from fields that the API server filled
 * in.
 * A reference matches every live value.
 */
function matchesRecorded(live: Json | undefined, recorded: Json | undefined): boolean {
  if (isReference(recorded)) return true;
  if (isObject(recorded) && isObject(live)) {
    return Object.keys(recorded).every((name) =>
      matchesRecorded(fieldOf(live, name), fieldOf(recorded, name)),
    );
  }
  if (isList(recorded) && isList(live)) {
    return (
      recorded.length === live.length && recorded.every((item, i) => matchesRecorded(live[i], item))
    );
  }
  return sameJson(live, recorded);
}

function isReference(value: Json | undefined): boolean {
  return typeof value === "string" && value.includes("$(ref.");
}

/**
 * Returns the source of a creation.
 * If a deployed object is missing, a user or tool deleted it, or the cluster did because of its
 * TTL. An object that was never deployed is new.
 */
function creationSource(
  change: Change,
  { records, commits }: AttributionContext,
): Pick<Attribution, "source" | "deployedBy"> {
  // A hook of a deletion is no object of the deployment, even if an object had its name.
  if (change.hook !== undefined || commits?.isNew(change) === true) return { source: "change" };
  const deployed = records.possiblyLive.get(change.key)?.find(({ isDeployed }) => isDeployed);
  if (deployed !== undefined && records.release !== undefined) {
    const { object, revision } = deployed;
    if (isDoneWhenAbsent(object) && isDeletedByTtl(object)) {
      const isSame = sameJson(withWrittenReferences(change.desired, change).spec, object.spec);
      return { source: isSame ? "server" : declaredSource(commits?.differs(change, ["spec"])) };
    }
    return { source: "drift", deployedBy: revision };
  }
  return { source: commits === undefined ? "change" : "undeployed" };
}

function deletionSource(deletion: Deletion, { commits }: AttributionContext): ChangeSource {
  return commits === undefined || commits.isRemoved(deletion) ? "change" : "undeployed";
}
