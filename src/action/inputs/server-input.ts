import { readFileSync, statSync } from "node:fs";
import type { IdTokenServer } from "../../io/kubernetes/kubeconfig/id-token.ts";
import { failed, ok, type Problem, type Result } from "../../model/problems/problem.ts";

/** The inputs for an API server that accepts GitHub's ID tokens. */
export interface ServerInputs {
  readonly server: string;
  readonly certificateAuthority: string;
  readonly audience: string;
  readonly context: string;
  readonly kubeconfig: string;
}

/**
 * Reads the inputs. Returns undefined if the input server isn't set, and all errors together
 * otherwise.
 */
export function readServerInput(
  given: ServerInputs,
): Result<Omit<IdTokenServer, "issue"> | undefined> {
  const { server, certificateAuthority, audience, context } = given;
  if (server === "") {
    const named = unusedInputs(given);
    return named.length === 0 ? ok(undefined) : failed([withoutServer(named)]);
  }
  const authority = readAuthority(certificateAuthority);
  const problems = [
    ...addressProblems(server),
    ...(authority.ok ? [] : authority.problems),
    ...(given.kubeconfig === "" ? [] : [beside]),
  ];
  if (problems.length > 0 || !authority.ok) return failed(problems);
  const address = new URL(server).href.replace(/(?<!\/)\/+$/, "");
  return ok({
    server: address,
    certificateAuthority: authority.value,
    audience: audience || address,
    context: context || undefined,
  });
}

function unusedInputs({ certificateAuthority, audience }: ServerInputs): readonly string[] {
  const given = { "certificate-authority": certificateAuthority, "oidc-audience": audience };
  return Object.entries(given).flatMap(([name, value]) => (value === "" ? [] : [name]));
}

function withoutServer(names: readonly string[]): Problem {
  return problem(
    `the input ${names.join(" and ")} is given, but no input server`,
    "Give the address of the API server as the input server, or leave this out: a kubeconfig has its own",
  );
}

/**
 * Returns the errors of the address. The token must not be sent unencrypted, and no part of the
 * address is masked.
 */
function addressProblems(server: string): readonly Problem[] {
  const url = URL.canParse(server) ? new URL(server) : undefined;
  const isPlain = url?.username === "" && url.password === "" && url.search === "";
  if (url?.protocol === "https:" && isPlain && url.hash === "") return [];
  return [
    problem(
      "the input server is not an https address without user, password and query",
      "Give it as the kubeconfig has it, e.g. https://203.0.113.7:6443",
    ),
  ];
}

const beside = problem(
  "the inputs kubeconfig and server are both given",
  "Leave out one of them: a kubeconfig has its own address and credentials",
);

/**
 * Reads a certificate: PEM, Base64 of PEM (as `certificate-authority-data` in a kubeconfig), or a
 * path to a PEM file.
 */
function readAuthority(input: string): Result<string | undefined> {
  if (input === "") return ok(undefined);
  const texts = [input, Buffer.from(input, "base64").toString("utf8"), readFile(input) ?? ""];
  const pem = texts.find((text) => text.includes("-----BEGIN CERTIFICATE-----"));
  if (pem !== undefined) return ok(pem);
  return failed([
    problem(
      "the input certificate-authority is neither a certificate in PEM, nor that in Base64, nor a path to such a file",
      "Give what the kubeconfig has as `certificate-authority-data`",
    ),
  ]);
}

/**
 * The largest certificate file. It is much more than the certificates of all public authorities.
 */
const largestFile = 4 << 20;

function readFile(path: string): string | undefined {
  try {
    return statSync(path).size > largestFile ? undefined : readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}

function problem(what: string, fix: string): Problem {
  return { code: "invalid-input", where: [], what, fix };
}
