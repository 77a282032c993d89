import { expect, test } from "vitest";
import { useCluster } from "../support/cluster/use-cluster.ts";
import {
  greet,
  holdPods,
  letPodsGo,
  type Shop,
  shopIn,
  useVersion,
} from "../support/shop/shop-in.ts";

/**
 * Tests the real program against a real control plane like a user: its output, and the API server's
 * requests.
 */
const cluster = useCluster();
const welcome = "shop-settings-cdfefd3095";
const welcomeBack = "shop-settings-5d51df72b0";

/** Deploys a shop as release 1. */
async function deployedShop(): Promise<Shop> {
  const shop = await shopIn(cluster);
  const { code, stdout, stderr } = await shop.qvs("deploy");
  expect(code, stderr).toBe(0);
  expect(stdout).toBe("shop-staging release 1 succeeded\n");
  await shop.writes();
  return shop;
}

test("a renamed ConfigMap is created before its readers change, and the old one is deleted afterwards", async () => {
  const shop = await deployedShop();
  greet(shop, "Welcome to the shop", "Welcome back");
  const { code, stdout } = await shop.qvs("deploy");
  expect({ code, stdout }).toEqual({ code: 0, stdout: "shop-staging release 2 succeeded\n" });
  expect(await shop.writes()).toEqual([
    `patch ConfigMap ${shop.namespace}/${welcomeBack}`,
    `patch Deployment ${shop.namespace}/shop`,
    `delete ConfigMap ${shop.namespace}/${welcome}`,
  ]);
});

test("a preview, a dry run and a deployment show the warnings of the compilation", async () => {
  const shop = await shopIn(cluster);
  const config = "services/shop/.valuestream/qvs.yaml";
  shop.change(
    config,
    "replicas: $(params.replicas)",
    "replicas: $(params.replicas)\n      replica: 3",
  );
  const warning = 'Parameter "replica" isn\'t declared by';
  expect((await shop.qvs("diff")).stdout).toContain(warning);
  expect((await shop.qvs("deploy", "--dry-run")).stdout).toContain(warning);
  expect((await shop.qvs("deploy")).stderr).toContain(warning);
});

test("an unchanged deployment writes only an annotation on its record, and its lock", async () => {
  const shop = await deployedShop();
  const { code, stdout, stderr } = await shop.qvs("deploy");
  expect({ code, stdout }).toEqual({ code: 0, stdout: "shop-staging release 1 unchanged\n" });
  expect(stderr).toContain("6 unchanged");
  expect(await shop.writes()).toEqual([]);
  expect(await shop.records()).toEqual(["1 succeeded"]);
});

test("an image that can't be pulled fails the deployment, and the running Pods stay until a good one", async () => {
  const shop = await deployedShop();
  greet(shop, "Welcome to the shop", "Welcome back");
  useVersion(shop, "1.0.0", "does-not-exist");
  const { code, stdout, stderr } = await shop.qvs("deploy", "--timeout", "8s");
  expect({ code, stdout }).toEqual({ code: 1, stdout: "shop-staging release 2 failed\n" });
  expect(stderr).toMatch(
    /error\[image-pull-failed\]: Deployment \S+\/shop: .*\n[\s\S]*(ImagePullBackOff|ErrImagePull)/,
  );
  expect(stderr).toContain(`not deleted: ConfigMap ${shop.namespace}/${welcome}`);
  const broken = await shop.writes();
  expect(broken.filter((write) => write.startsWith("delete"))).toEqual([]);
  expect(await shop.records()).toEqual(["1 succeeded", "2 failed"]);

  useVersion(shop, "does-not-exist", "1.0.1");
  expect((await shop.qvs("deploy")).code).toBe(0);
  expect(await shop.names("configmaps")).toEqual(["kube-root-ca.crt", welcomeBack]);
  expect(await shop.records()).toEqual(["1 succeeded", "2 failed", "3 succeeded"]);
});

test("a rollback restores the objects of an earlier release as a new release", async () => {
  const shop = await deployedShop();
  greet(shop, "Welcome to the shop", "Welcome back");
  expect((await shop.qvs("deploy")).code).toBe(0);
  await shop.writes();

  const shown = await shop.qvs("rollback", "--to", "previous", "--dry-run");
  expect(shown.stdout).toMatch(
    /^Rollback to release 1 \([^)]*deployed (?:just now|1 minute ago)\):\n\nshop-staging: 0 to create, .*\n\n~/,
  );

  const previous = await shop.qvs("rollback", "--to", "previous");
  expect(previous.stderr).toMatch(/Rolling back to release 1 \([^)]*deployed (?:just|1 minute)/);
  expect(previous.stdout, previous.stderr).toBe(
    "shop-staging release 3 succeeded (rollback to release 1)\n",
  );
  expect(await shop.writes()).toEqual([
    `patch ConfigMap ${shop.namespace}/${welcome}`,
    `patch Deployment ${shop.namespace}/shop`,
    `delete ConfigMap ${shop.namespace}/${welcomeBack}`,
  ]);

  const second = await shop.qvs("rollback", "--to", "2");
  expect(second.stdout, second.stderr).toBe(
    "shop-staging release 4 succeeded (rollback to release 2)\n",
  );
  expect(await shop.names("configmaps")).toEqual(["kube-root-ca.crt", welcomeBack]);
});

test("a deployment that was never deployed has no rollback target and no drift, and qvs reports it before it takes a lock", async () => {
  const shop = await shopIn(cluster, "not-here");
  const never = '"shop-staging" has never been deployed';
  for (const to of ["previous", "3"]) {
    const { code, stderr } = await shop.qvs("rollback", "--to", to);
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining(never) });
  }
  const { code, stdout } = await shop.qvs("drift");
  expect({ code, stdout }).toEqual({
    code: 1,
    stdout: expect.stringMatching(
      /^shop-staging: drift couldn't be checked\n {2}error\[release-not-found\]: "shop-staging" has never been deployed\n {4}why: .*\n {4}help: Deploy it first\n/,
    ),
  });
});

test("a rollback to an unknown release is rejected with a list of the recorded ones", async () => {
  const shop = await deployedShop();
  const { code, stdout, stderr } = await shop.qvs("rollback", "--to", "7");
  expect({ code, stdout, stderr }).toEqual({
    code: 1,
    stdout: "",
    stderr: `\
error[release-not-found]: Release 7 doesn't exist
  recorded: 1 (current)
  help: Choose one of the recorded releases

Nothing was changed.
`,
  });
  expect(await shop.writes()).toEqual([]);
});

test("diff shows the changes of a deployment and writes nothing", async () => {
  const shop = await deployedShop();
  greet(shop, "Welcome to the shop", "Welcome back");
  const { code, stdout, stderr } = await shop.qvs("diff", "--exit-code");
  expect({ code, stderr }).toEqual({ code: 2, stderr: "" });
  expect(stdout).toContain(`~ rename ConfigMap ${shop.namespace}/${welcome} → ${welcomeBack}`);
  expect(await shop.writes()).toEqual([]);
  expect(await shop.records()).toEqual(["1 succeeded"]);
});

test("Ctrl-C ends a rollout cleanly: it is recorded and unlocked, and the next run completes it", async () => {
  const shop = await deployedShop();
  greet(shop, "Welcome to the shop", "Welcome back");
  holdPods(shop);
  const running = shop.start("deploy");
  await running.says(`Deployment ${shop.namespace}/shop: waiting`);
  running.child.kill("SIGINT");
  const { code, stdout, stderr } = await running.result;
  expect({ code, stdout }).toEqual({ code: 130, stdout: "shop-staging release 2 canceled\n" });
  expect(stderr).toContain("The run was canceled");
  expect(stderr).toContain(
    "Run again: the next run continues from the current state of the cluster",
  );
  expect(await shop.records()).toEqual(["1 succeeded", "2 failed"]);

  const again = shop.start("deploy", "--no-wait-for-lock");
  await again.says(`Deployment ${shop.namespace}/shop: waiting`);
  const completed = await letPodsGo(shop, cluster, again.result);
  expect(completed.stdout).toBe("shop-staging release 3 succeeded\n");
  expect(await shop.names("configmaps")).toEqual(["kube-root-ca.crt", welcomeBack]);
});

test("the second of two concurrent deployments waits or fails with the name of the first", async () => {
  const shop = await shopIn(cluster);
  holdPods(shop);
  const first = shop.start("deploy");
  await first.says(`Deployment ${shop.namespace}/shop: waiting`);
  const waiting = shop.start("deploy");
  await waiting.says("lock");
  const impatient = await shop.qvs("deploy", "--no-wait-for-lock");
  const beside = await shop.qvs("diff");
  const chosen = await shop.qvs("rollback", "--to", "9", "--dry-run");
  const done = await letPodsGo(shop, cluster, first.result);
  expect(done.stdout).toBe("shop-staging release 1 succeeded\n");
  expect(impatient.code).toBe(1);
  expect(impatient.stderr).toMatch(
    /Deployment "shop-staging" is locked by \S+@\S+ \(pid \d+\)\n {2}since: /,
  );
  expect(impatient.stderr).toContain("\n\nNothing was changed.\n");
  expect(beside.stdout).toMatch(
    /Release 1 is under way\n +lock: +\S+@\S+ \(pid \d+\) has held the lock since \S+Z\n +last success: none\n[\s\S]*Wait until it has ended/,
  );
  expect(chosen.stderr).toContain("Release 9 doesn't exist\n  recorded: 1 (under way)\n");
  expect((await waiting.result).stdout).toBe("shop-staging release 1 unchanged\n");
});

test("a missing namespace is reported with a fix", async () => {
  const shop = await shopIn(cluster, "no-such-namespace");
  const { code, stdout, stderr } = await shop.qvs("deploy");
  expect({ code, stdout, stderr }).toEqual({
    code: 1,
    stdout: "",
    stderr: `\
error[namespace-not-found]: Deployment "shop-staging" can't be locked
  answer: namespaces "no-such-namespace" not found
  help: Create the namespace no-such-namespace, which contains the releases and the lock

Nothing was changed.
`,
  });
});

test("a release is a Secret of its own type with labels", async () => {
  const shop = await deployedShop();
  const secret = JSON.parse(
    await cluster.kubectl(
      "get",
      "secret",
      "qvs.shop-staging.v1",
      "-n",
      shop.namespace,
      "-o",
      "json",
    ),
  );
  expect(secret.type).toBe("vs.axis-dev.io/release.v1");
  expect(secret.metadata.labels).toEqual({
    "app.kubernetes.io/managed-by": "qvs",
    "vs.axis-dev.io/deployment": "shop-staging",
    "vs.axis-dev.io/revision": "1",
    "vs.axis-dev.io/status": "succeeded",
  });
});
