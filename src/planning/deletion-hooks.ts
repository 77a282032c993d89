import type { Release } from "../model/deployments/release.ts";
import { isDeletionRelease, type ReleaseHistory } from "../model/deployments/release-history.ts";
import { setField } from "../model/fields/field-differences.ts";
import { type JsonObject, textAt } from "../model/json.ts";
import { idOf, isKubeObject, keyOf, nameOf } from "../model/object.ts";
import {
  type DeletionHook,
  hookEventPath,
  hookRefusal,
  noHooksFix,
  otherNoHooksFix,
} from "../model/plan/deletion.ts";
import type { Problem } from "../model/problems/problem.ts";
import type { Manifest } from "../model/sources/compilation.ts";
import { hiddenInAny } from "../releases/queries/hidden-strings.ts";
import type { DesiredState } from "./desired-state.ts";
import type { PlannedDeployment } from "./planned-deployment.ts";
import type { PlanningContext } from "./planning-context.ts";

/**
 * Adds the hooks that a deletion runs to its desired state. They are those of the current release,
 * or of the newest one if none succeeded. A deletion that kept objects has already run them. A
 * preview environment runs none: an unattended run deletes its whole namespace.
 * All plans of the deletion hide the secrets of all releases, because a live hook can be from any.
 */
export function withDeletionHooks(
  desired: DesiredState,
  history: ReleaseHistory,
  { request, deployment }: Pick<PlanningContext, "request" | "deployment">,
): DesiredState {
  const environment = deployment.environmentOf ?? history.newest?.environment;
  if (desired.deletes !== true || !request.runsHooks || environment !== undefined) return desired;
  const release = hookRelease(history);
  const { deletionHooks = [] } = release ?? {};
  if (release === undefined || deletionHooks.length === 0) return desired;
  return {
    ...desired,
    // A later attempt finds the hooks even if the release that declared them was pruned.
    deletionHooks,
    manifests: hookManifests(deletionHooks.map((hook) => ofRelease(hook, release))),
    unsupported: [...nameProblems(deletionHooks, history), ...refusals(deletionHooks)],
    hides: hiddenInAny(history.releases),
  };
}

function hookRelease({ current, releases }: ReleaseHistory): Release | undefined {
  if (current !== undefined) return isDeletionRelease(current) ? undefined : current;
  return (
    releases.find((release) => !isDeletionRelease(release)) ??
    releases.find(({ deletionHooks }) => deletionHooks !== undefined)
  );
}

/** Names the release in the Pod template of a Job, so that the Job of an earlier one runs again. */
function ofRelease({ event, object, ...hook }: DeletionHook, { revision }: Release): DeletionHook {
  if (textAt(object, ...hookEventPath) !== event) return { event, object, ...hook };
  const text = `${event} of release ${revision}`;
  return { event, object: setField(object, hookEventPath, text) as JsonObject, ...hook };
}

/** Returns the hooks as manifests. Each one waits for the one before it, at the same event. */
export function hookManifests(hooks: readonly DeletionHook[]): readonly Manifest[] {
  return hooks.map(({ event, object }, index): Manifest => {
    const before = hooks[index - 1];
    const waits = before?.event === event ? [resourceId(before)] : [];
    return {
      type: "manifest",
      stage: "app",
      id: resourceId({ event, object }),
      object,
      dependsOn: waits,
      // Charts are rendered, so that no string is a reference.
      isLiteral: true,
      hook: { event },
    };
  });
}

/** Adds the flag that leaves out hooks to each error about one. */
export function withHookAdvice<P extends PlannedDeployment>(
  planned: P,
  { deletes, manifests }: DesiredState,
): P {
  if (planned.executable || deletes !== true || manifests.length === 0) return planned;
  const hooks = new Set(
    manifests.flatMap(({ object }) => (isKubeObject(object) ? [nameOf(idOf(object))] : [])),
  );
  const isAboutHook = ({ subjects = [] }: Problem) => subjects.some((name) => hooks.has(name));
  const blockers = planned.blockers.map((problem) =>
    isAboutHook(problem) && problem.fix !== noHooksFix
      ? { ...problem, otherwise: [...(problem.otherwise ?? []), otherNoHooksFix] }
      : problem,
  );
  return { ...planned, blockers };
}

/** Returns `pre-delete/job/shop/cleanup`. */
function resourceId({ event, object }: Pick<DeletionHook, "event" | "object">): string {
  const fields = [["kind"], ["metadata", "namespace"], ["metadata", "name"]];
  const parts = fields.map((path) => textAt(object, ...path) ?? "");
  return [event, ...parts.filter((part) => part !== "")].join("/").toLowerCase();
}

/**
 * Returns the errors for hooks with the name of an object that a deployment might have left in the
 * cluster. Only an earlier attempt of the deletion can have created an object of a hook.
 */
function nameProblems(
  hooks: readonly DeletionHook[],
  { possiblyLive }: ReleaseHistory,
): readonly Problem[] {
  const releases = possiblyLive.filter((release) => !isDeletionRelease(release));
  const deployed = new Set([
    ...releases.flatMap(({ expandedConfig }) =>
      expandedConfig.flatMap(({ object }) => keyIn(object)),
    ),
    ...releases.flatMap(({ inventory }) => inventory.map(({ id }) => keyOf(id))),
  ]);
  return hooks.flatMap(({ event, object }) => {
    if (!isKubeObject(object) || !keyIn(object).some((key) => deployed.has(key))) return [];
    const name = nameOf(idOf(object));
    return [
      {
        code: "duplicate-object",
        subjects: [name],
        what: `Hook ${name} has the name of an object of the deployment`,
        facts: [{ label: "event", value: event }],
        why: "The hook would change that object",
        fix: noHooksFix,
        otherwise: ["give the hook another name in the chart, deploy it, then delete again"],
        where: [],
      },
    ];
  });
}

/**
 * Returns the errors for recorded hooks that qvs never records. A user changed the record.
 */
function refusals(hooks: readonly DeletionHook[]): readonly Problem[] {
  return hooks.flatMap(({ event, object }) => {
    const why = hookRefusal(object);
    if (why === undefined) return [];
    const name = isKubeObject(object) ? nameOf(idOf(object)) : event;
    return [
      {
        code: "release-record-unreadable" as const,
        subjects: [name],
        what: `No deletion can run hook ${name}`,
        facts: [{ label: "event", value: event }],
        why,
        fix: noHooksFix,
        otherwise: ["find out who changed the release"],
        where: [],
      },
    ];
  });
}

function keyIn(object: JsonObject): readonly string[] {
  return isKubeObject(object) ? [keyOf(idOf(object))] : [];
}
