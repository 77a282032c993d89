import { managedByLabel, managedByValue } from "../model/annotations.ts";
import type { Answer } from "../model/cluster/api-failure.ts";
import { textAt } from "../model/json.ts";
import { addressOf, type KubeObject, uidOf } from "../model/object.ts";
import type { Clock } from "../ports/clock.ts";
import type { Cluster } from "../ports/kubernetes.ts";

type LeaseStore = Pick<Cluster, "create" | "read" | "replace" | "list" | "delete">;

export interface MembershipOptions {
  readonly cluster: LeaseStore;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Where the Leases are. */
  readonly namespace: string;
  /** Replicas of one group share the work. DNS label. */
  readonly group: string;
  /** Of this replica; no other may have it. */
  readonly identity: string;
  /** How long a Lease holds without a renewal, in milliseconds. */
  readonly leaseMs: number;
  /** Told whenever the members have changed, with none where we are none ourselves. */
  onChange(members: ReadonlySet<string>): void;
  /** Told when a renewal fails. */
  onTrouble(message: string): void;
}

/** Which replicas share the work, as seen by this one. */
export interface Membership {
  /** Whether this replica may begin work: by the time, too, since a process that was stopped wakes up before its timers. */
  isMember(): boolean;
  members(): ReadonlySet<string>;
  /** Ends with the signal, its Lease given back. */
  readonly ended: Promise<void>;
}

const groupLabel = "vs.axis-dev.io/controller-group";

/**
 * Each replica holds a Lease of its own and looks at those of the others, by the rules of client-go's leader election
 * (https://pkg.go.dev/k8s.io/client-go/tools/leaderelection): one is alive as long as its Lease was seen to change within its
 * duration, by our own clock; who cannot renew its own steps down before the others count it out.
 */
export function joinGroup(options: MembershipOptions): Membership {
  const state: State = { own: undefined, seen: new Map(), members: new Set() };
  const isMember = () => state.members.has(options.identity) && isFresh(state, options);
  const ended = keepRenewing(state, options);
  return { isMember, members: () => (isMember() ? state.members : none), ended };
}

const none: ReadonlySet<string> = new Set();

interface State {
  /** Our Lease as it was written last, and when that was sent. */
  own: { readonly lease: KubeObject; readonly renewedAt: number } | undefined;
  /** The Leases of others, by uid. */
  seen: Map<string, Seen>;
  members: ReadonlySet<string>;
}

interface Seen {
  readonly lease: KubeObject;
  /** When it was first seen in this state, in milliseconds by our clock. */
  readonly since: number;
}

/** Parts of the duration of a Lease: how often it is renewed, how long one may try, and how long leftovers of the dead stay. */
const renewalPart = 1 / 3;
const stepDownPart = 2 / 3;
const leftoverParts = 20;

function isFresh({ own }: State, { clock, leaseMs }: MembershipOptions): boolean {
  return own !== undefined && clock.elapsed() - own.renewedAt < leaseMs * stepDownPart;
}

async function keepRenewing(state: State, options: MembershipOptions): Promise<void> {
  const { clock, signal, leaseMs } = options;
  while (!signal.aborted) {
    await renewAndLook(state, options);
    await clock.sleep(leaseMs * renewalPart, signal).catch(() => {});
  }
  // This is no loss to tell of.
  state.members = none;
  if (state.own !== undefined) {
    await options.cluster.delete(addressOf(state.own.lease), uidOf(state.own.lease));
  }
}

/** One round. An answer that comes too late changes nothing: the time of the last renewal decides. */
async function renewAndLook(state: State, options: MembershipOptions): Promise<void> {
  const { clock, leaseMs } = options;
  const sentAt = clock.elapsed();
  const stop = new AbortController();
  const stepDown = clock.sleep(leaseMs * (stepDownPart - renewalPart), stop.signal).then(
    () => {
      if (!isFresh(state, options)) tell(state, none, options);
    },
    () => {},
  );
  const renewed = await renew(state, options);
  // Whoever asked in the moment before this answer was told that we are none: without a loss nobody would hear of the return.
  if (!isFresh(state, options)) tell(state, none, options);
  if (renewed.ok) state.own = { lease: renewed.value, renewedAt: sentAt };
  else options.onTrouble(renewed.failure.message);
  if (renewed.ok) await look(state, options);
  stop.abort();
  await stepDown;
  tell(state, isFresh(state, options) ? aliveOf(state, options) : none, options);
}

/** Whoever wakes up after others have deleted its Lease takes a new one. */
async function renew({ own }: State, options: MembershipOptions): Promise<Answer<KubeObject>> {
  const { cluster, clock } = options;
  const lease = leaseOf(options, clock.now(), own?.lease);
  if (own !== undefined) {
    const replaced = await cluster.replace(lease);
    if (replaced.ok || !["conflict", "not-found"].includes(replaced.failure.reason)) {
      return replaced;
    }
  }
  const fresh = leaseOf(options, clock.now(), undefined);
  const created = await cluster.create(fresh);
  if (created.ok || created.failure.reason !== "already-exists") return created;
  // An answer of ours was lost, or somebody has changed our Lease: its name is nobody else's.
  const live = await cluster.read(addressOf(fresh));
  if (!live.ok) return live;
  return live.value === undefined
    ? created
    : cluster.replace(leaseOf(options, clock.now(), live.value));
}

async function look(state: State, options: MembershipOptions): Promise<void> {
  const { cluster, clock, namespace, group, identity, leaseMs } = options;
  const selector = `${groupLabel}=${group}`;
  const listed = await cluster.list("coordination.k8s.io/v1", "Lease", namespace, selector);
  // Without a look nobody is known to have died: those who were alive still are.
  if (!listed.ok) return options.onTrouble(listed.failure.message);
  const now = clock.elapsed();
  const others = listed.value.items.filter((lease) => holderOf(lease) !== identity);
  state.seen = new Map(
    others.map((lease) => [uidOf(lease), seenAgain(lease, state.seen.get(uidOf(lease)), now)]),
  );
  for (const { lease, since } of state.seen.values()) {
    const isLeftover = now - since >= leaseMs * leftoverParts;
    const version = textAt(lease, "metadata", "resourceVersion");
    if (isLeftover) await cluster.delete(addressOf(lease), uidOf(lease), version);
  }
}

function seenAgain(lease: KubeObject, before: Seen | undefined, now: number): Seen {
  const isSame = before !== undefined && renewalOf(before.lease) === renewalOf(lease);
  return isSame ? { ...before, lease } : { lease, since: now };
}

function renewalOf(lease: KubeObject): string {
  return `${holderOf(lease)} ${textAt(lease, "spec", "renewTime") ?? ""}`;
}

function aliveOf({ seen }: State, { clock, identity, leaseMs }: MembershipOptions) {
  const now = clock.elapsed();
  const alive = [...seen.values()].filter(
    ({ lease, since }) => holderOf(lease) !== "" && now - since < leaseMs,
  );
  return new Set([identity, ...alive.map(({ lease }) => holderOf(lease))].toSorted());
}

function tell(state: State, members: ReadonlySet<string>, options: MembershipOptions): void {
  const isSame = [...members].join() === [...state.members].join();
  state.members = members;
  if (!isSame) options.onChange(members);
}

function holderOf(lease: KubeObject): string {
  return textAt(lease, "spec", "holderIdentity") ?? "";
}

function leaseOf(
  { namespace, group, identity, leaseMs }: MembershipOptions,
  now: ReturnType<Clock["now"]>,
  previous: KubeObject | undefined,
): KubeObject {
  const resourceVersion = previous && textAt(previous, "metadata", "resourceVersion");
  const acquired = previous && textAt(previous, "spec", "acquireTime");
  return {
    apiVersion: "coordination.k8s.io/v1",
    kind: "Lease",
    metadata: {
      name: `${group}-${identity}`,
      namespace,
      labels: { [managedByLabel]: managedByValue, [groupLabel]: group },
      ...(resourceVersion === undefined ? {} : { resourceVersion }),
    },
    spec: {
      holderIdentity: identity,
      leaseDurationSeconds: Math.ceil(leaseMs / 1000),
      acquireTime: acquired ?? microTime(now),
      renewTime: microTime(now),
    },
  };
}

/** The API demands exactly six digits of a second. */
function microTime(time: ReturnType<Clock["now"]>): string {
  return time.toISOString().replace("Z", "000Z");
}
