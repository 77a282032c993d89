import { afterAll, expect, onTestFinished } from "vitest";
import { parseAllDocuments } from "yaml";
import {
  findDeniedPermissions,
  permissionProblems,
} from "../../../src/planning/permissions/find-denied-permissions.ts";
import type { Permission } from "../../../src/planning/permissions/permission.ts";
import type { Cluster } from "../../../src/ports/kubernetes.ts";
import { openTarget } from "../../../src/world/open-target.ts";
import { startCompiler } from "../../../src/world/start-compiler.ts";
import type { Manifests } from "../../support/cluster/manifests-in.ts";
import type { SentRequest, TestAccount } from "../../support/cluster/service-account.ts";
import { type TestCluster, useCluster } from "../../support/cluster/use-cluster.ts";
import { runHere } from "../../support/qvs/run-here.ts";

/** A printed rule, by its verbs. */
export interface Rule {
  readonly place: string;
  readonly resource: string;
  readonly verb: string;
  readonly names: readonly string[];
  readonly isOptional: boolean;
  /** It is never used: having it is what Kubernetes asks for. */
  readonly isGiven: boolean;
}

export interface PrintedRule {
  readonly role: { readonly namespace?: string };
  readonly rule: Readonly<
    Record<"apiGroups" | "resources" | "verbs", readonly string[]> & {
      resourceNames?: readonly string[];
    }
  >;
  readonly without?: string;
  readonly why: string;
}

/** What `qvs rbac` prints for an account, and what comes of a run as this account. */
export interface Roles {
  readonly cluster: TestCluster;
  /** qvs as an account, within this process. `kubeconfig` leads to the cluster by another way than the account's own. */
  as(
    demo: Manifests,
    account: TestAccount,
    kubeconfig?: string,
  ): (command: string, ...args: readonly string[]) => ReturnType<typeof runHere>;
  printed(demo: Manifests, account: TestAccount, what: string, ...flags: string[]): Promise<string>;
  rules(demo: Manifests, account: TestAccount, what: string): Promise<readonly Rule[]>;
  /** Into the namespaces that it names itself. */
  applied(yaml: string): Promise<void>;
}

const compiling: ReadonlySet<string> = new Set(["deploy", "diff", "rbac"]);

/** To be called at the top of a test file. */
export function useRoles(): Roles {
  const cluster = useCluster();
  const compiler = startCompiler();
  afterAll(() => compiler.close());
  const as: Roles["as"] =
    (demo, account, kubeconfig = account.kubeconfig) =>
    (command, ...args) => {
      const params = compiling.has(command) ? ["-p", "params.json"] : [];
      const argv = [command, "-n", demo.namespace, ...params, ...args];
      return runHere(demo.directory, argv, compiler, { KUBECONFIG: kubeconfig });
    };
  const printed: Roles["printed"] = async (demo, account, what, ...flags) => {
    const told = await as(demo, account)("rbac", what, "--subject", account.subject, ...flags);
    expect(told.code, told.stderr).toBe(0);
    return told.stdout;
  };
  return {
    cluster,
    as,
    printed,
    async rules(demo, account, what) {
      const { rules } = JSON.parse(await printed(demo, account, what, "--format", "json"));
      return (rules as readonly PrintedRule[]).flatMap(rulesOf);
    },
    async applied(yaml) {
      const said = await cluster.kubectlSays(["apply", "-f", "-"], yaml);
      expect(said).not.toMatch(/error|must|invalid/i);
    },
  };
}

export function rulesOf({ role, rule, without, why }: PrintedRule): readonly Rule[] {
  return rule.resources.flatMap((resource) =>
    rule.verbs.map((verb) => ({
      ...{ place: role.namespace ?? "", verb, names: rule.resourceNames ?? [] },
      resource: [resource, rule.apiGroups[0]].filter(Boolean).join("."),
      isOptional: without !== undefined,
      isGiven: why.startsWith("Create Roles and bindings"),
    })),
  );
}

/**
 * Holds the rules of a role against what was sent, once the log is whole: a watch is written to it when the server has noticed that nobody
 * listens any more. `unused` is what no run of this kind uses, and `chance` what it uses only if the cluster is slower than the run.
 */
export async function expectUsed(
  rules: readonly Rule[],
  sent: () => Promise<readonly SentRequest[]>,
  unused: readonly string[] = [],
  chance: readonly string[] = [],
): Promise<void> {
  expect((await sent()).filter(({ status }) => status === 403)).toEqual([]);
  const meant = rules.filter((rule) => !rule.isGiven && !isOfMoments(rule));
  const left = async () => {
    const all = await sent();
    const texts = meant.filter((rule) => !isUsed(rule, all)).map(textOf);
    return texts.filter((text) => !chance.includes(text));
  };
  await expect.poll(left, { timeout: 600_000 }).toEqual(unused);
}

/** What a run uses only if an object is not deleted at once, or if one outside of namespaces fails. Without it, all is done as well. */
function isOfMoments({ isOptional, verb, resource, place }: Rule): boolean {
  return isOptional && (verb === "watch" || (resource === "events" && place === "default"));
}

function isUsed(rule: Rule, sent: readonly SentRequest[]): boolean {
  return sent.some(
    ({ verb, resource, namespace, name, status }) =>
      // Server-Side Apply creates by a patch, which the server allows to who may create as well.
      (verb === rule.verb || (verb === "patch" && rule.verb === "create" && status === 201)) &&
      resource === rule.resource &&
      (rule.place === "" || namespace === rule.place) &&
      (rule.names.length === 0 || rule.names.includes(name)),
  );
}

export function textOf({ place, resource, verb }: Rule): string {
  return `${verb} ${resource} in ${place || "all"}`;
}

/** The cluster as an account sees it. */
export async function clusterOf({ kubeconfig }: TestAccount): Promise<Cluster> {
  const clock = { now: () => new Date(), elapsed: () => performance.now(), sleep: async () => {} };
  const options = { idTokens: undefined, context: undefined, env: {}, clock, run: undefined };
  const target = await openTarget({ ...options, kubeconfig: { path: kubeconfig } });
  onTestFinished(() => target.close());
  return target.cluster;
}

/** Resolves when the server gives an account all of these rights: new roles take it a moment. */
export async function hold(api: Cluster, rules: readonly Rule[]): Promise<void> {
  await expect.poll(() => findDeniedPermissions(api, rules.map(rightOf), 8)).toEqual([]);
}

export function rightOf({ place, resource, verb, names }: Rule): Permission {
  const [plural = "", ...group] = resource.split(".");
  const namespace = place === "" ? undefined : place;
  return { namespace, group: group.join("."), resource: plural, verb, name: names[0] };
}

/** Takes each of these rights away by itself, and gives it back. */
export async function takeAway(
  { applied }: Roles,
  api: Cluster,
  given: { readonly printed: string; readonly rules: readonly Rule[] },
  lacking: (rule: Rule) => Promise<void> = async () => {},
): Promise<void> {
  const { printed, rules } = given;
  const documents = parseAllDocuments(printed).map((document) => document.toJS());
  const roleOf = (rule: Rule) =>
    documents.find(
      ({ kind, metadata }) =>
        kind.endsWith("Role") &&
        (metadata.namespace ?? "") === rule.place &&
        !metadata.name.endsWith("-optional"),
    );
  const missing = async () =>
    (await findDeniedPermissions(api, rules.map(rightOf), 8)).map(textOfRight);
  for (const [index, rule] of rules.entries()) {
    const role = roleOf(rule);
    await applied(JSON.stringify({ ...role, rules: rulesWithout(role.rules, rule) }));
    await expect.poll(missing).toEqual([textOfRight(rightOf(rule))]);
    await lacking(rule);
    // The next one of the same role takes its place.
    if (roleOf(rules[index + 1] ?? rule) !== role || index === rules.length - 1) {
      await applied(JSON.stringify(role));
    }
  }
  await expect.poll(missing).toEqual([]);
}

/** The rules of a role without one right. */
function rulesWithout(rules: readonly PrintedRule["rule"][], rule: Rule) {
  const rest = rules.flatMap((each) => {
    if (!isOf(each, rule)) return [each];
    const { resource } = rightOf(rule);
    const others = each.resources.filter((other) => other !== resource);
    const verbs = each.verbs.filter((verb) => verb !== rule.verb);
    const same = { ...each, resources: [resource], verbs };
    return others.length === 0 ? [same] : [{ ...each, resources: others }, same];
  });
  return rest.filter(({ verbs }) => verbs.length > 0);
}

function isOf({ apiGroups, resources, resourceNames = [] }: PrintedRule["rule"], rule: Rule) {
  const { group, resource } = rightOf(rule);
  const sameNames = resourceNames.join() === rule.names.join();
  return apiGroups.includes(group) && resources.includes(resource) && sameNames;
}

export function right(
  namespace: string | undefined,
  group: string,
  resource: string,
  verb: string,
  name?: string,
): Permission {
  return { namespace, group, resource, verb, name };
}

function textOfRight(one: Permission): string {
  return permissionProblems([one], "deploy", "demo")[0]?.what ?? "";
}
