import { cpSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { temporaryRepository } from "../../support/git/temporary-repository.ts";
import { startQvs } from "../../support/qvs/run-qvs.ts";
import { kubeconfigFor } from "../../support/servers/watched-server.ts";

const example = join(import.meta.dirname, "../../../examples/shop");

/**
 * Starts an API server that accepts every request and answers none, as behind a firewall that drops
 * the responses.
 */
async function startSilentServer() {
  const requested = Promise.withResolvers<void>();
  const server = createServer(() => requested.resolve());
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  const { port } = server.address() as AddressInfo;
  return { kubeconfig: kubeconfigFor(`http://127.0.0.1:${port}`), requested: requested.promise };
}

test.for([
  ["diff", "SIGINT", "Canceled."],
  ["diff", "SIGTERM", "Canceled."],
  ["status", "SIGINT", "Canceled."],
  ["deploy", "SIGINT", "Canceled. Nothing was changed."],
  ["deploy", "SIGTERM", "Canceled. Nothing was changed."],
] as const)(
  "%s ends soon after %s while a server does not answer",
  async ([command, signal, output]) => {
    const { directory, write } = temporaryRepository({});
    cpSync(example, directory, { recursive: true });
    const server = await startSilentServer();
    write("kubeconfig.yaml", server.kubeconfig);
    const args = [command, "-d", "shop-staging", "--kubeconfig", "kubeconfig.yaml"];
    const running = startQvs(directory, args);
    await server.requested;
    running.child.kill(signal);
    const { code, stdout, stderr } = await running.result;
    const last = stderr.trim().split("\n").at(-1);
    expect({ code, stdout, last }).toEqual({ code: 130, stdout: "", last: output });
  },
);
