import type { DeployEvent } from "../../model/event.ts";

/** Where an object of the plan stands, as told by the events so far. */
export type Standing =
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
  readonly standing: Standing;
  /** What is being done while it is applied: creating, replacing, adopting from kubectl … */
  readonly doing: string;
  /** What it will be once it is ready. */
  readonly becomes: "created" | "updated" | "replaced" | "unchanged" | "deleted";
  /** Why it waits, failed or was kept; a notice when it is ready. */
  readonly why: string;
  /** Milliseconds since the epoch. */
  readonly since: number;
  readonly ended: number | undefined;
}

/** Everything that is shown of a deployment: the sum of its events. Objects are in the order of their first event. */
export interface Picture {
  readonly started: number;
  readonly total: number | undefined;
  readonly revision: number | undefined;
  readonly lockHolder: string | undefined;
  /** What is done before there is a plan. */
  readonly preparing: "compiling" | "planning" | undefined;
  /** Whether somebody wants the run to end. */
  readonly stopping: boolean;
  readonly section: string;
  /** Changed in place: of thousands of objects, a copy for each event would take longer than deploying them. */
  readonly objects: Map<string, ShownObject>;
  readonly ending: "succeeded" | "failed" | "cancelled" | undefined;
  readonly ended: number | undefined;
}

export function emptyPicture(now: number): Picture {
  return {
    started: now,
    total: undefined,
    revision: undefined,
    lockHolder: undefined,
    preparing: undefined,
    stopping: false,
    section: "",
    objects: new Map(),
    ending: undefined,
    ended: undefined,
  };
}

export function withEvent(picture: Picture, event: DeployEvent, now: number): Picture {
  switch (event.type) {
    case "preparing":
      return { ...picture, preparing: event.step, lockHolder: undefined };
    case "stopping":
      return { ...picture, stopping: true };
    case "planned":
      return {
        ...picture,
        preparing: undefined,
        total: event.upserts + event.deletions + event.unchanged,
      };
    case "lock-waiting":
      return { ...picture, lockHolder: event.holder };
    case "recorded":
      return { ...picture, revision: event.revision, lockHolder: undefined };
    case "stage-started":
      return { ...picture, section: event.stage, lockHolder: undefined };
    case "finished":
      return { ...picture, ending: event.ending, ended: now };
    default:
      return withObjectEvent(picture, event, now);
  }
}

export const doing = {
  create: "creating",
  update: "updating",
  replace: "replacing",
  unchanged: "unchanged",
} as const;

/** `taking over from helm, kubectl`. */
export function adoption(managers: readonly string[]): string {
  return `taking over from ${managers.join(", ")}`;
}

/** What an object is once that was done to it. */
export const done = {
  create: "created",
  update: "updated",
  replace: "replaced",
  unchanged: "unchanged",
} as const;

type ObjectEvent = Extract<DeployEvent, { readonly key: string }>;

function withObjectEvent(picture: Picture, event: ObjectEvent, now: number): Picture {
  const before = picture.objects.get(event.key) ?? newcomer(picture, event.key, now);
  const after = { ...before, ...changeBy(event, before, now) };
  picture.objects.set(event.key, after);
  return event.type === "deleting" ? { ...picture, section: "deletions" } : picture;
}

function newcomer({ section }: Picture, key: string, now: number): ShownObject {
  const unchanged = { standing: "waiting", becomes: "unchanged" } as const;
  return { ...unchanged, key, section, doing: "applying", why: "", since: now, ended: undefined };
}

function changeBy(event: ObjectEvent, before: ShownObject, now: number): Partial<ShownObject> {
  switch (event.type) {
    case "applying": {
      const text = event.adopts === undefined ? doing[event.action] : adoption(event.adopts);
      return { standing: "applying", doing: text, becomes: done[event.action] };
    }
    case "applied":
      return { standing: "waiting", why: "", becomes: done[event.action] };
    case "waiting":
      return { standing: before.becomes === "deleted" ? "deleting" : "waiting", why: event.why };
    case "ready":
      return { standing: before.becomes, why: event.notice ?? "", ended: now };
    case "failed":
      return { standing: "failed", why: event.why, ended: now };
    case "deleting":
      return {
        standing: "deleting",
        becomes: "deleted",
        section: "deletions",
        since: now,
        why: "",
      };
    case "deleted":
      return { standing: "deleted", why: "", ended: now };
    case "kept":
      return { standing: "kept", section: "deletions", why: event.why, ended: now };
  }
}

export function isRunning(object: ShownObject): boolean {
  return object.ended === undefined;
}
