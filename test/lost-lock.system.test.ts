import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, expect, test } from "vitest";
import { startCompiler } from "../src/world/start-compiler.ts";
import { runHere } from "./cli/run-here.ts";
import { useCluster } from "./support/cluster.ts";
import { manifestsIn } from "./support/manifests-in.ts";
import { type Interference, startApiProxy } from "./sweeps/api-proxy.ts";

/** A run whose lock somebody else takes in the middle of a request: what it was about to write must not come any more. */
const cluster = useCluster();
const compiler = startCompiler();
afterAll(() => compiler.close());

const configMap = (name: string) => `{apiVersion: v1, kind: ConfigMap, metadata: {name: ${name}}}`;

/** Longer than it takes a run to notice that its lock is another's: it looks when it renews, every 10 s. */
const untilNoticed = 13_000;

test.for<{
  readonly name: string;
  /** The request at which the lock is taken, and what becomes of that request. */
  readonly at: string;
  readonly interference: Interference;
  readonly unsent: string;
}>([
  {
    name: "an object that the server was too busy for is not sent again",
    at: "apply configmaps/new",
    interference: {
      answer: {
        status: 429,
        headers: { "retry-after": String(untilNoticed / 1000) },
        body: "{}",
      },
    },
    unsent: "apply configmaps/new",
  },
  {
    name: "an object is not deleted after the last look at it",
    at: "read configmaps/old",
    interference: { after: () => sleep(untilNoticed) },
    unsent: "delete configmaps/old",
  },
])("$name", async ({ at, interference, unsent }, { onTestFinished }) => {
  const demo = await manifestsIn(cluster, undefined, {
    onFinished: onTestFinished,
    run: (folder, args, env) => runHere(folder, args, compiler, env),
  });
  demo.declare({ app: configMap("old") });
  expect((await demo.qvs("deploy")).stdout).toBe("demo release 1 succeeded\n");

  const folder = mkdtempSync(join(tmpdir(), "qvs-lost-lock-"));
  const proxy = await startApiProxy(cluster.kubeconfig, folder, "loser");
  onTestFinished(() => proxy.close());
  let takenAt: number | undefined;
  proxy.obey(({ text, position }) => {
    if (text !== at || takenAt !== undefined) return undefined;
    takenAt = position;
    const take = async () => {
      const patch = '{"spec":{"holderIdentity":"thief"}}';
      await demo.kubectl("patch", "lease", "qvs-demo", "--type=merge", "-p", patch);
    };
    return { ...interference, before: take };
  });
  demo.declare({ app: configMap("new") });
  const { code, stdout } = await demo.qvs("deploy", "--kubeconfig", proxy.kubeconfig);
  await proxy.settled();
  const since = proxy.asked.filter(({ position }) => position > (takenAt ?? 0));
  expect(since.map(({ text }) => text)).not.toContain(unsent);
  // It records its own end all the same, and leaves the lock to its new holder.
  expect({ code, stdout }).toEqual({ code: 1, stdout: "demo release 2 failed\n" });
  expect(since.flatMap(({ write, text }) => (write === undefined ? [] : [text]))).toEqual([
    "replace leases/qvs-demo",
    "replace secrets/qvs.demo.v2",
  ]);
});
