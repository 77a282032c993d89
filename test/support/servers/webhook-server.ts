import { readFileSync } from "node:fs";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { json } from "node:stream/consumers";
import type { JsonObject } from "../../../src/model/json.ts";
import type { TestCluster } from "../cluster/use-cluster.ts";

export interface WebhookServer {
  /** The value for `clientConfig` of a webhook. */
  readonly clientConfig: { readonly url: string; readonly caBundle: string };
  close(): void;
}

/** Serves AdmissionReviews on this machine. `answer` returns the response without its UID. */
export async function serveReviews(
  cluster: TestCluster,
  answer: (request: JsonObject) => JsonObject,
): Promise<WebhookServer> {
  // The API server's certificate, which is valid for this address.
  const file = (name: string) => readFileSync(join(cluster.directory, "certificates", name));
  const [cert, key] = [file("apiserver.crt"), file("apiserver.key")];
  const server = createServer({ cert, key }, async (incoming, response) => {
    const { request } = (await json(incoming)) as { readonly request: JsonObject };
    const review = { uid: request["uid"] ?? null, ...answer(request) };
    const body = { apiVersion: "admission.k8s.io/v1", kind: "AdmissionReview", response: review };
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  return {
    clientConfig: { url, caBundle: cert.toString("base64") },
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}

/** Returns the answer that accepts an object with a JSON Patch (RFC 6902). */
export function patchedBy(patch: readonly object[]): JsonObject {
  const encoded = Buffer.from(JSON.stringify(patch)).toString("base64");
  return { allowed: true, patchType: "JSONPatch", patch: encoded };
}
