import { createHash } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

/** A request that a registry received. */
interface SeenRequest {
  readonly path: string;
  readonly authorization: string | undefined;
}

const chartType = "application/vnd.cncf.helm.chart.content.v1.tar+gzip";

/**
 * An OCI registry and a Helm repository with the same charts, on this machine and without TLS.
 * https://github.com/opencontainers/distribution-spec/blob/main/spec.md
 */
export class ChartRegistry {
  readonly seen: SeenRequest[] = [];
  /** Answers that replace those of the registry, by path. */
  readonly answers = new Map<string, Answer>();
  /** `USER:PASSWORD` that the registry asks for, and the kind of its challenge. */
  login: { readonly text: string; readonly scheme: "Basic" | "Bearer" } | undefined;
  readonly #charts = new Map<string, Map<string, Buffer>>();
  readonly #server = createServer((request, response) => this.#answer(request, response));

  async start(): Promise<this> {
    await new Promise<void>((resolve) => this.#server.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => {
      this.#server.closeAllConnections();
      this.#server.close();
    });
    return this;
  }

  get host(): string {
    return `127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Adds or replaces a version, and returns its digest. */
  push(name: string, version: string, content: Buffer): string {
    const versions = this.#charts.get(name) ?? new Map<string, Buffer>();
    this.#charts.set(name, versions.set(version, content));
    return digestOf(content);
  }

  #answer(request: IncomingMessage, response: ServerResponse): void {
    const { pathname } = new URL(request.url ?? "", "http://registry");
    const { authorization } = request.headers;
    this.seen.push({ path: request.url ?? "", authorization });
    const replaced = this.answers.get(pathname);
    if (replaced !== undefined) replaced(request, response);
    else if (pathname === "/token") this.#token(authorization, response);
    else if (!this.#isAllowed(authorization)) this.#challenge(response);
    else {
      const content = this.#find(pathname);
      response.writeHead(content === undefined ? 404 : 200).end(content);
    }
  }

  #find(path: string): string | Buffer | undefined {
    if (path === "/index.yaml") return this.index();
    for (const [name, versions] of this.#charts) {
      for (const [version, content] of versions) {
        if (path === `/${name}-${version}.tgz`) return content;
        if (path === `/v2/${name}/manifests/${version.replaceAll("+", "_")}`)
          return manifest(content);
        if (path === `/v2/${name}/blobs/${digestOf(content)}`) return content;
      }
      if (path === `/v2/${name}/tags/list`)
        return JSON.stringify({ name, tags: [...versions.keys()] });
    }
    return undefined;
  }

  /** Returns the index in the form that Helm writes. */
  index(): string {
    const lines = [...this.#charts].flatMap(([name, versions]) => [
      `  ${name}:`,
      ...[...versions].flatMap(([version, content]) => [
        `  - name: ${name}`,
        `    version: ${version}`,
        `    digest: ${digestOf(content).slice("sha256:".length)}`,
        `    urls: [${name}-${version}.tgz]`,
      ]),
    ]);
    return ["apiVersion: v1", "entries:", ...lines, ""].join("\n");
  }

  #isAllowed(authorization: string | undefined): boolean {
    if (this.login === undefined) return true;
    return authorization === (this.login.scheme === "Bearer" ? bearer : basic(this.login.text));
  }

  #challenge(response: ServerResponse): void {
    const realm = `realm="http://${this.host}/token",service="registry",scope="repository:x:push"`;
    const header = this.login?.scheme === "Bearer" ? `Bearer ${realm}` : 'Basic realm="x"';
    response.writeHead(401, { "www-authenticate": header }).end();
  }

  #token(authorization: string | undefined, response: ServerResponse): void {
    const isKnown = authorization === basic(this.login?.text ?? "");
    response.writeHead(isKnown ? 200 : 401).end(JSON.stringify({ token: "token-of-registry" }));
  }
}

const bearer = "Bearer token-of-registry";

function basic(login: string): string {
  return `Basic ${Buffer.from(login).toString("base64")}`;
}

function manifest(content: Buffer): string {
  const layer = { mediaType: chartType, digest: digestOf(content), size: content.length };
  return JSON.stringify({ schemaVersion: 2, layers: [layer] });
}

export function digestOf(content: Buffer): string {
  return `sha256:${createHash("sha256").update(content).digest("hex")}`;
}
