import { afterAll, expect, onTestFinished } from "vitest";
import { parseAllDocuments } from "yaml";
import {
  findDeniedPermissions,
  permissionProblems,
} from "../../../src/planning/permissions/find-denied-permissions.ts";
import type { Permission } from "../../../src/planning/permissions/permission.ts";
import type { Cluster } from "../../../src/ports/kubernetes.ts";
import { openTarget } from "../../../src/world/open-target.ts";
import type { Manifests } from "../../support/cluster/manifests-in.ts";
import type { SentRequest, TestAccount } from "../../support/cluster/service-account.ts";
import { type TestCluster, useCluster } from "../../support/cluster/use-cluster.ts";
import { startCompiler } from "../../support/cue/native.ts";
import { runHere } from "../../support/qvs/run-here.ts";

/** One permission of a printed role. */
export interface Rule {
  readonly place: string;
  readonly resource: string;
  readonly verb: string;
  readonly names: readonly string[];
  readonly isOptional: boolean;
  /** True if the permission is never used, but required by Kubernetes to grant it. */
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

/** Prints and applies roles for an account, and runs qvs with them. */
export interface Roles {
  readonly cluster: TestCluster;
  /**
   * Runs qvs as an account, in this process. `kubeconfig` replaces the account's own kubeconfig.
   */
  as(
    demo: Manifests,
    account: TestAccount,
    kubeconfig?: string,
  ): (command: string, ...args: readonly string[]) => ReturnType<typeof runHere>;
  printed(demo: Manifests, account: TestAccount, what: string, ...flags: string[]): Promise<string>;
  rules(demo: Manifests, account: TestAccount, what: string): Promise<readonly Rule[]>;
  /** Applies YAML to the namespaces in it. */
  applied(yaml: string): Promise<void>;
}

const compiling: ReadonlySet<string> = new Set(["deploy", "diff", "rbac"]);

/** Returns the tools for tests of roles. A test file calls it at its top. */
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
    const result = await as(demo, account)("rbac", what, "--subject", account.subject, ...flags);
    expect(result.code, result.stderr).toBe(0);
    return result.stdout;
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
      const output = await cluster.kubectlOutput(["apply", "-f", "-"], yaml);
      expect(output).not.toMatch(/error|must|invalid/i);
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
 * Compares the rules of a role with the requests, when the audit log is complete. The API server
 * logs a watch when it notices that the client has closed it. `unused` are permissions that these
 * runs don't use, and `chance` are permissions that a run uses only if the cluster is slow.
 */
export async function expectUsed(
  rules: readonly Rule[],
  sent: () => Promise<readonly SentRequest[]>,
  unused: readonly string[] = [],
  chance: readonly string[] = [],
): Promise<void> {
  expect((await sent()).filter(({ status }) => status === 403)).toEqual([]);
  const meant = rules.filter((rule) => !rule.isGiven && !dependsOnTiming(rule));
  const left = async () => {
    const all = await sent();
    const texts = meant.filter((rule) => !isUsed(rule, all)).map(textOf);
    return texts.filter((text) => !chance.includes(text));
  };
  await expect.poll(left, { timeout: 600_000 }).toEqual(unused);
}

/**
 * Reports whether a permission is used only if a deletion takes longer, or if a cluster-scoped
 * object fails. A run also succeeds without it.
 */
function dependsOnTiming({ isOptional, verb, resource, place }: Rule): boolean {
  return isOptional && (verb === "watch" || (resource === "events" && place === "default"));
}

function isUsed(rule: Rule, sent: readonly SentRequest[]): boolean {
  return sent.some(
    ({ verb, resource, namespace, name, status }) =>
      // Server-Side Apply creates objects with a patch. For that, the API server requires the
      // permission `create`.
      (verb === rule.verb || (verb === "patch" && rule.verb === "create" && status === 201)) &&
      resource === rule.resource &&
      (rule.place === "" || namespace === rule.place) &&
      (rule.names.length === 0 || rule.names.includes(name)),
  );
}

export function textOf({ place, resource, verb }: Rule): string {
  return `${verb} ${resource} in ${place || "all"}`;
}

/** Returns a client for the cluster as an account. */
export async function clusterOf({ kubeconfig }: TestAccount): Promise<Cluster> {
  const clock = { now: () => new Date(), elapsed: () => performance.now(), sleep: async () => {} };
  const options = { idTokens: undefined, context: undefined, env: {}, clock, run: undefined };
  const target = await openTarget({ ...options, kubeconfig: { path: kubeconfig } });
  onTestFinished(() => target.close());
  return target.cluster;
}

/** Resolves when the account has all these permissions. New roles take a moment. */
export async function awaitPermissions(api: Cluster, rules: readonly Rule[]): Promise<void> {
  await expect.poll(() => findDeniedPermissions(api, rules.map(permissionOf), 8)).toEqual([]);
}

export function permissionOf({ place, resource, verb, names }: Rule): Permission {
  const [plural = "", ...group] = resource.split(".");
  const namespace = place === "" ? undefined : place;
  return { namespace, group: group.join("."), resource: plural, verb, name: names[0] };
}

/** Revokes each permission separately, and grants it again. */
export async function revokeEach(
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
    (await findDeniedPermissions(api, rules.map(permissionOf), 8)).map(permissionText);
  for (const [index, rule] of rules.entries()) {
    const role = roleOf(rule);
    await applied(JSON.stringify({ ...role, rules: rulesWithout(role.rules, rule) }));
    await expect.poll(missing).toEqual([permissionText(permissionOf(rule))]);
    await lacking(rule);
    // The next revocation in the same role restores this one.
    if (roleOf(rules[index + 1] ?? rule) !== role || index === rules.length - 1) {
      await applied(JSON.stringify(role));
    }
  }
  await expect.poll(missing).toEqual([]);
}

/** Returns the rules of a role without one permission. */
function rulesWithout(rules: readonly PrintedRule["rule"][], rule: Rule) {
  const rest = rules.flatMap((each) => {
    if (!matchesRule(each, rule)) return [each];
    const { resource } = permissionOf(rule);
    const others = each.resources.filter((other) => other !== resource);
    const verbs = each.verbs.filter((verb) => verb !== rule.verb);
    const same = { ...each, resources: [resource], verbs };
    return others.length === 0 ? [same] : [{ ...each, resources: others }, same];
  });
  return rest.filter(({ verbs }) => verbs.length > 0);
}

function matchesRule(
  { apiGroups, resources, resourceNames = [] }: PrintedRule["rule"],
  rule: Rule,
) {
  const { group, resource } = permissionOf(rule);
  const sameNames = resourceNames.join() === rule.names.join();
  return apiGroups.includes(group) && resources.includes(resource) && sameNames;
}

export function permission(
  namespace: string | undefined,
  group: string,
  resource: string,
  verb: string,
  name?: string,
): Permission {
  return { namespace, group, resource, verb, name };
}

function permissionText(one: Permission): string {
  return permissionProblems([one], "deploy", "demo")[0]?.what ?? "";
}
