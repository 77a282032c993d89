import { execFileSync } from "node:child_process";
import { cpSync, existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { useCluster } from "../../support/cluster/use-cluster.ts";
import { temporaryRepository } from "../../support/git/temporary-repository.ts";
import { runQvs } from "../../support/qvs/run-qvs.ts";

/**
 * The directory of the official adapters, from QVS_CORPUS. They aren't part of this project.
 * Without the variable, this test is skipped.
 */
const corpus = join(process.env.QVS_CORPUS ?? "", "official-cloud-native-adapters");
const available = process.env.QVS_CORPUS !== undefined && existsSync(corpus);
const cluster = useCluster();

describe.skipIf(!available)("the official adapter for a public API on AWS", () => {
  it("is deployed until it is ready, and is unchanged by the next deployment", async () => {
    const namespace = await cluster.namespace("api");
    const directory = repositoryFor(namespace);
    const deploy = () =>
      runQvs(directory, ["deploy", "-n", namespace, "--timeout", "10m"], {
        KUBECONFIG: cluster.kubeconfigFor("admin"),
      });

    const first = await deploy();
    expect(first.stdout, first.stderr).toBe("shop release 1 succeeded\n");
    const path = "jsonpath={.status.availableReplicas}";
    const ready = await cluster.kubectl("get", "deployment/api", "-n", namespace, "-o", path);
    expect(ready).toBe("3");

    const before = await cluster.auditWrites(namespace);
    const second = await deploy();
    expect(second.stdout, second.stderr).toBe("shop release 1 unchanged\n");
    const writes = (await cluster.auditWrites(namespace)).slice(before.length);
    expect(writes.filter((write) => !/ (Secret \S+\/qvs\.|Lease )/.test(write))).toEqual([]);
  });
});

/**
 * Creates a Git repository with the adapters in a directory, and a config that uses one with the
 * params of its case.
 */
function repositoryFor(namespace: string): string {
  const text = readFileSync(
    join(import.meta.dirname, "../../support/corpus/aws-public-api.yaml"),
    "utf8",
  );
  const { pattern, params } = parse(text) as { pattern: string; params: object };
  const config = {
    modules: [{ name: "qmonus.net/adapter/official", local: { path: "../official" } }],
    designPatterns: [{ pattern, params: { ...params, k8sNamespace: namespace } }],
  };
  const { directory } = temporaryRepository({ ".valuestream/qvs.yaml": JSON.stringify(config) });
  cpSync(corpus, join(directory, "official"), { recursive: true });
  execFileSync("git", ["init", "--quiet"], { cwd: directory });
  return directory;
}
