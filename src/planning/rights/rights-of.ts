import { podMakerKinds, rolloutKind } from "../../apply/deletion/pod-makers.ts";
import { statusOf } from "../../apply/readiness/status/status-of.ts";
import { keepOnDeleteAnnotation } from "../../model/annotations.ts";
import type { Deployment } from "../../model/deployment.ts";
import { listAt, textAt } from "../../model/json.ts";
import { lockName } from "../../model/lock-name.ts";
import { annotation, groupOf, type KubeObject, type ObjectId } from "../../model/object.ts";
import { podSpecOf } from "../../model/pods.ts";
import { isNamedByPods, kindsThatName } from "../../preflight/names-of.ts";
import { podNeeds } from "../../preflight/pod-needs.ts";
import { freezeName } from "../freeze.ts";
import type { ResourceOf } from "./api-resources.ts";
import { grantsOf } from "./grants.ts";
import type { NeededRight, Right, RightsCommand } from "./right.ts";

/** An object of the deployment: declared now, or recorded by an earlier release. */
interface OwnObject {
  readonly id: ObjectId;
  /** undefined for one that only a release knows. */
  readonly object: KubeObject | undefined;
}

/** What the rights of a deployment depend on. */
export interface RightsSubject {
  readonly deployment: Pick<Deployment, "name" | "namespace">;
  readonly objects: readonly OwnObject[];
  /** Objects of others that annotations wait for. */
  readonly outside: readonly ObjectId[];
  readonly resourceOf: ResourceOf;
  /** Rights to all objects of a kind, whatever they are called. */
  readonly byKind: boolean;
}

/** One purpose for which requests are sent. */
interface Purpose {
  readonly why: string;
  readonly needed: readonly RightsCommand[];
  /** Commands that do without, and what they do not tell then. */
  readonly optional?: { readonly for: readonly RightsCommand[]; readonly without: string };
  readonly rights: (subject: RightsSubject) => readonly Right[];
}

const applying: readonly RightsCommand[] = ["deploy", "rollback", "reconcile"];
const writing: readonly RightsCommand[] = [...applying, "delete"];
const looking: readonly RightsCommand[] = ["preview", "drift"];
const all: readonly RightsCommand[] = [...looking, ...writing];

/** Why rights to what a deployment declares are needed. */
export const ownObjects = "The deployment's objects.";
const untried =
  "Without it, what the server would make of them is predicted, and whether they may be deleted is not told.";
const blind = "Without it, the preview does not tell it.";

/**
 * Everything that is asked of the cluster. test/rbac.system.test.ts holds the requests of real runs against it: none that is not
 * here, and none here that no run sends.
 */
const purposes: readonly Purpose[] = [
  {
    why: "The lock of the deployment.",
    needed: writing,
    optional: {
      for: looking,
      without: "Without it, whether a deployment could take its lock is not told.",
    },
    rights: ({ deployment: { name, namespace } }) => [
      ...on(namespace, "coordination.k8s.io", "leases", ["create"]),
      ...on(namespace, "coordination.k8s.io", "leases", ["get", "update"], [lockName(name)]),
    ],
  },
  {
    why: "The lock, once the deployment is deleted.",
    needed: [],
    optional: { for: ["delete"], without: "Without it, an empty lock is left behind." },
    rights: ({ deployment: { name, namespace } }) =>
      on(namespace, "coordination.k8s.io", "leases", ["delete"], [lockName(name)]),
  },
  {
    why: "The records of releases.",
    needed: all,
    rights: ({ deployment: { namespace } }) => on(namespace, "", "secrets", ["list"]),
  },
  {
    why: "The records of releases.",
    needed: writing,
    optional: {
      for: looking,
      without: "Without it, whether a deployment could record itself is not told.",
    },
    rights: ({ deployment: { namespace } }) =>
      on(namespace, "", "secrets", ["create", "update", "delete"]),
  },
  {
    why: "A record that somebody else has touched before its end was written.",
    needed: [],
    optional: { for: writing, without: "Without it, such a run ends with its record pending." },
    rights: ({ deployment: { namespace } }) => on(namespace, "", "secrets", ["get"]),
  },
  {
    why: "Whether deployments are frozen.",
    needed: all,
    rights: ({ deployment: { namespace } }) =>
      on(namespace, "", "configmaps", ["get"], [freezeName]),
  },
  {
    why: ownObjects,
    needed: all,
    rights: (subject) => toKinds(subject, ["list"]),
  },
  {
    why: ownObjects,
    needed: writing,
    rights: (subject) =>
      toKinds({ ...subject, objects: subject.objects.filter(isAwaited) }, ["watch"]),
  },
  {
    why: ownObjects,
    needed: [],
    optional: {
      for: writing,
      without: "Without it, that one is gone is noticed some seconds later.",
    },
    rights: (subject) => toKinds(subject, ["watch"]),
  },
  {
    why: ownObjects,
    needed: writing,
    rights: (subject) => toObjects(subject, ["get"]),
  },
  {
    why: ownObjects,
    needed: applying,
    optional: { for: looking, without: untried },
    rights: (subject) => [...toKinds(subject, ["create"]), ...toObjects(subject, ["patch"])],
  },
  {
    why: ownObjects,
    needed: writing,
    optional: { for: looking, without: untried },
    rights: (subject) => toObjects(subject, ["delete"]),
  },
  {
    why: "Objects of others that annotations wait for.",
    needed: all,
    rights: ({ outside, resourceOf }) => outside.flatMap((id) => toObject(id, resourceOf, ["get"])),
  },
  {
    why: "Whether objects of others that annotations wait for are ready.",
    needed: applying,
    rights: ({ outside, resourceOf }) =>
      outside.flatMap((id) => {
        const { namespace, group, plural } = placeOf(id, resourceOf);
        return on(namespace, group, plural, ["list", "watch"]);
      }),
  },
  {
    why: "Kubernetes lets nobody give rights away that they do not have.",
    needed: applying,
    optional: {
      for: looking,
      without: "Without it, a Role or binding that gives it away is shown as refused.",
    },
    rights: ({ objects }) => grantsOf(objects.flatMap(({ object }) => object ?? [])),
  },
  {
    why: "What still uses a ConfigMap, Secret, claim or account, which keeps it from being deleted.",
    needed: writing,
    optional: { for: looking, without: blind },
    rights: (subject) => toUsers(subject, podMakerKinds),
  },
  {
    why: "The same of Argo Rollouts.",
    needed: [],
    optional: { for: all, without: "Only a cluster that serves Argo Rollouts needs it." },
    rights: (subject) => toUsers(subject, [rolloutKind]),
  },
  {
    why: "Why a rollout does not get on.",
    needed: [],
    optional: {
      for: applying,
      without: "Without it, a failure is told without its Pods, events and logs.",
    },
    rights: (subject) => toEvidence(subject),
  },
  {
    why: "When a claim gets its volume.",
    needed: [],
    optional: { for: applying, without: "Without it, events tell it, a moment later." },
    rights: ({ objects }) =>
      on(undefined, "storage.k8s.io", "storageclasses", ["get"], classesOf(objects)),
  },
  {
    why: "Whether the API server takes the Pods, by dry-run.",
    needed: [],
    optional: { for: looking, without: blind },
    rights: ({ objects }) =>
      namespacesOf(objects.filter(makesPods)).flatMap((namespace) =>
        on(namespace, "", "pods", ["create"]),
      ),
  },
  {
    why: "Whether quotas leave enough.",
    needed: [],
    optional: { for: looking, without: blind },
    rights: ({ objects }) =>
      namespacesOf(objects).flatMap((namespace) => on(namespace, "", "resourcequotas", ["list"])),
  },
  {
    why: "Whether there is what Pods name.",
    needed: [],
    optional: { for: looking, without: blind },
    rights: (subject) => toNeeds(subject),
  },
  {
    why: "What names an object that would be deleted.",
    needed: [],
    optional: { for: looking, without: blind },
    rights: ({ objects, resourceOf }) =>
      namespacesOf(objects).flatMap((namespace) =>
        kindsThatName(
          objects.map(({ id }) => id).filter((id) => id.namespace === namespace),
        ).flatMap(([apiVersion, kind]) => {
          const group = groupOf(apiVersion);
          return on(namespace, group, resourceOf(group, kind).plural, ["list"]);
        }),
      ),
  },
  {
    why: "Whether rollouts can end: which nodes there are, and what runs on them.",
    needed: [],
    optional: { for: looking, without: blind },
    rights: (subject) => toScheduling(subject),
  },
];

/** The rights that a command needs for this deployment, in the order of the table; none twice. */
export function rightsOf(command: RightsCommand, subject: RightsSubject): readonly NeededRight[] {
  const rights = purposes.flatMap(({ why, needed, optional, rights: of }): NeededRight[] => {
    const without = optional?.for.includes(command) ? optional.without : undefined;
    if (!needed.includes(command) && without === undefined) return [];
    return of(subject).map((right) => ({ ...right, why, without }));
  });
  return withoutCovered(rights);
}

/** Those that another one gives as well are left out; needed ones win over optional ones. */
function withoutCovered(rights: readonly NeededRight[]): readonly NeededRight[] {
  const needed = new Set(rights.filter(({ without }) => without === undefined).map(keyOfRight));
  const every = new Set(rights.map(keyOfRight));
  const seen = new Set<string>();
  return rights.filter((right) => {
    const key = keyOfRight(right);
    const given = right.without === undefined ? needed : every;
    const isBroader = broader(right).some((other) => given.has(keyOfRight(other)));
    const isSame = seen.has(key) || (right.without !== undefined && needed.has(key));
    if (isBroader || isSame) return false;
    seen.add(key);
    return true;
  });
}

/** The rights that include another one. */
function broader(right: Right): readonly Right[] {
  const { namespace, name } = right;
  return [
    ...(name === undefined ? [] : [{ ...right, name: undefined }]),
    ...(namespace === undefined ? [] : [{ ...right, namespace: undefined }]),
    ...(name === undefined || namespace === undefined
      ? []
      : [{ ...right, name: undefined, namespace: undefined }]),
  ];
}

function keyOfRight({ namespace, group, resource, verb, name }: Right): string {
  return JSON.stringify([namespace ?? null, group, resource, verb, name ?? null]);
}

/** Rights in a namespace, or in all of them; to all objects where no names are given. */
function on(
  namespace: string | undefined,
  group: string,
  resource: string,
  verbs: readonly string[],
  names: readonly (string | undefined)[] = [undefined],
): readonly Right[] {
  return names.flatMap((name) => verbs.map((verb) => ({ namespace, group, resource, verb, name })));
}

function named(names: readonly string[]): readonly string[] {
  return [...new Set(names)].toSorted();
}

interface Place {
  readonly namespace: string | undefined;
  readonly group: string;
  readonly plural: string;
}

function placeOf({ group, kind, namespace }: ObjectId, resourceOf: ResourceOf): Place {
  const { plural, namespaced } = resourceOf(group, kind);
  return { namespace: namespaced ? namespace : undefined, group, plural };
}

function toObject(
  id: ObjectId,
  resourceOf: ResourceOf,
  verbs: readonly string[],
): readonly Right[] {
  const { namespace, group, plural } = placeOf(id, resourceOf);
  return on(namespace, group, plural, verbs, [id.name]);
}

function toKinds({ objects, resourceOf }: RightsSubject, verbs: readonly string[]) {
  return objects.flatMap(({ id }) => {
    const { namespace, group, plural } = placeOf(id, resourceOf);
    return on(namespace, group, plural, verbs);
  });
}

function toObjects(subject: RightsSubject, verbs: readonly string[]): readonly Right[] {
  const { objects, resourceOf, byKind } = subject;
  return objects.flatMap((own) => {
    const { namespace, group, plural } = placeOf(own.id, resourceOf);
    const name = byKind || changesName(own) ? undefined : own.id.name;
    return on(namespace, group, plural, verbs, [name]);
  });
}

/** Whether it takes a while until it is ready, once it is written. */
export function isAwaited({ object }: Pick<OwnObject, "object">): boolean {
  const facts = { now: new Date(0), before: undefined, binding: "unknown" } as const;
  return object !== undefined && statusOf(object, facts).state === "waiting";
}

/** Its next revision has another name, which nobody knows yet. */
function changesName({ id, object }: OwnObject): boolean {
  if (object !== undefined && annotation(object, keepOnDeleteAnnotation) !== undefined) return true;
  return (isCore(id, "ConfigMap") || isCore(id, "Secret")) && nameOfContent.test(id.name);
}

/** A hash, as adapters and Kustomize append it, or a number. */
const nameOfContent = /-([0-9a-f]{8,}|(?=([a-z]*\d){2})[a-z0-9]{8,}|v\d+)$/;

/** Which class is the default one, only the cluster knows. */
function classesOf(objects: readonly OwnObject[]): readonly (string | undefined)[] {
  const claims = objects.filter(({ id }) => isCore(id, "PersistentVolumeClaim"));
  const classes = claims.map(({ object }) => textAt(object, "spec", "storageClassName"));
  return classes.includes(undefined) ? [undefined] : named(classes.flatMap((name) => name ?? []));
}

function toUsers(
  { objects, resourceOf }: RightsSubject,
  kinds: typeof podMakerKinds,
): readonly Right[] {
  const used = objects.filter(
    ({ id, object }) =>
      isNamedByPods(id) ||
      (object !== undefined && annotation(object, keepOnDeleteAnnotation) !== undefined),
  );
  return namespacesOf(used).flatMap((namespace) =>
    kinds.flatMap(([apiVersion, kind]) => {
      const group = groupOf(apiVersion);
      return on(namespace, group, resourceOf(group, kind).plural, ["list"]);
    }),
  );
}

function makesPods({ object }: OwnObject): boolean {
  return object !== undefined && podSpecOf(object) !== undefined;
}

function toEvidence({ objects }: RightsSubject): readonly Right[] {
  // Events about cluster-scoped objects are kept in the namespace default.
  const places = objects.map(({ id }) => id.namespace || "default");
  return [
    ...named(places).flatMap((namespace) => on(namespace, "", "events", ["list"])),
    ...namespacesOf(objects.filter(makesPods)).flatMap((namespace) => [
      ...on(namespace, "", "pods", ["list", "watch"]),
      ...on(namespace, "", "pods/log", ["get"]),
      ...on(namespace, "apps", "replicasets", ["list"]),
    ]),
  ];
}

function toNeeds({ objects, resourceOf }: RightsSubject): readonly Right[] {
  return objects.flatMap(({ id, object }) => {
    const spec = object && podSpecOf(object)?.spec;
    if (spec === undefined) return [];
    const declared = new Set(
      objects.map((own) => `${own.id.namespace} ${own.id.kind} ${own.id.name}`),
    );
    return podNeeds(spec).flatMap(({ kind, name }) =>
      declared.has(`${id.namespace} ${kind} ${name}`)
        ? []
        : toObject({ group: "", kind, namespace: id.namespace, name }, resourceOf, ["get"]),
    );
  });
}

function toScheduling({ objects }: RightsSubject): readonly Right[] {
  const workloads = objects.filter(({ id }) => rollsOut.has(`${id.group}/${id.kind}`));
  if (workloads.length === 0) return [];
  const withClaims = workloads.filter(({ object }) =>
    listAt(object, "spec", "template", "spec", "volumes").some(
      (volume) => textAt(volume, "persistentVolumeClaim", "claimName") !== undefined,
    ),
  );
  return [
    ...["nodes", "pods", "namespaces"].flatMap((plural) => on(undefined, "", plural, ["list"])),
    ...on(undefined, "scheduling.k8s.io", "priorityclasses", ["list"]),
    ...namespacesOf(workloads).flatMap((namespace) =>
      on(namespace, "apps", "replicasets", ["list"]),
    ),
    ...on("kube-system", "", "configmaps", ["get"], ["cluster-autoscaler-status"]),
    ...namespacesOf(withClaims).flatMap((namespace) =>
      on(namespace, "", "persistentvolumeclaims", ["list"]),
    ),
    ...(withClaims.length === 0 ? [] : on(undefined, "", "persistentvolumes", ["list"])),
  ];
}

const rollsOut: ReadonlySet<string> = new Set([
  "apps/Deployment",
  "apps/StatefulSet",
  "apps/DaemonSet",
  "argoproj.io/Rollout",
]);

function isCore({ group, kind }: ObjectId, name: string): boolean {
  return group === "" && kind === name;
}

function namespacesOf(objects: readonly OwnObject[]): readonly string[] {
  return named(objects.flatMap(({ id }) => id.namespace || []));
}
