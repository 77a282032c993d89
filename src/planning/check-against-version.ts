import pMap from "p-map";
import {
  assumedVersion,
  formatServerVersion,
  readServerVersion,
  type ServerVersion,
} from "../model/cluster/api/server-version.ts";
import { isCrd, isNamespace } from "../model/cluster/namespaces-and-crds.ts";
import { podSpecOf } from "../model/cluster/pods.ts";
import type { Deployment } from "../model/deployments/deployment.ts";
import type { ReleaseHistory } from "../model/deployments/release-history.ts";
import { type JsonObject, objectAt } from "../model/json.ts";
import { isClusterScoped } from "../model/kinds.ts";
import type { UpgradeTarget, VersionCheck } from "../model/kubernetes-versions.ts";
import { idOf, isKubeObject, type KubeObject, keyOf, withMetadata } from "../model/object.ts";
import type { DeletionHook } from "../model/plan/deletion.ts";
import type { Plan } from "../model/plan/plan.ts";
import { type Finding, isOpen, type UpgradeDetail } from "../model/problems/finding.ts";
import type { Position } from "../model/problems/problem.ts";
import { type Compilation, resourceKey } from "../model/sources/compilation.ts";
import type { Cluster } from "../ports/kubernetes.ts";
import { sortByRisk } from "../preflight/compute-findings.ts";
import { findingWithoutPlace } from "../preflight/rule.ts";
import type { TargetFacts } from "../preflight/upgrade/upgrade.ts";
import {
  type DeclaredManifest,
  type DeployedObjects,
  upgradeFindings,
} from "../preflight/upgrade/upgrade-findings.ts";
import { hiddenInAny } from "../releases/queries/hidden-strings.ts";
import { linkVersions } from "../validation/kind-types.ts";
import { scrubFindings } from "./planned-deployment.ts";

/** Everything that a preview knows about the deployment, as far as it could read the cluster. */
export interface CheckedDeployment {
  readonly deployment: Pick<Deployment, "namespace">;
  readonly compilation: Compilation;
  /** The hooks that a deletion of the deployment would run. */
  readonly deletionHooks?: readonly DeletionHook[] | undefined;
  readonly cluster?: Cluster | undefined;
  readonly recorded?: Pick<ReleaseHistory, "current" | "releases"> | undefined;
  readonly plan?: Plan | undefined;
}

/**
 * Predicts how another version of Kubernetes treats the current release and this change.
 * It needs no cluster of that version, only its packed facts. Without any cluster, it checks the
 * manifests of this change.
 */
export async function checkAgainstVersion(
  target: UpgradeTarget,
  checked: CheckedDeployment,
): Promise<{ readonly findings: readonly Finding[]; readonly againstVersion: VersionCheck }> {
  const { cluster, recorded, compilation } = checked;
  const answer = await cluster?.version();
  const server = answer?.ok === true ? answer.value : undefined;
  const deployed = deployedObjects(recorded);
  const declared = declaredManifests(checked);
  const objects = [...(deployed?.objects ?? []), ...declared.map(({ object }) => object)];
  const { namespaces, unread } = await readNamespaces(cluster, objects);
  const found = upgradeFindings({
    ...{ target: linkFacts(target), deployed, declared, namespaces },
    next: targetVersion(target),
    server,
    definitions: objects.filter((object) => isCrd(idOf(object))),
  });
  const release = deployed?.release;
  const affects = [...(release === undefined ? [] : (["deployed"] as const)), "change" as const];
  const notChecked = { version: target.version, since: "not checked", affects, release };
  const all = [...found, ...unread.map((each) => unreadFinding(each, notChecked))];
  const hides = [...(compilation.hides ?? []), ...hiddenInAny(recorded?.releases ?? [])];
  const findings = markAllowed(scrubFindings(all, hides), declared);
  return {
    findings,
    againstVersion: {
      version: target.version,
      server: server && formatServerVersion(server),
      release,
      ...(recorded === undefined ? { isReleaseUnread: true } : {}),
      findings: findings.filter(isCounted).length,
    },
  };
}

/** The linked facts of each target. All deployments of a command share one. */
const linkedTargets = new WeakMap<UpgradeTarget, TargetFacts>();

function linkFacts(target: UpgradeTarget): TargetFacts {
  const { version, facts } = target;
  const linked = linkedTargets.get(target) ?? {
    version,
    facts: {
      known: linkVersions(facts.versions, facts.kinds),
      lifecycles: facts.lifecycles(),
    },
  };
  linkedTargets.set(target, linked);
  return linked;
}

function targetVersion({ version }: UpgradeTarget): ServerVersion {
  return readServerVersion({ gitVersion: `v${version}` }) ?? assumedVersion;
}

function deployedObjects(recorded: CheckedDeployment["recorded"]): DeployedObjects | undefined {
  const { current } = recorded ?? {};
  if (current === undefined) return undefined;
  const { expandedConfig, deletionHooks = [] } = current;
  const objects = [...expandedConfig, ...deletionHooks].flatMap(({ object }) =>
    isKubeObject(object) ? [object] : [],
  );
  return { release: current.revision, objects };
}

/**
 * Returns the declared objects as planned, and the hooks of a deletion. Without a plan, the objects
 * are those of the compilation.
 */
function declaredManifests({
  plan,
  compilation,
  deletionHooks = [],
  deployment,
}: CheckedDeployment): readonly DeclaredManifest[] {
  const places = declaredPlaces(compilation);
  const compiled = compilation.resources.filter((resource) => resource.type === "manifest");
  const planned = plan?.changes.map(({ desired, stage, resource }) => ({
    object: desired,
    where: places.get(`${stage}/${resource}`),
  }));
  return [
    ...(planned ?? compiled.flatMap((each) => placed(each, deployment))),
    ...deletionHooks.flatMap((each) => placed(each, deployment)),
  ];
}

function placed(
  { object, where }: { readonly object: JsonObject; readonly where?: Position | undefined },
  deployment: CheckedDeployment["deployment"],
): readonly DeclaredManifest[] {
  return isKubeObject(object) ? [{ object: inNamespace(object, deployment), where }] : [];
}

function declaredPlaces({ resources }: Compilation): ReadonlyMap<string, Position | undefined> {
  return new Map(
    resources.flatMap((each) =>
      each.type === "manifest" ? [[resourceKey(each), each.where] as const] : [],
    ),
  );
}

function inNamespace(
  object: KubeObject,
  { namespace }: CheckedDeployment["deployment"],
): KubeObject {
  const id = idOf(object);
  return isClusterScoped(id) || id.namespace !== "" ? object : withMetadata(object, { namespace });
}

interface ReadNamespaces {
  readonly namespaces: ReadonlyMap<string, KubeObject>;
  /** The Namespaces that qvs isn't allowed to read, or couldn't read. */
  readonly unread: readonly KubeObject[];
}

/** Reads the Namespaces of all Pods, with the labels that this deployment declares. */
async function readNamespaces(
  cluster: Cluster | undefined,
  objects: readonly KubeObject[],
): Promise<ReadNamespaces> {
  const declared = new Map(
    objects
      .filter((object) => isNamespace(idOf(object)))
      .map((object) => [idOf(object).name, object]),
  );
  const used = objects.filter((object) => podSpecOf(object) !== undefined);
  const names = [...new Set(used.map((object) => idOf(object).namespace))].filter(Boolean);
  const read = await pMap(names, (name) => readNamespace(cluster, name, declared.get(name)), {
    concurrency: readsAtOnce,
  });
  return {
    namespaces: new Map(
      read.flatMap((each) => (each === "unread" ? [] : [[idOf(each).name, each] as const])),
    ),
    unread: names.flatMap((name, index) => (read[index] === "unread" ? [namespaceOf(name)] : [])),
  };
}

const readsAtOnce = 8;

async function readNamespace(
  cluster: Cluster | undefined,
  name: string,
  declared: KubeObject = namespaceOf(name),
): Promise<KubeObject | "unread"> {
  if (cluster === undefined) return declared;
  // Previews are allowed to list Namespaces (`qvs rbac preview`), and not to get them.
  const answer = await cluster.list("v1", "Namespace", undefined, undefined, name);
  if (!answer.ok) return "unread";
  const live = answer.value.items.find((each) => idOf(each).name === name);
  const labels = {
    ...objectAt(live, "metadata", "labels"),
    ...objectAt(declared, "metadata", "labels"),
  };
  return withMetadata(declared, { labels });
}

function namespaceOf(name: string): KubeObject {
  return { apiVersion: "v1", kind: "Namespace", metadata: { name } };
}

function unreadFinding(namespace: KubeObject, upgrade: UpgradeDetail): Finding {
  return findingWithoutPlace(namespace, {
    code: unreadCode,
    severity: "note",
    what: `Namespace ${idOf(namespace).name}: qvs doesn't know its Pod Security labels`,
    why: `qvs can't read the Namespace, so it didn't check whether Kubernetes ${upgrade.version} rejects its Pods`,
    fix: "Allow the identity to list Namespaces, as the role that qvs rbac preview prints does",
    upgrade,
  });
}

/** The code of the notes about parts that qvs couldn't check. They don't count as findings. */
const unreadCode = "missing-permission";

function isCounted(finding: Finding): boolean {
  return isOpen(finding) && finding.code !== unreadCode;
}

/** Sorts the findings, and marks those that annotations of declared objects allow. */
function markAllowed(
  findings: readonly Finding[],
  declared: readonly DeclaredManifest[],
): readonly Finding[] {
  const changes = declared.map(({ object }) => ({ key: keyOf(idOf(object)), desired: object }));
  const places = new Map(declared.map(({ object, where }) => [keyOf(idOf(object)), where]));
  return sortByRisk(findings, { plan: { changes }, placeOf: (key) => places.get(key) });
}
