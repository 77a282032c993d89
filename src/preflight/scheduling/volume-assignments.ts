import type { Json } from "../../model/json.ts";
import { matchesAnyTerm, type SchedulingNode } from "./scheduling-node.ts";

/**
 * A claim that has no volume yet.
 * With `volumeBindingMode: WaitForFirstConsumer`, the scheduler looks for a volume on each node
 * that it considers (kubernetes.io/docs/concepts/storage/storage-classes/#volume-binding-mode).
 */
export interface UnboundClaim {
  /** The claim as `namespace/name`; the name of the volume if each Pod has its own claim. */
  readonly key: string;
  /**
   * True if each Pod has its own claim, which is deleted with the Pod.
   * No other claim gets the volume afterward: it is deleted, or kept as `Released`.
   */
  readonly isEphemeral: boolean;
  /** Existing volumes that are large enough, the smallest first. */
  readonly volumes: readonly FreeVolume[];
  /** Node terms for where a volume can be created; empty if none can be created. */
  readonly creationTerms: readonly Json[] | "everywhere";
  /** The driver that creates the volume and attaches it to a node. */
  readonly driver: string | undefined;
}

export interface FreeVolume {
  readonly name: string;
  /** Sets of node terms: one term of each set must match. */
  readonly nodeTerms: readonly (readonly Json[])[];
}

interface ClaimUser {
  readonly shape: { readonly openClaims: readonly UnboundClaim[] };
}

/**
 * Tracks which Pods use which volumes.
 * A volume that its claims release is free again, as if it had never been bound.
 */
export function createVolumeAssignments() {
  const taken = new Map<string, { readonly volume: FreeVolume; readonly pods: Set<ClaimUser> }>();
  /** The volumes of claims that belong to single Pods, which can already be removed. */
  const spent = new Map<ClaimUser, Map<UnboundClaim, FreeVolume>>();

  function assignedVolume(claim: UnboundClaim, pod: ClaimUser | undefined): FreeVolume | undefined {
    if (!claim.isEphemeral) return taken.get(claim.key)?.volume;
    return pod && spent.get(pod)?.get(claim);
  }

  function usedNames(): Set<string> {
    const shared = [...taken.values()].map(({ volume }) => volume.name);
    const ofPods = [...spent.values()].flatMap((each) => [...each.values()]);
    return new Set([...shared, ...ofPods.map(({ name }) => name)]);
  }

  /** Returns the volume for each claim of a Pod on a node; undefined if a claim gets none. */
  function choose({ openClaims }: ClaimUser["shape"], node: SchedulingNode, pod?: ClaimUser) {
    const chosen = new Map<UnboundClaim, FreeVolume>();
    const used = usedNames();
    for (const claim of openClaims) {
      const own = assignedVolume(claim, pod);
      const free = claim.volumes.filter(({ name }) => !used.has(name));
      const found = (own === undefined ? free : [own]).find((each) => isVolumeUsable(each, node));
      if (found !== undefined) {
        chosen.set(claim, found);
        used.add(found.name);
      } else if (own !== undefined || !canCreateVolume(claim, node)) return undefined;
    }
    return chosen;
  }

  return {
    hasFor(shape: ClaimUser["shape"], node: SchedulingNode): boolean {
      return shape.openClaims.length === 0 || choose(shape, node) !== undefined;
    },
    assign(pod: ClaimUser, node: SchedulingNode): void {
      if (pod.shape.openClaims.length === 0) return;
      for (const [claim, volume] of choose(pod.shape, node, pod) ?? []) {
        if (claim.isEphemeral) {
          const own = spent.get(pod) ?? new Map<UnboundClaim, FreeVolume>();
          spent.set(pod, own.set(claim, volume));
        } else {
          const pods = taken.get(claim.key)?.pods ?? new Set();
          taken.set(claim.key, { volume, pods: pods.add(pod) });
        }
      }
    },
    release(pod: ClaimUser): void {
      for (const { key } of pod.shape.openClaims) {
        const pods = taken.get(key)?.pods;
        pods?.delete(pod);
        if (pods?.size === 0) taken.delete(key);
      }
    },
    /**
     * Starts a trial, and returns a function that forgets the volumes of single Pods since then.
     */
    rememberSpent(): () => void {
      const before = new Set(spent.keys());
      return () => {
        for (const pod of spent.keys()) if (!before.has(pod)) spent.delete(pod);
      };
    },
  };
}

function isVolumeUsable({ nodeTerms }: FreeVolume, node: SchedulingNode): boolean {
  return nodeTerms.every((terms) => matchesAnyTerm(terms, node));
}

function canCreateVolume({ creationTerms }: UnboundClaim, node: SchedulingNode): boolean {
  return creationTerms === "everywhere" || matchesAnyTerm(creationTerms, node);
}
