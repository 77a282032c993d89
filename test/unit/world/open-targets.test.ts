import { readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import type { Deployment } from "../../../src/model/deployments/deployment.ts";
import { sentSecrets } from "../../../src/redaction/sent-secrets.ts";
import { openTargets } from "../../../src/world/open-targets.ts";
import type { WorldOptions } from "../../../src/world/open-world.ts";
import { temporaryDirectory } from "../../support/git/git-fixture.ts";

const settings = {
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name: "settings", namespace: "shop" },
} as const;

const kinds = { kind: "APIResourceList", resources: [{ name: "configmaps", kind: "ConfigMap" }] };

/** An API server that counts its connections, and a credential plugin that counts its starts. */
async function startCounting() {
  const directory = temporaryDirectory();
  const starts = join(directory, "starts");
  writeFileSync(starts, "");
  let connections = 0;
  const server = createServer((request, response) => {
    const isDiscovery = request.url === "/api" || request.url?.startsWith("/api/v1?") === true;
    const body = isDiscovery || request.url === "/api/v1" ? kinds : settings;
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(body));
  });
  server.on("connection", () => {
    connections += 1;
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const credential = { apiVersion: "client.authentication.k8s.io/v1", kind: "ExecCredential" };
  const answer = JSON.stringify({ ...credential, status: { token: "token-of-the-plugin" } });
  const exec = {
    apiVersion: credential.apiVersion,
    interactiveMode: "Never",
    command: "sh",
    args: ["-c", `echo start >>'${starts}'; echo '${answer}'`],
  };
  const content = JSON.stringify({
    clusters: [{ name: "c", cluster: { server: `http://127.0.0.1:${port}` } }],
    users: [{ name: "u", user: { exec } }],
    contexts: [{ name: "c", context: { cluster: "c", user: "u" } }],
    "current-context": "c",
  });
  return {
    content,
    connections: () => connections,
    pluginStarts: () => readFileSync(starts, "utf8").split("\n").length - 1,
  };
}

function openAll(content: string) {
  const targets = openTargets({
    directory: temporaryDirectory(),
    env: { PATH: process.env.PATH },
    kubeconfig: { content },
    origin: { commit: undefined, actor: undefined, run: "test" },
    sent: sentSecrets(),
  } as unknown as WorldOptions & { readonly sent: ReturnType<typeof sentSecrets> });
  onTestFinished(() => targets.close());
  return targets;
}

function deploymentNamed(name: string): Deployment {
  return { name, context: undefined } as Deployment;
}

test("the deployments of a run share the login and the connections of their cluster", async () => {
  const counting = await startCounting();
  const targets = openAll(counting.content);
  for (const name of ["a", "b", "c", "d", "e"]) {
    const { cluster } = await targets.open(deploymentNamed(name));
    const address = { ...settings, name: "settings", namespace: "shop" };
    expect(await cluster.read(address)).toMatchObject({ ok: true, value: settings });
  }
  expect(counting.pluginStarts()).toBe(1);
  expect(counting.connections()).toBeLessThanOrEqual(2);
});

test("only the deployment that wrote counts as changed", async () => {
  const counting = await startCounting();
  const targets = openAll(counting.content);
  await targets.open(deploymentNamed("a"));
  const { cluster } = await targets.open(deploymentNamed("b"));
  expect(targets.hasWritten()).toBe(false);
  await cluster.create(settings);
  expect(["a", "b", "c", undefined].map((name) => targets.hasChanged(name))).toEqual([
    false,
    true,
    false,
    true,
  ]);
  expect(targets.hasWritten()).toBe(true);
});
