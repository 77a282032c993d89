import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished } from "vitest";
import { boundedFetch } from "../../../src/io/github/bounded-fetch.ts";
import { createClient } from "../../../src/io/github/client.ts";
import { openPullRequest } from "../../../src/io/github/pull-request.ts";
import { connect } from "../../../src/io/kubernetes/kubeconfig/connect.ts";
import { attacks } from "../attack.ts";

/** The other hostile services: GitHub's API, and the plugins in kubeconfigs. */
const inputs: readonly {
  readonly name: string;
  readonly ask: () => Promise<unknown>;
  readonly says: string;
}[] = [
  {
    name: "endless pages of comments",
    ask: async () => {
      const apiUrl = await serving((response) => {
        response.setHeader("link", `<${apiUrl}/x?page=2>; rel="next"`);
        response.setHeader("content-type", "application/json");
        response.end("[]");
      });
      const client = createClient({ token: "t", apiUrl, warn: () => {} });
      return openPullRequest(client, { owner: "acme", repo: "shop" }, 7).comments();
    },
    says: "GitHub's API answered with more than 100 pages",
  },
  {
    name: "an answer of GitHub's API without an end",
    ask: async () => {
      const url = await serving((response) => {
        const write = () => {
          if (response.write("a".repeat(1 << 16))) setImmediate(write);
          else response.once("drain", write);
        };
        write();
      });
      return boundedFetch(fetch, { bytes: 1 << 20, duration: 20_000 })(url);
    },
    says: "GitHub's API answered with more than 1 MiB",
  },
  {
    name: "an answer of GitHub's API drop by drop",
    ask: async () => {
      const url = await serving((response) => {
        const timer = setInterval(() => response.write("a"), 20);
        response.on("close", () => clearInterval(timer));
      });
      return boundedFetch(fetch, { bytes: 1 << 20, duration: 300 })(url);
    },
    says: "The operation was aborted due to timeout",
  },
  {
    name: "a credential plugin with endless output",
    ask: async () => {
      const { credentials } = await connect({
        kubeconfig: { content: kubeconfig("exec yes") },
        env: {},
      });
      return credentials();
    },
    says: "printed more than 4 MiB",
  },
  {
    name: "a credential plugin with endless errors",
    ask: async () => {
      const { credentials } = await connect({
        kubeconfig: { content: kubeconfig("yes >&2") },
        env: {},
      });
      return credentials();
    },
    says: "printed more than 4 MiB",
  },
];

attacks("bounds", "$name", inputs, async ({ ask, says }) => {
  const said = await ask().then(
    () => "it was believed",
    (error: Error) => error.message,
  );
  expect(said).toContain(says);
});

async function serving(answer: (response: ServerResponse) => void): Promise<string> {
  const server = createServer((_, response) => answer(response));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

function kubeconfig(script: string): string {
  const folder = mkdtempSync(join(tmpdir(), "qvs-plugin-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const command = join(folder, "plugin");
  writeFileSync(command, `#!/bin/sh\n${script}\n`);
  chmodSync(command, 0o755);
  return `apiVersion: v1
kind: Config
current-context: a
contexts: [{name: a, context: {cluster: a, user: a}}]
clusters: [{name: a, cluster: {server: "http://127.0.0.1:1"}}]
users: [{name: a, user: {exec: {apiVersion: client.authentication.k8s.io/v1, command: "${command}", interactiveMode: Never}}}]
`;
}
