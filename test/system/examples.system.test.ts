import { cpSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { useCluster } from "../support/cluster/use-cluster.ts";
import { temporaryRepository } from "../support/git/temporary-repository.ts";
import { runQvs } from "../support/qvs/run-qvs.ts";

/** Tests the examples: each one compiles, is deployed, is changed and is rolled back. */
const cluster = useCluster();

interface Example {
  readonly name: string;
  readonly deployments: readonly string[];
  /** A change by the next pull request: a file, and a text in it before and after the change. */
  readonly change: readonly [string, string, string];
  /** Creates additional objects that the example needs, such as disks. */
  readonly prepare?: (namespace: string) => Promise<readonly string[]>;
}

const examples: readonly Example[] = [
  {
    name: "worker",
    deployments: ["mailer-staging"],
    change: [".valuestream/params/staging.yaml", "1.0.0", "1.1.0"],
  },
  {
    name: "stateful",
    deployments: ["store-staging"],
    change: [".valuestream/params/staging.yaml", "256mb", "512mb"],
    prepare: provideDisks,
  },
  {
    name: "operator",
    deployments: ["backup-staging"],
    change: [".valuestream/params/staging.yaml", "0 3 * * *", "0 4 * * *"],
  },
  {
    name: "monorepo",
    deployments: ["accounts-staging", "search-staging", "checkout-staging"],
    change: ["adapters/service/main.cue", "*8080", "*9090"],
  },
  {
    name: "blue-green",
    deployments: ["storefront-staging"],
    change: [".valuestream/params/staging.yaml", "1.0.0", "1.1.0"],
  },
];

test.each(examples)(
  "examples/$name compiles, is deployed, changes and is rolled back",
  async (one) => {
    const { name, deployments, change, prepare } = one;
    const namespace = await cluster.namespace(name);
    const { directory, change: edit } = copyOf(name);
    const more = (await prepare?.(namespace)) ?? [];
    const params = [`namespace=${namespace}`, ...more].flatMap((param) => ["--param", param]);
    const qvs = async (...args: readonly string[]): Promise<string> => {
      const env = { KUBECONFIG: cluster.kubeconfigFor("admin") };
      const { code, stdout, stderr } = await runQvs(directory, [...args], env);
      expect(code, `qvs ${args.join(" ")}\n${stderr}`).toBe(0);
      return stdout;
    };
    const at = (deployment: string) => ["-d", deployment, "-n", namespace];

    await qvs("compile", "--all", "--check", ...params);
    for (const each of deployments) {
      expect(await qvs("deploy", ...at(each), ...params)).toBe(`${each} release 1 succeeded\n`);
    }
    edit(...change);
    for (const each of deployments) {
      expect(await qvs("deploy", ...at(each), ...params)).toBe(`${each} release 2 succeeded\n`);
      expect(await qvs("rollback", ...at(each), "--to", "1")).toBe(
        `${each} release 3 succeeded (rollback to release 1)\n`,
      );
    }
    edit(change[0], change[2], change[1]);
    for (const each of deployments) {
      expect(await qvs("diff", ...at(each), ...params)).toContain(`No changes: ${each}`);
    }
  },
);

const root = join(import.meta.dirname, "../..");

function copyOf(name: string) {
  const repository = temporaryRepository({});
  cpSync(join(root, "examples", name), repository.directory, { recursive: true });
  return repository;
}

/** Creates one disk for each Pod of the store, of a separate class. */
async function provideDisks(namespace: string): Promise<readonly string[]> {
  for (const number of [0, 1]) {
    await cluster.apply(
      namespace,
      `
apiVersion: v1
kind: PersistentVolume
metadata: {name: ${namespace}-${number}}
spec:
  accessModes: [ReadWriteOnce]
  capacity: {storage: 1Gi}
  hostPath: {path: /nowhere}
  storageClassName: ${namespace}
`,
    );
  }
  return [`storageClass=${namespace}`];
}
