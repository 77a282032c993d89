import type { DeployEvent } from "../../model/event.ts";

/** The state of an object of the plan, by the events so far. */
export type ObjectState =
  | "applying"
  | "waiting"
  | "deleting"
  | "created"
  | "updated"
  | "replaced"
  | "unchanged"
  | "deleted"
  | "kept"
  | "failed";

export interface ShownObject {
  readonly key: string;
  readonly section: string;
  readonly state: ObjectState;
  /** What is being done while it is applied: creating, replacing, adopting from kubectl … */
  readonly doing: string;
  /** What it will be once it is ready. */
  readonly becomes: "created" | "updated" | "replaced" | "unchanged" | "deleted";
  /** Why it waits, failed or was kept; a notice when it is ready. */
  readonly why: string;
  /** It waits, and the cluster complains. */
  readonly isTroubled: boolean;
  /** Milliseconds since the epoch. */
  readonly since: number;
  readonly ended: number | undefined;
}

/** All that is shown of a running deployment: the sum of its events. Objects are in the order of their first event. */
export interface DeployProgress {
  readonly started: number;
  readonly total: number | undefined;
  /** The time limit of each rollout, in milliseconds. */
  readonly timeoutMs: number | undefined;
  readonly revision: number | undefined;
  /** The release that is brought back. */
  readonly backTo: number | undefined;
  readonly lockHolder: string | undefined;
  /** What is done before there is a plan, or instead of one. */
  readonly preparing: "compiling" | "planning" | "watching" | undefined;
  /** Whether the run was asked to stop. */
  readonly stopping: boolean;
  readonly section: string;
  /** Changed in place: with thousands of objects, a copy for each event would take longer than deploying them. */
  readonly objects: Map<string, ShownObject>;
  readonly ending: "succeeded" | "failed" | "cancelled" | "superseded" | undefined;
  readonly ended: number | undefined;
}

export function noProgress(now: number): DeployProgress {
  return {
    started: now,
    total: undefined,
    timeoutMs: undefined,
    revision: undefined,
    backTo: undefined,
    lockHolder: undefined,
    preparing: undefined,
    stopping: false,
    section: "",
    objects: new Map(),
    ending: undefined,
    ended: undefined,
  };
}

export function withEvent(
  progress: DeployProgress,
  event: DeployEvent,
  now: number,
): DeployProgress {
  switch (event.type) {
    case "preparing":
      return { ...progress, preparing: event.step, lockHolder: undefined };
    case "lock-asked":
      return progress;
    case "stopping":
    case "giving-way":
      return { ...progress, stopping: true };
    case "planned":
      return {
        ...progress,
        preparing: undefined,
        total: event.upserts + event.deletions + event.unchanged,
        timeoutMs: event.timeoutMs,
      };
    case "lock-waiting":
      return { ...progress, lockHolder: event.holder };
    case "lock-kept":
      return progress;
    case "recorded":
      return { ...progress, revision: event.revision, lockHolder: undefined };
    case "stage-started":
      return { ...progress, section: event.stage, lockHolder: undefined };
    case "rolling-back":
      return { ...progress, backTo: event.revision };
    // What has failed is told already.
    case "going-back":
      return { ...noProgress(now), started: progress.started };
    case "finished":
      return { ...progress, ending: event.ending, ended: now };
    default:
      return withObjectEvent(progress, event, now);
  }
}

export const doing = {
  create: "creating",
  update: "updating",
  replace: "replacing",
  unchanged: "unchanged",
} as const;

/** Returns `taking ownership from helm, kubectl`. */
export function transferText(managers: readonly string[]): string {
  return `taking ownership from ${managers.join(", ")}`;
}

/** What an object is once that was done to it. */
export const done = {
  create: "created",
  update: "updated",
  replace: "replaced",
  unchanged: "unchanged",
} as const;

type ObjectEvent = Extract<DeployEvent, { readonly key: string }>;

function withObjectEvent(
  progress: DeployProgress,
  event: ObjectEvent,
  now: number,
): DeployProgress {
  const before = progress.objects.get(event.key) ?? newObject(progress, event.key, now);
  const after = { ...before, isTroubled: false, ...changeBy(event, before, now) };
  progress.objects.set(event.key, after);
  return event.type === "deleting" ? { ...progress, section: "deletions" } : progress;
}

function newObject({ section }: DeployProgress, key: string, now: number): ShownObject {
  const unchanged = { state: "waiting", becomes: "unchanged" } as const;
  return {
    ...unchanged,
    key,
    section,
    doing: "applying",
    why: "",
    isTroubled: false,
    since: now,
    ended: undefined,
  };
}

function changeBy(event: ObjectEvent, before: ShownObject, now: number): Partial<ShownObject> {
  switch (event.type) {
    case "applying": {
      const text =
        event.transfers === undefined ? doing[event.action] : transferText(event.transfers);
      return { state: "applying", doing: text, becomes: done[event.action] };
    }
    case "applied":
      return { state: "waiting", why: "", becomes: done[event.action] };
    case "waiting":
      return {
        state: before.becomes === "deleted" ? "deleting" : "waiting",
        why: event.why,
        isTroubled: event.isTrouble ?? false,
      };
    case "ready":
      return { state: before.becomes, why: event.notice ?? "", ended: now };
    case "failed":
      return { state: "failed", why: event.why, ended: now };
    case "deleting":
      return {
        state: "deleting",
        becomes: "deleted",
        section: "deletions",
        since: now,
        why: "",
      };
    case "deleted":
      return { state: "deleted", why: "", ended: now };
    case "kept":
      return { state: "kept", section: "deletions", why: event.why, ended: now };
  }
}

export function isRunning(object: ShownObject): boolean {
  return object.ended === undefined;
}
