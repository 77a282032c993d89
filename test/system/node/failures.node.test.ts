import { createServer } from "node:http";
import { expect, onTestFinished, test } from "vitest";
import { useNode } from "../../support/node/use-node.ts";
import { webAppOn } from "../../support/node/web-app.ts";

/** Failed rollouts lose no request, and the report quotes the real kubelet and containerd. */
const node = useNode();

test("an image that no registry has", async () => {
  const port = await registryWithoutImages();
  const app = await webAppOn(node);
  expect((await app.deploy({ greeting: "blue" })).code).toBe(0);
  const image = `127.0.0.1:${port}/web:2.0.0`;
  const bad = { greeting: "green", image };
  const { result, load } = await app.deployUnderLoad(bad, "--timeout", "20s");
  expect(result.code).toBe(1);
  expect(result.stderr).toContain("error[image-pull-failed]: Deployment");
  expect(result.stderr).toContain(`Back-off pulling image "${image}"`);
  expect(result.stderr).toContain("not found");
  expect(load.failed, load.log).toBe(0);
  expect(Object.keys(load.newConnections.answers)).toEqual(["blue"]);
});

test("a program that crashes, with --on-failure rollback", async () => {
  const app = await webAppOn(node);
  expect((await app.deploy({ greeting: "blue" })).code).toBe(0);
  const bad = { greeting: "green", environment: { CRASH: "the database has no table orders" } };
  const { result, load } = await app.deployUnderLoad(
    bad,
    ...["--timeout", "40s", "--on-failure", "rollback"],
  );
  expect(result.code).toBe(1);
  expect(result.stderr).toContain("fatal: the database has no table orders");
  expect(result.stderr).toMatch(/exit code 1|exited with 1/i);
  expect(load.failed, load.log).toBe(0);
  expect(Object.keys(load.newConnections.answers)).toEqual(["blue"]);
  const template = "jsonpath={.spec.template.spec.containers[0].env}";
  expect(await node.kubectl("get", "deployment", "web", "-n", app.namespace, "-o", template)).toBe(
    "",
  );
});

test("a program that never becomes ready", async () => {
  const app = await webAppOn(node);
  expect((await app.deploy({ greeting: "blue" })).code).toBe(0);
  const bad = { greeting: "green", environment: { READY_AFTER: "1h" } };
  const { result, load } = await app.deployUnderLoad(bad, "--timeout", "20s");
  expect(result.code).toBe(1);
  expect(result.stderr).toContain("Readiness probe failed: HTTP probe failed with statuscode: 503");
  expect(load.failed, load.log).toBe(0);
});

/** Starts a registry that answers like a real one, and has no image. Returns its port. */
async function registryWithoutImages(): Promise<number> {
  const missing = { errors: [{ code: "MANIFEST_UNKNOWN", message: "manifest unknown" }] };
  const server = createServer((request, response) => {
    response.setHeader("content-type", "application/json");
    response.statusCode = request.url === "/v2/" ? 200 : 404;
    response.end(request.url === "/v2/" ? "{}" : JSON.stringify(missing));
  });
  onTestFinished(() => void server.close());
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  return typeof address === "object" && address !== null ? address.port : 0;
}
