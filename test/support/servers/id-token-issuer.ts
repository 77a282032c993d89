import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { createServer as createHttpServer } from "node:http";
import { createServer } from "node:https";
import type { AddressInfo, Server } from "node:net";
import { join } from "node:path";
import { signingKey } from "./id-tokens.ts";

export interface IdTokenIssuer {
  /** The value for `issuer` in the API server's AuthenticationConfiguration. */
  readonly url: string;
  readonly certificateAuthority: string;
  /** The variables that GitHub sets for a job with the permission. */
  readonly env: Readonly<Record<string, string>>;
  /** The job that requests tokens, and the lifetime of tokens in seconds. */
  readonly job: { subject: string; life: number };
  /** The tokens so far. */
  readonly issued: readonly string[];
  close(): void;
}

/**
 * Starts GitHub's parts of the ID token exchange on loopback.
 * They are the issuer, from which API servers read the keys, and the endpoint from which jobs
 * request tokens.
 */
export async function startIdTokenIssuer(folder: string): Promise<IdTokenIssuer> {
  const { key, cert } = certificate(folder);
  const signing = signingKey();
  const issued: string[] = [];
  const job = { subject: "repo:acme/shop:environment:production", life: 300 };
  const keys = createServer({ key, cert }, (request, response) => {
    const isDiscovery = request.url === "/.well-known/openid-configuration";
    response.end(JSON.stringify(isDiscovery ? discoveryOf(url) : signing.jwks));
  });
  const tokens = createHttpServer((request, response) => {
    const audience = new URL(request.url ?? "/", url).searchParams.get("audience");
    if (request.headers.authorization !== `Bearer ${requestToken}`) {
      response.writeHead(401).end();
      return;
    }
    const iat = Math.floor(Date.now() / 1000);
    const times = { iat, nbf: iat, exp: iat + job.life, jti: String(issued.length) };
    issued.push(signing.sign({ iss: url, aud: audience, sub: job.subject, ...times }));
    response.end(JSON.stringify({ value: issued.at(-1) }));
  });
  const url = `https://127.0.0.1:${await listen(keys)}`;
  const tokenUrl = `http://127.0.0.1:${await listen(tokens)}/?api-version=2.0`;
  return {
    url,
    certificateAuthority: cert,
    env: {
      ACTIONS_ID_TOKEN_REQUEST_URL: tokenUrl,
      ACTIONS_ID_TOKEN_REQUEST_TOKEN: requestToken,
    },
    job,
    issued,
    close: () => {
      for (const server of [keys, tokens]) {
        server.closeAllConnections();
        server.close();
      }
    },
  };
}

const requestToken = "what-a-job-asks-with";

function discoveryOf(issuer: string): object {
  return {
    issuer,
    jwks_uri: `${issuer}/jwks`,
    response_types_supported: ["id_token"],
    subject_types_supported: ["public"],
    id_token_signing_alg_values_supported: ["RS256"],
  };
}

async function listen(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return (server.address() as AddressInfo).port;
}

function certificate(folder: string) {
  const [key, cert] = [join(folder, "key.pem"), join(folder, "cert.pem")];
  const subject = ["-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1"];
  const made = ["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"];
  const files = ["-days", "2", "-keyout", key, "-out", cert];
  execFileSync("openssl", [...made, ...subject, ...files], { stdio: "ignore" });
  return { key: readFileSync(key, "utf8"), cert: readFileSync(cert, "utf8") };
}
