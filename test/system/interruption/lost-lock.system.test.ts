import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, test } from "vitest";
import { manifestsIn } from "../../support/cluster/manifests-in.ts";
import { useCluster } from "../../support/cluster/use-cluster.ts";
import { startCompiler } from "../../support/cue/native.ts";
import { runHere } from "../../support/qvs/run-here.ts";
import { type Interference, startApiProxy } from "../../support/servers/api-proxy.ts";

/**
 * Tests a run whose lock another run takes in the middle of a request. The next write must not be
 * sent.
 */
const cluster = useCluster();
const compiler = startCompiler();
afterAll(() => compiler.close());

const configMap = (name: string) => `{apiVersion: v1, kind: ConfigMap, metadata: {name: ${name}}}`;

/**
 * Longer than a run needs to notice that it lost its lock. It checks at each renewal, every 10 s,
 * and no request is waited for longer.
 */
const longerThanRenewals = 30;

test.concurrent.for<{
  readonly name: string;
  /** The request at which the lock is taken, and the fault of that request. */
  readonly at: string;
  readonly interference: (noticed: Promise<void>) => Interference;
  readonly unsent: string;
}>([
  {
    name: "an object isn't sent again after the API server was too busy",
    at: "apply configmaps/new",
    interference: () => ({
      answer: { status: 429, headers: { "retry-after": `${longerThanRenewals}` }, body: "{}" },
    }),
    unsent: "apply configmaps/new",
  },
  {
    name: "an object isn't deleted after its last read",
    at: "read configmaps/old",
    interference: (noticed) => ({ after: () => noticed }),
    unsent: "delete configmaps/old",
  },
])("$name", async ({ at, interference, unsent }, { expect, onTestFinished }) => {
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
  const noticed = Promise.withResolvers<void>();
  let isRefused = false;
  const refused = () => {
    isRefused = true;
  };
  proxy.setRule(({ text, position }) => {
    // After a rejected renewal, the run reads the Lease. The run is in this process, so it knows
    // the answer a moment later.
    if (takenAt !== undefined && text === "replace leases/qvs-demo") return { after: refused };
    if (isRefused && text === "read leases/qvs-demo")
      return { after: () => void setTimeout(noticed.resolve, 3_000) };
    if (text !== at || takenAt !== undefined) return undefined;
    takenAt = position;
    const take = async () => {
      const patch = '{"spec":{"holderIdentity":"thief"}}';
      await demo.kubectl("patch", "lease", "qvs-demo", "--type=merge", "-p", patch);
    };
    return { ...interference(noticed.promise), before: take };
  });
  demo.declare({ app: configMap("new") });
  const { code, stdout } = await demo.qvs("deploy", "--kubeconfig", proxy.kubeconfig);
  await proxy.settled();
  const since = proxy.requests.filter(({ position }) => position > (takenAt ?? 0));
  expect(since.map(({ text }) => text)).not.toContain(unsent);
  // The run still records its own end, and leaves the lock to the new holder.
  expect({ code, stdout }).toEqual({ code: 1, stdout: "demo release 2 failed\n" });
  expect(since.flatMap(({ write, text }) => (write === undefined ? [] : [text]))).toEqual([
    "replace leases/qvs-demo",
    "replace secrets/qvs.demo.v2",
  ]);
});
