import { randomBytes } from "node:crypto";
import { expect, test } from "vitest";
import { temporaryRepository } from "../../support/git/temporary-repository.ts";
import { loadDuring } from "../../support/node/roll-out.ts";
import { useNode } from "../../support/node/use-node.ts";
import { type QvsResult, runQvs } from "../../support/qvs/run-qvs.ts";
import { greet, shopIn } from "../../support/shop/shop-in.ts";

/** The manifests that qvs itself gives to users lose no request. */
const node = useNode();

test("examples/shop loses no request when its settings change", async () => {
  await node.image("registry.example/shop:1.0.0", { GREETING_FILE: "/etc/shop/settings.yaml" });
  await node.image("registry.example/cache:7", { PORT: "6379" });
  const shop = await shopIn(node);
  succeeded(await shop.qvs("deploy"));
  greet(shop, "Welcome to the shop", "Good morning");
  const place = { namespace: shop.namespace, service: "shop" };
  const { load } = await loadDuring(node, place, async () => succeeded(await shop.qvs("deploy")));
  expect(load.failed, load.log).toBe(0);
  expect(load.requests).toBeGreaterThan(500);
});

test("the files of qvs init lose no request when their settings change", async () => {
  await node.image("registry.example/hello:1.0.0", { LISTEN_AFTER: "2s" });
  const namespace = `hello-${randomBytes(4).toString("hex")}`;
  const { directory, change } = temporaryRepository({ "README.md": "" });
  const env = { KUBECONFIG: node.kubeconfigFor("admin") };
  const flags = ["--name", "hello", "--image", "registry.example/hello:1.0.0", "--no-workflows"];
  succeeded(await runQvs(directory, ["init", "--yes", ...flags], env));
  const place = ["-d", "hello-staging", "-n", namespace, "--param", `namespace=${namespace}`];
  const deploy = async () => succeeded(await runQvs(directory, ["deploy", ...place], env));
  await deploy();
  change(".valuestream/qvs.yaml", "GREETING: hello", "GREETING: good morning");
  const { load } = await loadDuring(node, { namespace, service: "hello" }, deploy);
  expect(load.failed, load.log).toBe(0);
  expect(load.newConnections.answers).toEqual({
    hello: expect.any(Number),
    "good morning": expect.any(Number),
  });
});

function succeeded({ code, stderr }: QvsResult): void {
  expect(code, stderr).toBe(0);
}
