import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { at, isObject, type Json, parseJson, textAt } from "../../model/json.ts";
import { userError } from "../../model/problems/errors.ts";
import { isLoopbackName } from "../../model/sources/remote-chart.ts";
import type { SentSecrets } from "../../redaction/sent-secrets.ts";
import type { Environment } from "../environment.ts";

/** The credentials for one host. */
export interface HostLogin {
  /** The header `Authorization` with the user name and the password; undefined without them. */
  readonly basic: string | undefined;
  /** True if the Docker config names a credential helper for the host. */
  readonly hasHelper: boolean;
  /** True if the Docker config has an identity token for the host, and no password. */
  readonly hasIdentityToken?: boolean;
  /** True if the Docker config has a password that the run must not use for this chart. */
  readonly isWithheld?: boolean;
}

/** The maximum size of the Docker config. */
const maxBytes = 1024 * 1024;

/**
 * Returns a function that finds the login for a host in the Docker config. It reads the file once,
 * and registers each password before it returns it.
 * qvs runs no credential helper (docs/decisions/remote-charts.md).
 */
export function openDockerConfig(
  env: Environment,
  sent: SentSecrets,
): (host: string) => Promise<HostLogin> {
  let config: Promise<Json | undefined> | undefined;
  return async (host) => {
    config ??= readConfig(env);
    return findLogin(await config, host, sent);
  };
}

/** Returns a function that finds no password, but reports whether there is one. */
export function withholdLogins(
  loginFor: (host: string) => Promise<HostLogin>,
): (host: string) => Promise<HostLogin> {
  return async (host) => {
    const { basic, hasHelper } = await loginFor(host);
    return { basic: undefined, hasHelper, isWithheld: basic !== undefined };
  };
}

async function readConfig({ DOCKER_CONFIG, HOME }: Environment): Promise<Json | undefined> {
  const folder = DOCKER_CONFIG || (HOME ? join(HOME, ".docker") : undefined);
  if (folder === undefined) return undefined;
  const file = join(folder, "config.json");
  try {
    if ((await stat(file)).size > maxBytes) return undefined;
    return parseJson(await readFile(file, "utf8"));
  } catch {
    return undefined;
  }
}

function findLogin(config: Json | undefined, host: string, sent: SentSecrets): HostLogin {
  const auths = at(config, "auths");
  const helpers = at(config, "credHelpers");
  const names = isObject(auths) ? Object.keys(auths).filter((name) => hostOf(name) === host) : [];
  const hasHelper =
    textAt(config, "credsStore") !== undefined ||
    (isObject(helpers) && Object.keys(helpers).some((name) => hostOf(name) === host));
  for (const name of names) {
    const login = loginOf(at(auths, name));
    if (login === undefined) continue;
    sent.add(login);
    sent.add(login.slice(login.indexOf(":") + 1));
    const encoded = Buffer.from(login).toString("base64");
    sent.add(encoded);
    return { basic: `Basic ${encoded}`, hasHelper };
  }
  const hasIdentityToken = names.some(
    (name) => textAt(at(auths, name), "identitytoken") !== undefined,
  );
  return { basic: undefined, hasHelper, hasIdentityToken };
}

/** Returns `USER:PASSWORD` of an entry, in either of its forms. */
function loginOf(entry: Json | undefined): string | undefined {
  const auth = textAt(entry, "auth");
  const decoded = auth === undefined ? "" : Buffer.from(auth, "base64").toString("utf8");
  const [user, password] = [textAt(entry, "username"), textAt(entry, "password")];
  const login = decoded || (user !== undefined && password ? `${user}:${password}` : "");
  const colon = login.indexOf(":");
  return colon > 0 && colon < login.length - 1 ? login : undefined;
}

/** Returns the host of a key, such as `https://index.docker.io/v1/`. */
function hostOf(key: string): string | undefined {
  const [host = "", ...path] = key.replace(/^https?:\/\//, "").split("/");
  const isWhole = path.every((part) => part === "" || part === "v1" || part === "v2");
  return isWhole ? registryHost(host.toLowerCase()) : undefined;
}

/** Returns the host that serves a registry. Docker Hub has several names. */
export function registryHost(host: string): string {
  return host === "docker.io" || host === "index.docker.io" ? "registry-1.docker.io" : host;
}

/**
 * Returns the registries of this machine that qvs contacts without TLS, such as `localhost:5000`.
 * Only the environment decides: a config can come from a pull request.
 * Throws a UserError for a host that isn't this machine.
 */
export function readInsecureRegistries({
  QVS_INSECURE_REGISTRIES = "",
}: Environment): ReadonlySet<string> {
  const hosts = QVS_INSECURE_REGISTRIES.split(",").map((host) => host.trim());
  const named = hosts.filter((host) => host !== "");
  const wrong = named.find((host) => !isLoopbackName(host.replace(/:\d+$/, "")));
  if (wrong === undefined) return new Set(named);
  throw userError(
    "invalid-input",
    `"${wrong}" in QVS_INSECURE_REGISTRIES isn't this machine`,
    "Write only localhost with a port, such as localhost:5000",
  );
}
