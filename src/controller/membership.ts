import { managedByLabel, managedByValue } from "../model/annotations.ts";
import type { ApiResult } from "../model/cluster/api/api-failure.ts";
import { textAt } from "../model/json.ts";
import { addressOf, type KubeObject, uidOf } from "../model/object.ts";
import type { Clock } from "../ports/clock.ts";
import type { Cluster } from "../ports/kubernetes.ts";

type MembershipLeases = Pick<Cluster, "create" | "read" | "replace" | "list" | "delete">;

export interface MembershipOptions {
  readonly cluster: MembershipLeases;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** The namespace of the Leases. */
  readonly namespace: string;
  /** The group of replicas that share the work. A DNS label. */
  readonly group: string;
  /** The unique identity of this replica. */
  readonly identity: string;
  /** The time that a Lease is valid without a renewal, in milliseconds. */
  readonly leaseMs: number;
  /** Called after each change of the members, with an empty set if this replica isn't a member. */
  onChange(members: ReadonlySet<string>): void;
  /** Called if a renewal or a read of the Leases fails. */
  onTrouble(message: string): void;
}

/** The replicas that share the work, from the view of this replica. */
export interface Membership {
  /**
   * Reports whether this replica can start work.
   * It also checks the time, because a suspended process continues before its timers run.
   */
  isMember(): boolean;
  members(): ReadonlySet<string>;
  /** Resolves after the signal aborts and the replica has deleted its Lease. */
  readonly ended: Promise<void>;
}

const groupLabel = "vs.axis-dev.io/controller-group";

/**
 * Joins the replicas. Each replica holds its own Lease and reads the other Leases.
 * The rules are those of client-go's leader election
 * (https://pkg.go.dev/k8s.io/client-go/tools/leaderelection). A replica is alive if its Lease
 * changed within its duration, by the local clock. A replica that can't renew its Lease steps down
 * before the others consider it dead.
 */
export function joinGroup(options: MembershipOptions): Membership {
  const state: MembershipState = { own: undefined, seen: new Map(), members: new Set() };
  const isMember = () => state.members.has(options.identity) && isFresh(state, options);
  const ended = keepRenewing(state, options);
  return { isMember, members: () => (isMember() ? state.members : none), ended };
}

const none: ReadonlySet<string> = new Set();

interface MembershipState {
  /** The last written Lease of this replica, and the time of that request. */
  own: { readonly lease: KubeObject; readonly renewedAt: number } | undefined;
  /** The Leases of the other replicas, by uid. */
  seen: Map<string, SeenLease>;
  members: ReadonlySet<string>;
}

interface SeenLease {
  readonly lease: KubeObject;
  /** The time when this state was first seen, in milliseconds of the local clock. */
  readonly since: number;
}

/**
 * Parts of the Lease duration: the renewal interval, the time until the step-down, and the time
 * until a dead replica's Lease is deleted.
 */
const renewalPart = 1 / 3;
const stepDownPart = 2 / 3;
const leftoverParts = 20;

function isFresh({ own }: MembershipState, { clock, leaseMs }: MembershipOptions): boolean {
  return own !== undefined && clock.elapsed() - own.renewedAt < leaseMs * stepDownPart;
}

async function keepRenewing(state: MembershipState, options: MembershipOptions): Promise<void> {
  const { clock, signal, leaseMs } = options;
  while (!signal.aborted) {
    await renewAndRefresh(state, options);
    await clock.sleep(leaseMs * renewalPart, signal).catch(() => {});
  }
  // The end of this replica isn't a loss, so it isn't reported.
  state.members = none;
  if (state.own !== undefined) {
    await options.cluster.delete(addressOf(state.own.lease), uidOf(state.own.lease));
  }
}

/**
 * Renews the Lease and reads the others. A late answer changes nothing, because the time of the
 * last renewal decides.
 */
async function renewAndRefresh(state: MembershipState, options: MembershipOptions): Promise<void> {
  const { clock, leaseMs } = options;
  const sentTime = clock.elapsed();
  const stop = new AbortController();
  const stepDown = clock.sleep(leaseMs * (stepDownPart - renewalPart), stop.signal).then(
    () => {
      if (!isFresh(state, options)) reportMembers(state, none, options);
    },
    () => {},
  );
  const renewed = await renew(state, options);
  // A caller might have seen no members just before this answer. Unless the loss is reported, the
  // return isn't reported either.
  if (!isFresh(state, options)) reportMembers(state, none, options);
  if (renewed.ok) state.own = { lease: renewed.value, renewedAt: sentTime };
  else options.onTrouble(renewed.failure.message);
  if (renewed.ok) await refreshPeers(state, options);
  stop.abort();
  await stepDown;
  reportMembers(state, isFresh(state, options) ? aliveMembers(state, options) : none, options);
}

/** Renews the Lease. A replica whose Lease the others deleted creates a new one. */
async function renew(
  { own }: MembershipState,
  options: MembershipOptions,
): Promise<ApiResult<KubeObject>> {
  const { cluster, clock } = options;
  const lease = buildLease(options, clock.now(), own?.lease);
  if (own !== undefined) {
    const replaced = await cluster.replace(lease);
    if (replaced.ok || !["conflict", "not-found"].includes(replaced.failure.reason)) {
      return replaced;
    }
  }
  const fresh = buildLease(options, clock.now(), undefined);
  const created = await cluster.create(fresh);
  if (created.ok || created.failure.reason !== "already-exists") return created;
  // An answer was lost, or a user changed the Lease. No other replica uses this name.
  const live = await cluster.read(addressOf(fresh));
  if (!live.ok) return live;
  return live.value === undefined
    ? created
    : cluster.replace(buildLease(options, clock.now(), live.value));
}

async function refreshPeers(state: MembershipState, options: MembershipOptions): Promise<void> {
  const { cluster, clock, namespace, group, identity, leaseMs } = options;
  const selector = `${groupLabel}=${group}`;
  const listed = await cluster.list("coordination.k8s.io/v1", "Lease", namespace, selector);
  // Without this list, no replica is known to be dead. The members stay the same.
  if (!listed.ok) return options.onTrouble(listed.failure.message);
  const now = clock.elapsed();
  const others = listed.value.items.filter((lease) => leaseHolder(lease) !== identity);
  state.seen = new Map(
    others.map((lease) => [uidOf(lease), updateSeen(lease, state.seen.get(uidOf(lease)), now)]),
  );
  for (const { lease, since } of state.seen.values()) {
    const isLeftover = now - since >= leaseMs * leftoverParts;
    const version = textAt(lease, "metadata", "resourceVersion");
    if (isLeftover) await cluster.delete(addressOf(lease), uidOf(lease), version);
  }
}

function updateSeen(lease: KubeObject, before: SeenLease | undefined, now: number): SeenLease {
  const isSame = before !== undefined && renewalKey(before.lease) === renewalKey(lease);
  return isSame ? { ...before, lease } : { lease, since: now };
}

function renewalKey(lease: KubeObject): string {
  return `${leaseHolder(lease)} ${textAt(lease, "spec", "renewTime") ?? ""}`;
}

function aliveMembers({ seen }: MembershipState, { clock, identity, leaseMs }: MembershipOptions) {
  const now = clock.elapsed();
  const alive = [...seen.values()].filter(
    ({ lease, since }) => leaseHolder(lease) !== "" && now - since < leaseMs,
  );
  return new Set([identity, ...alive.map(({ lease }) => leaseHolder(lease))].toSorted());
}

function reportMembers(
  state: MembershipState,
  members: ReadonlySet<string>,
  options: MembershipOptions,
): void {
  const isSame = [...members].join() === [...state.members].join();
  state.members = members;
  if (!isSame) options.onChange(members);
}

function leaseHolder(lease: KubeObject): string {
  return textAt(lease, "spec", "holderIdentity") ?? "";
}

function buildLease(
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

/** Formats a time with six fractional digits, as the API requires. */
function microTime(time: ReturnType<Clock["now"]>): string {
  return time.toISOString().replace("Z", "000Z");
}
