import { execFileSync, spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer, type Server } from "node:https";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { environment, temporaryDirectory } from "../git/git-fixture.ts";

export interface HttpsServerOptions {
  /** The directory of the served repositories, by their paths in it. */
  readonly root: string;
  /** The only accepted password, for any user name. Default: all requests are accepted. */
  readonly password?: string;
  /**
   * The prefix of the address to which every request is redirected. The request's own path follows
   * it.
   */
  readonly redirectTo?: string;
}

/** git's own HTTP server behind TLS, like a host of repositories. */
export interface HttpsServer {
  /** `127.0.0.1:PORT` */
  readonly host: string;
  /** The environment that makes git trust the certificate. */
  readonly trusted: Readonly<Record<string, string>>;
  /** The Authorization header of each request. "" for none. */
  readonly authorizations: readonly string[];
  /** The paths of the requests. */
  readonly paths: readonly string[];
}

export async function startHttpsServer(options: HttpsServerOptions): Promise<HttpsServer> {
  const { key, cert, file } = certificate();
  const authorizations: string[] = [];
  const paths: string[] = [];
  const server = createServer({ key, cert }, (request, response) => {
    authorizations.push(request.headers.authorization ?? "");
    paths.push(request.url ?? "");
    answer(request, response, options);
  });
  await listen(server);
  const { port } = server.address() as AddressInfo;
  return { host: `127.0.0.1:${port}`, trusted: { GIT_SSL_CAINFO: file }, authorizations, paths };
}

function answer(
  request: IncomingMessage,
  response: ServerResponse,
  { root, password, redirectTo }: HttpsServerOptions,
): void {
  if (redirectTo !== undefined) {
    response.writeHead(301, { location: `${redirectTo}${request.url}` }).end();
  } else if (password !== undefined && passwordIn(request) !== password) {
    response.writeHead(401, { "www-authenticate": 'Basic realm="git"' }).end();
  } else {
    serveGit(request, response, root);
  }
}

function passwordIn({ headers }: IncomingMessage): string | undefined {
  const basic = /^Basic (.*)$/i.exec(headers.authorization ?? "")?.[1];
  if (basic === undefined) return undefined;
  return Buffer.from(basic, "base64").toString().split(":")[1];
}

/**
 * Runs git's CGI program: the request is in the environment, and the answer has headers before its
 * body.
 */
function serveGit(request: IncomingMessage, response: ServerResponse, root: string): void {
  const url = new URL(request.url ?? "/", "https://host");
  const child = spawn("git", ["http-backend"], {
    env: {
      ...environment,
      GIT_PROJECT_ROOT: root,
      GIT_HTTP_EXPORT_ALL: "1",
      REQUEST_METHOD: request.method,
      PATH_INFO: url.pathname,
      QUERY_STRING: url.search.slice(1),
      CONTENT_TYPE: request.headers["content-type"] ?? "",
      HTTP_CONTENT_ENCODING: request.headers["content-encoding"] ?? "",
      GIT_PROTOCOL: String(request.headers["git-protocol"] ?? ""),
    },
  });
  request.pipe(child.stdin);
  // A client can close the connection early.
  child.stdin.on("error", () => {});
  const chunks: Buffer[] = [];
  child.stdout.on("data", (chunk: Buffer) => chunks.push(chunk));
  child.on("close", () => {
    const output = Buffer.concat(chunks);
    const end = output.indexOf("\r\n\r\n");
    let status = 200;
    for (const line of output.subarray(0, end).toString().split("\r\n")) {
      const [name = "", value = ""] = line.split(": ");
      if (name === "Status") status = Number.parseInt(value, 10);
      else response.setHeader(name, value);
    }
    response.writeHead(status).end(output.subarray(end + 4));
  });
}

async function listen(server: Server): Promise<void> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
}

function certificate() {
  const folder = temporaryDirectory();
  const [key, cert] = [join(folder, "key.pem"), join(folder, "cert.pem")];
  const subject = ["-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1"];
  const made = ["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"];
  const files = ["-days", "2", "-keyout", key, "-out", cert];
  execFileSync("openssl", [...made, ...subject, ...files], { stdio: "ignore" });
  return { key: readFileSync(key), cert: readFileSync(cert), file: cert };
}
