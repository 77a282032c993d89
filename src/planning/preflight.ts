import type { Earlier } from "../model/earlier.ts";
import type { Plan } from "../model/plan.ts";
import { type Finding, isOpen } from "../model/problems/finding.ts";
import type { FindingCode } from "../model/problems/finding-codes.ts";
import type { Problem } from "../model/problems/problem.ts";
import type { ProblemCode } from "../model/problems/problem-codes.ts";
import type { Release } from "../model/release.ts";
import { toReleased } from "../plan/declared/declare-objects.ts";
import type { DeclaredObject } from "../plan/declared/objects.ts";
import type { Cluster } from "../ports/kubernetes.ts";
import { foretellDeletions, type Purpose } from "../preflight/foretell-deletions.ts";
import { findingsOf, findingsOfAnswers, findingsOfDependencies } from "../preflight/preflight.ts";
import type { OwnObjects } from "../preflight/rule.ts";
import { untold } from "../preflight/rules/told-by-server.ts";
import { countRecordSecrets } from "../releases/encode.ts";
import type { DesiredState } from "./desired-state.ts";
import { readDependencies } from "./facts/dependencies.ts";
import { readUsers } from "./facts/namers.ts";
import { releaseFacts } from "./facts/release-facts.ts";
import { readFacts } from "./read-facts.ts";

interface PreflightContext {
  readonly cluster: Cluster;
  readonly concurrency: number;
  /** Whether the identity that asks is the one that deploys. */
  readonly purpose: Purpose;
  /** The time of now (ISO 8601). */
  readonly now: string;
  readonly timeoutMs?: number | undefined;
  /** Whether a pull request changes what is deployed; undefined outside of one. */
  readonly isChangedHere?: boolean | undefined;
  /** What deployments that go first will have changed by then. */
  readonly earlier?: Earlier | undefined;
  readonly compress?: ((text: string) => Uint8Array) | undefined;
}

interface Foretold {
  readonly findings: readonly Finding[];
  /** As it will go, without what the findings say already. */
  readonly plan: Plan;
}

const expected: ReadonlySet<FindingCode> = new Set(["many-deletions", "rolled-back"]);

/** Without the deletions that will not be made, for whoever needs to know no more: they are looked for only if there are any. */
export async function withoutKept(
  { cluster, concurrency }: Pick<PreflightContext, "cluster" | "concurrency">,
  plan: Plan,
): Promise<Plan> {
  if (plan.deletions.length === 0) return plan;
  return foretellDeletions(plan, { users: await readUsers(cluster, plan, concurrency) }, "deploy");
}

/**
 * The same of a plan that nobody reads before it is executed, as far as a few requests tell: what Pods name and nobody has. Its wait would
 * otherwise end by its time limit.
 */
export async function dependencyNotices(
  { cluster, concurrency }: Pick<PreflightContext, "cluster" | "concurrency">,
  plan: Plan,
  declared: readonly DeclaredObject[],
): Promise<readonly Problem[]> {
  const dependencies = await readDependencies(cluster, plan, concurrency);
  const facts = { dependencies, earlier: [] };
  const found = findingsOfDependencies({ plan, facts, placeOf: placesOf(declared) });
  return found.filter(isOpen).map(asNotice("missing-dependency"));
}

/** Returns the declared fields that the API server drops, which a deployment and drift report. */
export function droppedFieldsOf(
  plan: Plan,
  declared: readonly DeclaredObject[],
): { readonly findings: readonly Finding[]; readonly notices: readonly Problem[] } {
  const findings = findingsOfAnswers({ plan, placeOf: placesOf(declared) });
  return { findings, notices: findings.filter(isOpen).map(asNotice("field-dropped")) };
}

function asNotice(code: ProblemCode): (finding: Finding) => Problem {
  return ({ what, why, fix, where }) => ({ code, what: `${what}: ${why}`, fix, where });
}

function placesOf(declared: readonly DeclaredObject[]) {
  const places = new Map(declared.map(({ key, where }) => [key, where]));
  return (key: string) => places.get(key);
}

/** What the cluster would do with a plan that nobody has to be asked for. */
export async function preflight(
  {
    cluster,
    concurrency,
    purpose,
    now,
    timeoutMs,
    isChangedHere,
    earlier: before,
    compress,
  }: PreflightContext,
  plan: Plan,
  declared: readonly DeclaredObject[],
  earlier: readonly Release[],
  { deletes, rollbackOf }: Partial<Pick<DesiredState, "deletes" | "rollbackOf">> = {},
): Promise<Foretold> {
  const facts = await readFacts({ cluster, concurrency, now }, plan, before);
  const endedBy = rollbackOf === undefined ? whatDeploys(isChangedHere) : "another rollback";
  const manifests = toReleased(declared);
  const releases = {
    ...releaseFacts(earlier, manifests, endedBy),
    ownObjects: ownObjects(plan, earlier, countRecordSecrets(manifests, compress)),
  };
  const placeOf = placesOf(declared);
  const found = findingsOf({ plan, facts, releases, purpose, timeoutMs, placeOf });
  // Whoever deletes a deployment knows that much is deleted, and that no rollback outlasts it.
  const findings = deletes === true ? found.filter(({ code }) => !expected.has(code)) : found;
  const notices = untold(plan, findings);
  return { findings, plan: { ...foretellDeletions(plan, facts, purpose), notices } };
}

/** The Lease of the lock stays from the first release on. */
function ownObjects(
  { changes, deletions }: Plan,
  releases: readonly Release[],
  secrets: number,
): OwnObjects | undefined {
  const isRecorded = deletions.length > 0 || changes.some(({ action }) => action !== "unchanged");
  return isRecorded ? { secrets, leases: releases.length === 0 ? 1 : 0 } : undefined;
}

function whatDeploys(isChangedHere: boolean | undefined): "merging" | "no merge" | "a push" {
  if (isChangedHere === undefined) return "a push";
  return isChangedHere ? "merging" : "no merge";
}
