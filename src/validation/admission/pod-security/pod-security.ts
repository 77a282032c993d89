import { assumedVersion, type ServerVersion } from "../../../model/cluster/server-version.ts";
import { at, textAt } from "../../../model/json.ts";
import type { KubeObject } from "../../../model/object.ts";
import { baseline } from "./baseline.ts";
import type { PodSecurityCheck, SecuredPod } from "./pod.ts";
import { restricted } from "./restricted.ts";

/**
 * Returns the API server's message for a Pod that the labels of its namespace don't allow.
 * Example: `violates PodSecurity "baseline:latest": host namespaces (hostNetwork=true)`.
 * The API server knows the standards up to its own version, and the newest one applies if the
 * labels name none (NewEvaluator in k8s.io/pod-security-admission).
 * The objects don't show which Pods the cluster exempts.
 */
export function podSecurityRejection(
  pod: SecuredPod,
  namespace: KubeObject,
  server: ServerVersion = assumedVersion,
): string | undefined {
  const enforced = readEnforcedLevel(namespace, server);
  const { level, version, minor } = enforced;
  const violations = applicableChecks(enforced).flatMap(
    ({ violation }) => violation(pod, minor) ?? [],
  );
  if (violations.length === 0) return undefined;
  const details = violations.map(({ reason, detail }) => `${reason} (${detail})`).join(", ");
  return `violates PodSecurity "${level}:${version}": ${details}`;
}

interface EnforcedLevel {
  readonly level: string;
  readonly version: string;
  /** The minor version of the standard that applies. */
  readonly minor: number;
}

function readEnforcedLevel(namespace: KubeObject, server: ServerVersion): EnforcedLevel {
  const labels = at(namespace, "metadata", "labels");
  const label = (name: string) => textAt(labels, `pod-security.kubernetes.io/${name}`);
  const version = label("enforce-version") ?? "latest";
  const minor = Math.min(minorVersion(version), server.minor);
  return { level: label("enforce") ?? "privileged", version, minor };
}

/** Returns the minor version: 24 for `v1.24`, infinity for `latest`. */
function minorVersion(version: string): number {
  const [, minor] = /^v1\.(\d+)$/.exec(version) ?? [];
  return minor === undefined ? Number.POSITIVE_INFINITY : Number(minor);
}

function applicableChecks({ level, minor }: EnforcedLevel): readonly PodSecurityCheck[] {
  const isKnown = ({ since }: PodSecurityCheck) => since <= minor;
  const usual = Object.values(baseline).filter(isKnown);
  if (level === "baseline") return usual;
  if (level !== "restricted") return [];
  const strict = restricted.filter(isKnown);
  const replaced = new Set(strict.map(({ replaces }) => replaces));
  return [...usual.filter((check) => !replaced.has(check)), ...strict];
}
