import { fieldOf } from "../../../model/json.ts";
import { userError } from "../../../model/problems/errors.ts";
import type { Environment } from "../../environment.ts";

/** A token for modules in private repositories, and the only host that receives it. */
export interface ModuleToken {
  readonly token: string;
  /** The host, for example `github.com`. It has a port if that isn't 443. */
  readonly host: string;
}

/**
 * Returns the token for one host: the named host, or the host of the GitHub that runs qvs.
 * Undefined if the token is undefined or empty.
 * Throws a UserError for a token with invalid characters or without a valid host: another host
 * could receive it.
 */
export function moduleToken(
  token: string | undefined,
  host: string | undefined,
  { GITHUB_SERVER_URL }: Environment,
): ModuleToken | undefined {
  const secret = token?.trim() ?? "";
  if (secret === "") return undefined;
  if (/[^\x21-\x7e]/.test(secret)) {
    throw userError(
      "invalid-input",
      "The token for modules contains characters that aren't allowed in a token",
      "Set only the token, without spaces and line breaks",
    );
  }
  const named = host || URL.parse(GITHUB_SERVER_URL || "https://github.com")?.host;
  if (named !== undefined && isHost(named)) return { token: secret, host: named };
  throw userError(
    "invalid-input",
    "The token for modules has no valid host",
    "Set the host, such as github.com, in the Action's input modules-host or in QVS_MODULES_HOST",
  );
}

function isHost(text: string): boolean {
  return /^[a-z0-9.-]+(:\d{1,5})?$/i.test(text);
}

/**
 * Returns the environment in which git sends the token to its host only.
 * The token isn't in arguments, which every process of the machine can read. It isn't in a file
 * either. git sends such a header to the target of every redirect, so it follows no redirect of
 * that host.
 */
export function withToken(environment: Environment, given: ModuleToken | undefined): Environment {
  if (given === undefined) return environment;
  const { token, host } = given;
  const basic = Buffer.from(`x-access-token:${token}`).toString("base64");
  const settings = [
    // The server would reject two headers of one name. An empty value removes the headers of other
    // settings.
    [`http.https://${host}/.extraHeader`, ""],
    [`http.https://${host}/.extraHeader`, `Authorization: Basic ${basic}`],
    [`http.https://${host}/.followRedirects`, "false"],
  ] as const;
  const { GIT_CONFIG_COUNT = "0" } = environment;
  const before = Number(GIT_CONFIG_COUNT) || 0;
  const entries = settings.flatMap(([key, value], index) => [
    [`GIT_CONFIG_KEY_${before + index}`, key],
    [`GIT_CONFIG_VALUE_${before + index}`, value],
  ]);
  return {
    ...environment,
    ...Object.fromEntries(entries),
    GIT_CONFIG_COUNT: String(before + settings.length),
  };
}

/**
 * The environment variables that git keeps without credentials: those for programs, proxies and the
 * certificates of servers. All others could lead to a password, such as that in a settings file.
 */
const harmlessVariables = [
  "PATH",
  "TMPDIR",
  "LD_LIBRARY_PATH",
  "GIT_EXEC_PATH",
  "GIT_SSL_CAINFO",
  "GIT_SSL_CAPATH",
  "SSL_CERT_DIR",
  "SSL_CERT_FILE",
  ...["HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "http_proxy", "https_proxy", "no_proxy"],
];

/** Returns the environment in which git finds no credentials, and no settings of the user. */
export function withoutCredentials(environment: Environment): Environment {
  const kept = harmlessVariables.map((name) => [name, fieldOf(environment, name)] as const);
  return {
    ...Object.fromEntries(kept),
    // git looks for `.netrc` and the settings of the user there.
    HOME: "/dev/null",
    XDG_CONFIG_HOME: "/dev/null",
    GIT_CONFIG_GLOBAL: "/dev/null",
    GIT_CONFIG_NOSYSTEM: "1",
    // Otherwise, git answers a server that asks for a Kerberos ticket.
    GIT_CONFIG_COUNT: "1",
    GIT_CONFIG_KEY_0: "http.emptyAuth",
    GIT_CONFIG_VALUE_0: "false",
  };
}
