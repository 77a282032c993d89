import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import type { TestCluster } from "./use-cluster.ts";

/**
 * The namespace of accounts whose reads are also in the audit log
 * (test/support/cluster/audit-policy.yaml).
 */
export const accountsNamespace = "qvs-rbac";

/** An identity without permissions at first. */
export interface TestAccount {
  /** The value for `qvs rbac --subject`. */
  readonly subject: string;
  /** The name in RBAC and in the audit log. */
  readonly user: string;
  readonly kubeconfig: string;
  /** Returns its requests so far, in order. */
  requests(): Promise<readonly SentRequest[]>;
}

/** A request in the terms of RBAC. */
export interface SentRequest {
  readonly verb: string;
  /** The resource, such as `deployments.apps` or `pods/log`. */
  readonly resource: string;
  readonly namespace: string;
  readonly name: string;
  readonly status: number;
  readonly isDryRun: boolean;
}

/** Creates a ServiceAccount with its own kubeconfig. */
export async function newAccount(cluster: TestCluster): Promise<TestAccount> {
  return newNamedAccount(cluster, `account-${randomBytes(4).toString("hex")}`);
}

export async function newNamedAccount(cluster: TestCluster, name: string): Promise<TestAccount> {
  await cluster.kubectl("create", "namespace", accountsNamespace).catch(() => {});
  await cluster.kubectl("create", "serviceaccount", name, "-n", accountsNamespace);
  return accountOf(cluster, name);
}

/** Returns an existing ServiceAccount with a new kubeconfig. */
export async function accountOf(cluster: TestCluster, name: string): Promise<TestAccount> {
  const token = await cluster.kubectl("create", "token", name, "-n", accountsNamespace);
  const folder = mkdtempSync(join(tmpdir(), "account-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const config = JSON.parse(await cluster.kubectl("config", "view", "--raw", "-o", "json"));
  const users = config.users.map((each: { name: string }) => ({
    ...{ name: each.name, user: { token: token.trim() } },
  }));
  const kubeconfig = join(folder, "kubeconfig");
  writeFileSync(kubeconfig, JSON.stringify({ ...config, users }));
  const user = `system:serviceaccount:${accountsNamespace}:${name}`;
  return {
    subject: `serviceaccount:${accountsNamespace}/${name}`,
    kubeconfig,
    user,
    requests: async () => requestsOf(await cluster.auditLogSoFar(), user),
  };
}

function requestsOf(log: string, user: string): readonly SentRequest[] {
  return log
    .split("\n")
    .filter((line) => line.includes(`"username":"${user}"`))
    .map((line) => JSON.parse(line))
    .filter(({ objectRef }) => objectRef?.resource !== undefined)
    .map(({ verb, objectRef, responseStatus, requestURI, requestObject }) => ({
      verb,
      resource: [
        [objectRef.resource, objectRef.subresource].filter(Boolean).join("/"),
        objectRef.apiGroup,
      ]
        .filter(Boolean)
        .join("."),
      namespace: objectRef.namespace ?? "",
      name: objectRef.name ?? "",
      status: responseStatus?.code ?? 0,
      isDryRun: /[?&]dryRun=All/.test(requestURI) || requestObject?.dryRun !== undefined,
    }));
}
