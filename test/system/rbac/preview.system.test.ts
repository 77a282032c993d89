import { expect, test } from "vitest";
import { uidOf } from "../../../src/model/object.ts";
import { type Manifests, manifestsIn } from "../../support/cluster/manifests-in.ts";
import { newAccount, type TestAccount } from "../../support/cluster/service-account.ts";
import { everything, theirs } from "./everything.ts";
import { clusterOf, expectUsed, hold, useRoles } from "./roles.ts";

/**
 * Tests that the identity of previews can read everything that a preview shows, and write nothing,
 * on a real control plane.
 */
const roles = useRoles();
const { cluster } = roles;

const denial = "this identity is only allowed to make dry runs";

async function allWritesAreDenied({ namespace }: Manifests, account: TestAccount) {
  const api = await clusterOf(account);
  const own = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "mine", namespace } };
  const lease = { apiVersion: "coordination.k8s.io/v1", kind: "Lease" };
  const lock = { ...lease, metadata: { name: "qvs-demo", namespace }, spec: {} };
  const address = { apiVersion: "v1", kind: "ConfigMap", namespace, name: "settings-11111111" };
  const listed = await api.list("v1", "ConfigMap", namespace);
  const live = listed.ok
    ? listed.value.items.find(({ metadata }) => metadata.name === address.name)
    : undefined;
  const manager = { fieldManager: "mine", force: true, dryRun: false };
  const labelled = {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: address.name, namespace, labels: { a: "b" } },
  };
  const writes = () => [
    api.create(own),
    api.create(lock),
    api.apply(labelled, manager),
    api.patch(address, [{ op: "add", path: "/data", value: {} }], manager),
    api.delete(address, uidOf(live ?? {})),
  ];
  const refusals = async () =>
    (await Promise.all(writes())).map((answer) =>
      answer.ok ? "it was done" : String(answer.failure.message.includes(denial)),
    );
  // A new policy is in effect only after a few seconds. Until then, the identity could write only
  // its own object.
  await expect.poll(async () => (await api.create(own)).ok).toBe(false);
  expect(await refusals()).toEqual(["true", "true", "true", "true", "true"]);
}

test("under the policy of `qvs rbac preview` every preview works, and every write is denied", async () => {
  const demo = await manifestsIn(cluster);
  const place = demo.namespace;
  const account = await newAccount(cluster);
  const { outside, hold: holdTheirs, free } = await theirs(cluster);
  await holdTheirs();
  await free();
  const declare = (hash: string) =>
    demo.declare({ app: everything({ place, outside, hash, claim: "data" }) });
  declare("11111111");
  await roles.applied(await roles.printed(demo, account, "preview"));
  const rules = await roles.rules(demo, account, "preview");
  const preview = async () => {
    const { code, stdout, stderr } = await roles.as(demo, account)(
      "diff",
      "--allow-delete=PersistentVolumeClaim",
    );
    expect(code, `${stdout} ${stderr}`).toBe(0);
    expect(stdout).not.toContain("missing-permission");
  };
  const api = await clusterOf(account);
  await hold(api, rules);
  const before = (await account.requests()).length;
  await preview();
  expect((await demo.qvs("deploy", "--quiet", "--timeout", "10m")).code).toBe(0);
  declare("22222222");
  await preview();
  demo.declare({ app: "{apiVersion: v1, kind: ConfigMap, metadata: {name: settings-44444444}}" });
  await preview();

  const sent = async () => (await account.requests()).slice(before);
  const real = (await sent()).filter(
    ({ verb, isDryRun }) => !/get|list|watch/.test(verb) && !isDryRun,
  );
  expect(real).toEqual([]);
  // This cluster serves no Gateway API and has no Karpenter.
  await expectUsed(rules, sent, [
    `list httproutes.gateway.networking.k8s.io in ${place}`,
    "list nodepools.karpenter.sh in all",
  ]);
  await allWritesAreDenied(demo, account);
});
