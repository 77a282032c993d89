import type { ObjectAddress } from "../object.ts";
import type { FindingCode } from "./finding-codes.ts";
import type { Fact, Position } from "./problem.ts";

/**
 * The severity of a finding. An error fails the check, a warning needs a review, and a note is
 * information.
 */
export type Severity = "error" | "warning" | "note";

/** All severities, the worst first. */
export const severities: readonly Severity[] = ["error", "warning", "note"];

/**
 * A prediction about the cluster, such as a rollout that can't complete. It doesn't block a
 * deployment.
 */
export interface Finding {
  readonly code: FindingCode;
  readonly severity: Severity;
  readonly object: ObjectAddress;
  /** The prediction in one sentence that starts with the object's name, without a period. */
  readonly what: string;
  /** The reason with its numbers, without a period. Empty if `what` is enough. */
  readonly why: string;
  /** The fix in one sentence, without a period. */
  readonly fix: string;
  /** Lines of the manifest to paste, in YAML. */
  readonly paste?: readonly string[] | undefined;
  /** The path of the declared field that causes it. Undefined if no single field does. */
  readonly path?: readonly string[] | undefined;
  /** The places of the cause in adapters. */
  readonly where: readonly Position[];
  /** Values and other evidence, each with a short label such as `affects`. */
  readonly facts?: readonly Fact[] | undefined;
  /** Set if the finding is about another version of Kubernetes. */
  readonly upgrade?: UpgradeDetail | undefined;
  /** Set if an annotation of the object allows the finding, which is then only mentioned. */
  readonly allowed?: Allowed | undefined;
}

/** An affected state: the current release, or the manifests of this change. */
export type AffectedSide = "deployed" | "change";

/** The data of a finding about another version of Kubernetes, for programs. */
export interface UpgradeDetail {
  /** The other version, such as "1.37". */
  readonly version: string;
  /** The versions of the difference, such as `since Kubernetes 1.37`, or `not checked`. */
  readonly since: string;
  readonly affects: readonly AffectedSide[];
  /** The current release; undefined if there is none, or if it can't be read. */
  readonly release?: number | undefined;
}

interface Allowed {
  /** The places that declare the object with the annotation. */
  readonly where: readonly Position[];
}

export function isOpen({ allowed }: Finding): boolean {
  return allowed === undefined;
}

/** Reports whether a finding is about the current release alone, so that this change fixes it. */
export function isFixedByChange({ upgrade }: Pick<Finding, "upgrade">): boolean {
  return upgrade !== undefined && !upgrade.affects.includes("change");
}

/** Returns the rank of a finding for sorting, the worst first and allowed ones last. */
export function riskRank({ severity, allowed }: Finding): number {
  return severities.indexOf(severity) + (allowed === undefined ? 0 : severities.length);
}
