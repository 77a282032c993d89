import type { Json } from "../../model/json.ts";
import { matchesAny, type SchedulingNode } from "./node.ts";

/**
 * A claim that has no volume yet. With `volumeBindingMode: WaitForFirstConsumer` the scheduler looks for one on the node that it considers
 * (kubernetes.io/docs/concepts/storage/storage-classes/#volume-binding-mode).
 */
export interface OpenClaim {
  /** `namespace/name`. */
  readonly key: string;
  /** Volumes that are there and large enough, the smallest first. */
  readonly volumes: readonly FreeVolume[];
  /** Node terms of where a volume can be made for it: empty where none is made. */
  readonly madeOn: readonly Json[] | "everywhere";
}

export interface FreeVolume {
  readonly name: string;
  /** One set of node terms each, all of which must match. */
  readonly nodeTerms: readonly (readonly Json[])[];
}

interface Claimant {
  readonly shape: { readonly openClaims: readonly OpenClaim[] };
}

/** Which Pod has taken which volumes. What is released is free again, as if its claim had never been bound. */
export function assignedVolumes() {
  const taken = new Map<string, { readonly volume: FreeVolume; readonly pods: Set<Claimant> }>();

  function volumeFor(claim: OpenClaim, node: SchedulingNode, chosen: readonly FreeVolume[]) {
    const own = taken.get(claim.key)?.volume;
    const used = new Set([...taken.values()].map(({ volume }) => volume.name));
    const free = claim.volumes.filter(({ name }) => !used.has(name));
    return (own === undefined ? free : [own]).find(
      (volume) => !chosen.includes(volume) && isUsableOn(volume, node),
    );
  }

  /** What each of its claims would get there; undefined where one gets nothing. */
  function choose({ openClaims }: Claimant["shape"], node: SchedulingNode) {
    const chosen = new Map<string, FreeVolume>();
    for (const claim of openClaims) {
      const found = volumeFor(claim, node, [...chosen.values()]);
      if (found !== undefined) chosen.set(claim.key, found);
      else if (taken.has(claim.key) || !isMadeOn(claim, node)) return undefined;
    }
    return chosen;
  }

  return {
    hasFor(shape: Claimant["shape"], node: SchedulingNode): boolean {
      return shape.openClaims.length === 0 || choose(shape, node) !== undefined;
    },
    assign(pod: Claimant, node: SchedulingNode): void {
      if (pod.shape.openClaims.length === 0) return;
      for (const [key, volume] of choose(pod.shape, node) ?? []) {
        const pods = taken.get(key)?.pods ?? new Set();
        taken.set(key, { volume, pods: pods.add(pod) });
      }
    },
    release(pod: Claimant): void {
      for (const { key } of pod.shape.openClaims) {
        const pods = taken.get(key)?.pods;
        pods?.delete(pod);
        if (pods?.size === 0) taken.delete(key);
      }
    },
  };
}

function isUsableOn({ nodeTerms }: FreeVolume, node: SchedulingNode): boolean {
  return nodeTerms.every((terms) => matchesAny(terms, node));
}

function isMadeOn({ madeOn }: OpenClaim, node: SchedulingNode): boolean {
  return madeOn === "everywhere" || matchesAny(madeOn, node);
}
