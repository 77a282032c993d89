import { parseJson, textAt } from "../../model/json.ts";
import type { SentSecrets } from "../../redaction/sent-secrets.ts";
import type { HostLogin } from "./docker-config.ts";
import type { FetchFailure } from "./failure.ts";
import { type HttpAnswer, type HttpReach, httpGet } from "./http-get.ts";

/** The network access of a run, with its credentials. */
export interface ChartReach extends HttpReach {
  readonly sent: SentSecrets;
  readonly loginFor: (host: string) => Promise<HostLogin>;
  /** The indexes of Helm repositories, which all charts of one share. */
  readonly indexes: Map<string, Promise<HttpAnswer | FetchFailure>>;
}

export interface AuthorizedRequest {
  readonly url: URL;
  readonly limit: number;
  readonly accept?: string;
  /** The repository of a registry that a token must allow to read; undefined for other hosts. */
  readonly pull?: string;
  /** False for a host that an untrusted index names. Default: true. */
  readonly sendsLogin?: boolean;
}

/** The maximum size of a token and its expiry. */
const maxTokenBytes = 64 * 1024;

/** Keeps the token of one repository for all of its requests. */
export interface TokenCache {
  token?: string;
}

/**
 * Sends a request, and repeats it with credentials if the host asks for them. Returns the body of a
 * successful answer, and explains every other one.
 */
export async function authorizedGet(
  wanted: AuthorizedRequest,
  reach: ChartReach,
  cache: TokenCache = {},
): Promise<HttpAnswer | FetchFailure> {
  const { url, sendsLogin = true } = wanted;
  const first = await httpGet(url, { ...wanted, authorization: cache.token }, reach);
  // Another host after a redirect must not decide where a password goes.
  const isAnswer = !("failure" in first) && first.status === 401 && first.origin === url.origin;
  if (!isAnswer || !sendsLogin) return explainStatus(url, first, undefined);
  const login = await reach.loginFor(url.host);
  const challenge = parseChallenge(first.headers["www-authenticate"] ?? "");
  const authorization = await answerChallenge(challenge, wanted, login, reach);
  if (typeof authorization === "object") return explainWithheld(url, authorization, login);
  if (authorization === undefined)
    return explainWithheld(url, explainStatus(url, first, login), login);
  cache.token = authorization;
  const second = await httpGet(url, { ...wanted, authorization }, reach);
  return explainWithheld(url, explainStatus(url, second, login), login);
}

/** Explains that the withheld login can be the reason why a host denies or hides a chart. */
function explainWithheld(
  { host }: URL,
  answer: HttpAnswer | FetchFailure,
  { isWithheld = false }: HostLogin,
): HttpAnswer | FetchFailure {
  const isHidden =
    "failure" in answer && (answer.failure === "denied" || answer.failure === "missing");
  if (!isWithheld || !isHidden) return answer;
  const detail =
    "A pull request could otherwise read any private chart. Previews use a login only for charts in a qvs.lock of the base commit, and never for a fork";
  return { failure: "login-withheld", host, detail };
}

function explainStatus(
  { host }: URL,
  answer: HttpAnswer | FetchFailure,
  login: HostLogin | undefined,
): HttpAnswer | FetchFailure {
  if ("failure" in answer || answer.status === 200) return answer;
  const { status } = answer;
  const detail = `The host answered with status ${status}`;
  if (status === 404) return { failure: "missing", host };
  if (status !== 401 && status !== 403) return { failure: "status", host, detail };
  if (login?.basic === undefined && login?.hasHelper === true) {
    return {
      failure: "denied",
      host,
      detail: "The Docker config names a credential helper, and qvs runs none",
      fix: `Log in to ${host} with docker login in a Docker config without credsStore and credHelpers`,
    };
  }
  if (login?.basic === undefined && login?.hasIdentityToken === true) {
    return {
      failure: "denied",
      host,
      detail: "The Docker config has an identity token, and qvs uses only passwords",
      fix: `Log in to ${host} with docker login and a user name with a password or token`,
    };
  }
  return { failure: "denied", host, detail };
}

interface Challenge {
  readonly scheme: string;
  readonly parameters: ReadonlyMap<string, string>;
}

/** Reads the header `WWW-Authenticate`: a scheme with quoted parameters. */
function parseChallenge(header: string): Challenge {
  const text = header.trim();
  const space = text.indexOf(" ");
  const scheme = (space < 0 ? text : text.slice(0, space)).toLowerCase();
  const parts = text.slice(scheme.length).split('"');
  const parameters = new Map<string, string>();
  for (let index = 0; index + 1 < parts.length; index += 2) {
    const name = parts[index]?.replaceAll(/[\s,=]/g, "").toLowerCase() ?? "";
    if (!parameters.has(name)) parameters.set(name, parts[index + 1] ?? "");
  }
  return { scheme, parameters };
}

/** Returns the header that the host asks for; undefined without credentials for it. */
async function answerChallenge(
  { scheme, parameters }: Challenge,
  { url, pull }: AuthorizedRequest,
  login: HostLogin,
  reach: ChartReach,
): Promise<string | FetchFailure | undefined> {
  const { basic } = login;
  if (scheme === "basic") return basic;
  if (scheme !== "bearer" || pull === undefined) return undefined;
  const realm = URL.parse(parameters.get("realm") ?? "");
  if (realm === null)
    return { failure: "invalid", host: url.host, detail: "It names no address for tokens" };
  const service = parameters.get("service");
  if (service !== undefined) realm.searchParams.set("service", service);
  // qvs asks only to read, whatever the registry suggests.
  realm.searchParams.set("scope", `repository:${pull}:pull`);
  const authorization = receivesLogin(url, realm) ? basic : undefined;
  const options = { limit: maxTokenBytes, authorization, redirects: 0 };
  const answer = explainStatus(realm, await httpGet(realm, options, reach), login);
  if ("failure" in answer) return answer;
  const body = parseJson(answer.body.toString("utf8"));
  const token = textAt(body, "token") ?? textAt(body, "access_token") ?? "";
  if (!/^[\x21-\x7e]+$/.test(token))
    return { failure: "invalid", host: realm.host, detail: "It gives no token" };
  reach.sent.add(token);
  return `Bearer ${token}`;
}

/**
 * Reports whether the host of tokens receives the password of a registry: the same host, or a host
 * of Docker Hub or GitLab. Other hosts of a domain can belong to someone else.
 */
export function receivesLogin(registry: URL, realm: URL): boolean {
  if (registry.origin === realm.origin) return true;
  const areStandard = [registry, realm].every(
    ({ protocol, port }) => protocol === "https:" && port === "",
  );
  if (!areStandard || !realm.hostname.includes(".")) return false;
  return registry.hostname === "registry-1.docker.io"
    ? realm.hostname === "auth.docker.io"
    : registry.hostname === `registry.${realm.hostname}`;
}
