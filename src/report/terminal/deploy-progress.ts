import type { DeployEvent, PreparationStep } from "../../model/deployments/event.ts";

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

export interface ProgressObject {
  readonly key: string;
  readonly section: string;
  readonly state: ObjectState;
  /** The current action: creating, replacing, adopting from kubectl and so on. */
  readonly doing: string;
  /** The state after it is ready. */
  readonly becomes: "created" | "updated" | "replaced" | "unchanged" | "deleted";
  /** The reason for waiting, failing or keeping; a notice if it is ready. */
  readonly why: string;
  /** True if it waits and the cluster reports a problem. */
  readonly isTroubled: boolean;
  /** Milliseconds since the epoch. */
  readonly since: number;
  readonly ended: number | undefined;
  /** Its own time limit, in milliseconds. Undefined for the limit of the run. */
  readonly timeoutMs: number | undefined;
}

/** The display state of a running deployment, computed from its events. */
export interface DeployProgress {
  readonly started: number;
  readonly total: number | undefined;
  /** The time limit of each rollout, in milliseconds. */
  readonly timeoutMs: number | undefined;
  readonly revision: number | undefined;
  /** The target release of a rollback. */
  readonly rollbackTarget: number | undefined;
  readonly lockHolder: string | undefined;
  /** The work before a plan exists, or instead of a plan. */
  readonly preparing: PreparationStep | undefined;
  /** True if the run was asked to stop. */
  readonly stopping: boolean;
  readonly section: string;
  /**
   * The objects in the order of their first event. The map is changed in place, because with
   * thousands of objects a copy for each event would take longer than the deployment.
   */
  readonly objects: Map<string, ProgressObject>;
  readonly ending: "succeeded" | "failed" | "cancelled" | "superseded" | undefined;
  readonly ended: number | undefined;
}

export function initialProgress(now: number): DeployProgress {
  return {
    started: now,
    total: undefined,
    timeoutMs: undefined,
    revision: undefined,
    rollbackTarget: undefined,
    lockHolder: undefined,
    preparing: undefined,
    stopping: false,
    section: "",
    objects: new Map(),
    ending: undefined,
    ended: undefined,
  };
}

export function updateProgress(
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
      return { ...progress, rollbackTarget: event.revision };
    // The failure is already printed.
    case "going-back":
      return { ...initialProgress(now), started: progress.started };
    case "finished":
      return { ...progress, ending: event.ending, ended: now };
    default:
      return withObjectEvent(progress, event, now);
  }
}

export const presentVerbs = {
  create: "creating",
  update: "updating",
  replace: "replacing",
  unchanged: "unchanged",
} as const;

/** Returns `taking ownership from helm, kubectl`. */
export function transferText(managers: readonly string[]): string {
  return `taking ownership from ${managers.join(", ")}`;
}

/** The state of an object after each action. */
export const pastVerbs = {
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
  const after = { ...before, isTroubled: false, ...applyEvent(event, before, now) };
  progress.objects.set(event.key, after);
  return event.type === "deleting" ? { ...progress, section: "deletions" } : progress;
}

function newObject({ section }: DeployProgress, key: string, now: number): ProgressObject {
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
    timeoutMs: undefined,
  };
}

function applyEvent(
  event: ObjectEvent,
  before: ProgressObject,
  now: number,
): Partial<ProgressObject> {
  switch (event.type) {
    case "applying": {
      const text =
        event.transfers === undefined ? presentVerbs[event.action] : transferText(event.transfers);
      return { state: "applying", doing: text, becomes: pastVerbs[event.action] };
    }
    case "applied":
      return { state: "waiting", why: "", becomes: pastVerbs[event.action] };
    case "waiting":
      return {
        state: before.becomes === "deleted" ? "deleting" : "waiting",
        why: event.why,
        isTroubled: event.isTrouble ?? false,
        timeoutMs: event.timeoutMs,
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

export function isRunning(object: ProgressObject): boolean {
  return object.ended === undefined;
}
