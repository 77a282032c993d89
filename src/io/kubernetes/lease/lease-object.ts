import { deploymentLabel, managedByLabel, managedByValue } from "../../../model/annotations.ts";
import { leaseOf, leaseSeconds } from "../../../model/cluster/deployment-lock.ts";
import { isObject, numberAt, textAt } from "../../../model/json.ts";
import type { KubeObject, ObjectAddress } from "../../../model/object.ts";

export function leaseAddress(deployment: string, namespace: string): ObjectAddress {
  return leaseOf({ name: deployment, namespace });
}

/**
 * Returns a Lease that `holder` holds from `now` on. With `previous`, the API server accepts it
 * only if that Lease hasn't changed.
 */
export function heldLease(
  deployment: string,
  namespace: string,
  holder: string,
  now: Date,
  previous?: KubeObject,
  annotations?: Readonly<Record<string, string>>,
): KubeObject {
  const { apiVersion, kind, name } = leaseAddress(deployment, namespace);
  const transitions = previous === undefined ? 0 : (countTransitions(previous) ?? 0) + 1;
  return {
    apiVersion,
    kind,
    metadata: {
      name,
      namespace,
      labels: { [managedByLabel]: managedByValue, [deploymentLabel]: deployment },
      ...(annotations === undefined ? {} : { annotations }),
      ...(previous === undefined ? {} : { resourceVersion: readVersion(previous) }),
    },
    spec: {
      holderIdentity: holder,
      leaseDurationSeconds: leaseSeconds,
      acquireTime: microTime(now),
      renewTime: microTime(now),
      leaseTransitions: transitions,
    },
  };
}

/**
 * Returns the held Lease with a new renewTime. `version` is the resourceVersion of its latest
 * state.
 */
export function renewedLease(held: KubeObject, now: Date, version: string): KubeObject {
  const spec = isObject(held.spec) ? held.spec : {};
  return { ...atVersion(held, version), spec: { ...spec, renewTime: microTime(now) } };
}

/** Returns the Lease without a holder, so that the next run takes it at once. */
export function freedLease(held: KubeObject, version: string): KubeObject {
  return {
    ...atVersion(held, version),
    spec: { leaseDurationSeconds: leaseSeconds, leaseTransitions: countTransitions(held) ?? 0 },
  };
}

function atVersion(lease: KubeObject, resourceVersion: string): KubeObject {
  return { ...lease, metadata: { ...lease.metadata, resourceVersion } };
}

export function leaseHolder(lease: KubeObject): string {
  return textAt(lease, "spec", "holderIdentity") ?? "";
}

/** Reports whether both Leases are held by one run, since the same moment. */
export function isSameAcquisition(a: KubeObject, b: KubeObject): boolean {
  return ["holderIdentity", "acquireTime"].every(
    (field) => textAt(a, "spec", field) === textAt(b, "spec", field),
  );
}

export function readVersion(object: KubeObject): string {
  return textAt(object, "metadata", "resourceVersion") ?? "";
}

function countTransitions(lease: KubeObject): number | undefined {
  return numberAt(lease, "spec", "leaseTransitions");
}

/** Formats a time with exactly six fractional digits, as the API requires. */
function microTime(time: Date): string {
  return time.toISOString().replace("Z", "000Z");
}
