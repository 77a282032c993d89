import { readFileSync, statSync } from "node:fs";
import type { IdTokenServer } from "../../io/kubernetes/kubeconfig/id-token-credentials.ts";
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
    return named.length === 0 ? ok(undefined) : failed([noServerProblem(named)]);
  }
  const authority = readAuthority(certificateAuthority);
  const problems = [
    ...addressProblems(server),
    ...(authority.ok ? [] : authority.problems),
    ...(given.kubeconfig === "" ? [] : [bothSetProblem]),
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

function noServerProblem(names: readonly string[]): Problem {
  const [inputs, have, them] =
    names.length === 1 ? ["Input", "has", "it"] : ["Inputs", "have", "them"];
  return problem({
    what: `${inputs} ${names.join(" and ")} ${have} no effect without the input server`,
    fix: "Set the input server to the address of the API server",
    otherwise: [`remove ${them} if you use a kubeconfig, which contains its own`],
  });
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
    problem({
      what: "Input server: the value isn't a plain https address",
      why: "The address must start with https:// and have no user, password, query or fragment",
      fix: "Copy the address from the kubeconfig, for example https://203.0.113.7:6443",
    }),
  ];
}

const bothSetProblem = problem({
  what: "Inputs kubeconfig and server are both set",
  why: "A kubeconfig contains its own address and credentials",
  fix: "Remove one of the two inputs",
});

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
    problem({
      what: "Input certificate-authority: the value isn't a certificate",
      why: "It must be a certificate in PEM, PEM in Base64, or the path of a PEM file",
      fix: "Copy the value of `certificate-authority-data` from the kubeconfig",
    }),
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

function problem(about: Omit<Problem, "code" | "where">): Problem {
  return { code: "invalid-input", where: [], ...about };
}
