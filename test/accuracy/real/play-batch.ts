import { type Json, type JsonObject, textAt } from "../../../src/model/json.ts";
import { groupOf, type KubeObject, nameOf } from "../../../src/model/object.ts";
import { type Change, fieldManager } from "../../../src/model/plan.ts";
import { isAbout } from "../../../src/model/problems/problem.ts";
import type { Compiler } from "../../../src/ports/cue.ts";
import { runHere } from "../../cli/run-here.ts";
import type { TestCluster } from "../../support/cluster.ts";
import { type Manifests, manifestsIn } from "../../support/manifests-in.ts";
import type { QvsResult } from "../../support/run-qvs.ts";
import { type Accuracy, compareRefused } from "../compare.ts";
import { foretell } from "../foretell.ts";
import { runForetold } from "../run-foretold.ts";
import type { Edit } from "./edits.ts";
import { type From, manifestsFrom, objectsIn } from "./sources.ts";

/** Changes of real manifests that are made in one deployment. */
export interface Batch {
  readonly what: string;
  readonly from: readonly Taken[];
  /** More of what is there before, in YAML: kinds that no example has. */
  readonly given?: string;
  /** What another person does in between, by kubectl. */
  readonly meanwhile?: readonly (readonly string[])[];
  readonly changes: readonly RealChange[];
}

export type RealChange = readonly [what: string, ...edits: readonly Edit[]];

interface Taken {
  readonly from: From;
  /** `Kind/name` of what is taken of it; all where it is not said. */
  readonly only?: readonly string[];
  /** Whether it comes only with the changes. */
  readonly isNew?: boolean;
  /** Taken in the place of what was there by the same name. */
  readonly named?: (name: string, index: number) => string;
}

interface Setting {
  readonly cluster: TestCluster;
  readonly compiler: Compiler;
  readonly accuracy: Accuracy;
  readonly onFinished: (work: () => void) => void;
}

/**
 * Deploys the manifests as they are, changes them, and holds the preview against the deployment. What the preview says would be refused is
 * left out of that, and sent by kubectl afterwards: then everything else is there, and the server has to refuse it.
 */
export async function playBatch(batch: Batch, setting: Setting): Promise<void> {
  const { cluster, compiler, accuracy, onFinished } = setting;
  const namespace = await cluster.namespace("real");
  const shop = await manifestsIn(cluster, namespace, {
    onFinished,
    run: (directory, args, env = {}) => runForetold(directory, args, compiler, env, accuracy),
  });
  const [before, after] = await stagesOf(batch, namespace);
  declare(shop, before);
  if (before.length > 0) mustSucceed(await shop.qvs("deploy", "--quiet"), batch, "as it is");
  for (const words of batch.meanwhile ?? []) await shop.kubectl(...words);
  declare(shop, after);
  const send = (objects: readonly Change[]) => accepted(cluster, namespace, objects);
  const { refused, conflicting } = await refusedObjects(setting, shop);
  await compareRefused(conflicting, send, accuracy);
  declare(shop, without(after, before, refused));
  const force = conflicting.length > 0 ? ["--conflicts=force"] : [];
  mustSucceed(await shop.qvs("deploy", "--quiet", ...force), batch, "as it is changed");
  await compareRefused(refused, send, accuracy);
}

async function stagesOf(
  { from, given = "", changes }: Batch,
  namespace: string,
): Promise<readonly [readonly KubeObject[], readonly KubeObject[]]> {
  const taken = await Promise.all(from.map(take));
  const before = [
    ...from.flatMap(({ isNew }, index) => (isNew ? [] : (taken[index] ?? []))),
    ...objectsIn(given),
  ];
  const all = byName([
    ...before,
    ...from.flatMap((each, index) => (each.isNew ? (taken[index] ?? []) : [])),
  ]);
  const edits = changes.flatMap(([, ...each]) => each);
  const after = edits.reduce<KubeObject[]>(
    (objects, edit) => edit(objects),
    structuredClone([...all]),
  );
  const groups = groupsIn([...before, ...after]);
  return [placed(before, groups, namespace), placed(after, groups, namespace)];
}

async function take({ from, only, named }: Taken): Promise<readonly KubeObject[]> {
  const found = await manifestsFrom(from);
  const chosen = found.filter(
    ({ kind, metadata }) =>
      !everywhere.has(kind) && (only?.includes(`${kind}/${metadata["name"]}`) ?? true),
  );
  if (only !== undefined && chosen.length < only.length) throw new Error(`${from} lacks ${only}`);
  return chosen.map((object, index) => {
    const { namespace: _, name, ...metadata } = object.metadata;
    const own = named?.(String(name), index) ?? name;
    return { ...object, metadata: { ...metadata, name: own ?? null } };
  });
}

/** The last one of each name. */
function byName(objects: readonly KubeObject[]): readonly KubeObject[] {
  const named = objects.map((each) => [`${each.kind}/${each.metadata["name"]}`, each] as const);
  return [...new Map(named).values()];
}

/** These would take part in what all other tests do. */
const everywhere: ReadonlySet<string> = new Set([
  ...["APIService", "MutatingWebhookConfiguration", "ValidatingWebhookConfiguration"],
  ...["Namespace", "PodSecurityPolicy", "ResourceQuota"],
]);

const ofCluster: ReadonlySet<string> = new Set([
  ...["ClusterRole", "ClusterRoleBinding", "CSIDriver", "PriorityClass", "StorageClass"],
  ...["IngressClass", "RuntimeClass", "ValidatingAdmissionPolicy"],
]);

/** Groups of definitions in the batch, without those below another one. */
function groupsIn(objects: readonly KubeObject[]): readonly string[] {
  const all = objects.flatMap((object) =>
    object.kind === "CustomResourceDefinition" ? (textAt(object, "spec", "group") ?? []) : [],
  );
  return [...new Set(all)].filter((group) => !all.some((other) => group.endsWith(`.${other}`)));
}

/** What there can be only one of in a cluster gets a name of this run. */
function placed(
  objects: readonly KubeObject[],
  groups: readonly string[],
  namespace: string,
): readonly KubeObject[] {
  const rename = (text: string) =>
    groups.reduce((renamed, group) => renamed.replaceAll(group, `${namespace}.${group}`), text);
  return objects.map((object) => {
    const own: KubeObject = JSON.parse(rename(JSON.stringify(object)));
    if (!ofCluster.has(own.kind)) return own;
    const name = `${own.metadata["name"]}-${namespace}`;
    return withoutDefault({ ...own, metadata: { ...own.metadata, name } });
  });
}

/** What no other test asks for: it would get the claims of all of them. */
function withoutDefault(object: KubeObject): KubeObject {
  const text = JSON.stringify(object);
  return JSON.parse(text.replaceAll(/(is-default-class":)"true"/g, '$1"false"'));
}

function declare(shop: Manifests, objects: readonly KubeObject[]): void {
  const ids = objects.map((object): readonly [string, Json] => [idIn(object), object]);
  shop.write("params.json", JSON.stringify({ appSetup: {}, app: Object.fromEntries(ids) }));
}

function idIn({ kind, metadata }: JsonObject & KubeObject): string {
  return `${kind}-${metadata["name"]}`.toLowerCase().replaceAll(/[^a-z0-9-]/g, "-");
}

function mustSucceed({ code, stdout, stderr }: QvsResult, { what }: Batch, how: string): void {
  if (code !== 0) throw new Error(`${what}, ${how}:\n${stdout}${stderr}`);
}

interface Refused {
  readonly refused: readonly Change[];
  /** They are refused as long as nobody forces them. */
  readonly conflicting: readonly Change[];
}

/** The changes that the preview says the server or qvs refuses. */
async function refusedObjects(
  { cluster, compiler }: Setting,
  { directory, namespace }: Manifests,
): Promise<Refused> {
  const env = { KUBECONFIG: cluster.kubeconfigFor("admin") };
  const args = ["deploy", "-n", namespace, "-p", "params.json"];
  const foretold = await foretell(directory, args, compiler, env);
  if (foretold === undefined) {
    const { stderr } = await runHere(directory, ["diff", ...args.slice(1)], compiler, env);
    throw new Error(`There is no preview: ${stderr}`);
  }
  foretold.close();
  const { plan, blockers } = foretold.report;
  const blocked = (plan?.changes ?? []).map((change) => ({
    change,
    codes: blockers
      .filter((blocker) => isAbout(blocker, nameOf(change.id)))
      .map(({ code }) => code),
  }));
  const isOfConflict = (code: string) => code === "field-conflict";
  return {
    conflicting: blocked
      .filter(({ codes }) => codes.length > 0 && codes.every(isOfConflict))
      .map(({ change }) => change),
    refused: blocked
      .filter(({ codes }) => codes.some((code) => !isOfConflict(code)))
      .map(({ change }) => change),
  };
}

function without(
  after: readonly KubeObject[],
  before: readonly KubeObject[],
  refused: readonly Change[],
): readonly KubeObject[] {
  return after.flatMap((object) => {
    const isRefused = refused.some(({ desired }) => isSame(desired, object));
    if (!isRefused) return [object];
    return before.find((each) => isSame(each, object)) ?? [];
  });
}

function isSame(one: KubeObject, other: KubeObject): boolean {
  const isOfName = one.metadata["name"] === other.metadata["name"];
  return (
    one.kind === other.kind && groupOf(one.apiVersion) === groupOf(other.apiVersion) && isOfName
  );
}

/** Those that the server takes, sent by kubectl exactly as the deployment would send them; and its messages. */
async function accepted(
  cluster: TestCluster,
  namespace: string,
  changes: readonly Change[],
): Promise<{ readonly names: readonly string[]; readonly messages: string }> {
  const list = { apiVersion: "v1", kind: "List", items: changes.map(({ desired }) => desired) };
  const manager = fieldManager("demo", "app");
  const words = ["apply", "--server-side", `--field-manager=${manager}`, "-f", "-"];
  const said = await cluster.kubectlSays(["-n", namespace, ...words], JSON.stringify(list));
  const names = changes
    .filter(({ desired }) => said.includes(`/${desired.metadata["name"]} serverside-applied`))
    .map(({ id }) => nameOf(id));
  return { names, messages: said };
}
