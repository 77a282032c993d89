import { at, textAt } from "../../model/json.ts";
import type { KubeObject } from "../../model/object.ts";
import { baseline } from "./baseline.ts";
import type { Check } from "./check.ts";
import type { SecuredPod } from "./pod.ts";
import { restricted } from "./restricted.ts";

/**
 * Returns the API server's message for a Pod that the labels of its namespace don't allow.
 * Example: `violates PodSecurity "baseline:latest": host namespaces (hostNetwork=true)`.
 * If the labels name no version, the newest Kubernetes version that qvs knows applies.
 * The objects don't show which Pods the cluster exempts.
 */
export function podSecurityRefusal(pod: SecuredPod, namespace: KubeObject): string | undefined {
  const enforced = enforcedBy(namespace);
  const { level, version, minor } = enforced;
  const violations = checksOf(enforced).flatMap(({ violation }) => violation(pod, minor) ?? []);
  if (violations.length === 0) return undefined;
  const said = violations.map(({ reason, detail }) => `${reason} (${detail})`).join(", ");
  return `violates PodSecurity "${level}:${version}": ${said}`;
}

interface Enforced {
  readonly level: string;
  readonly version: string;
  /** The minor version; infinite for `latest`. */
  readonly minor: number;
}

function enforcedBy(namespace: KubeObject): Enforced {
  const labels = at(namespace, "metadata", "labels");
  const label = (name: string) => textAt(labels, `pod-security.kubernetes.io/${name}`);
  const version = label("enforce-version") ?? "latest";
  return { level: label("enforce") ?? "privileged", version, minor: minorOf(version) };
}

/** Returns the minor version: 24 for `v1.24`. */
function minorOf(version: string): number {
  const [, minor] = /^v1\.(\d+)$/.exec(version) ?? [];
  return minor === undefined ? Number.POSITIVE_INFINITY : Number(minor);
}

function checksOf({ level, minor }: Enforced): readonly Check[] {
  const isKnown = ({ since }: Check) => since <= minor;
  const usual = Object.values(baseline).filter(isKnown);
  if (level === "baseline") return usual;
  if (level !== "restricted") return [];
  const strict = restricted.filter(isKnown);
  const replaced = new Set(strict.map(({ replaces }) => replaces));
  return [...usual.filter((check) => !replaced.has(check)), ...strict];
}
