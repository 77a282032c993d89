/** The numbers of Pods of the new version and of the stable version. */
export interface CanaryCounts {
  readonly canary: number;
  readonly stable: number;
}

/**
 * Returns the numbers of Pods that come closest to a weight from 0 to 100.
 * Argo Rollouts uses this rule if no router splits the traffic. With a surge, the total can be one
 * Pod above `replicas`.
 * For weights from 1 to 99, each version keeps at least one Pod.
 */
export function countsForWeight(replicas: number, weight: number, surge: number): CanaryCounts {
  if (replicas === 0) return { canary: 0, stable: 0 };
  const exact = (replicas * weight) / 100;
  const [below, above] = [Math.floor(exact), Math.ceil(exact)];
  const isEnd = weight === 0 || weight === 100;
  const mayBeNone = isEnd || (replicas === 1 && surge === 0);
  const isBelowAllowed = below > 0 || mayBeNone;
  const options = [
    ...(above < replicas || mayBeNone ? [{ canary: above, total: replicas }] : []),
    ...(isBelowAllowed && !isHalf(exact) ? [{ canary: below, total: replicas }] : []),
    ...(surge > 0 ? [{ canary: above, total: replicas + 1 }] : []),
    ...(surge > 0 && isBelowAllowed && !isHalf(((replicas + 1) * weight) / 100)
      ? [{ canary: below, total: replicas + 1 }]
      : []),
  ];
  const distance = ({ canary, total }: (typeof options)[number]) =>
    Math.abs((canary * 100) / total - weight);
  // If several options are equally close, the first one wins.
  const [best = { canary: 0, total: replicas }] = options.toSorted(
    (a, b) => distance(a) - distance(b),
  );
  return { canary: best.canary, stable: best.total - best.canary };
}

function isHalf(value: number): boolean {
  return value % 1 === 0.5;
}

/**
 * Returns the number of Pods of one version if a router splits the traffic.
 * It is the version's share of the replicas, rounded up.
 */
export function podsForWeight(replicas: number, weight: number, full: number): number {
  return Math.ceil((weight * replicas) / full);
}
