import { type Json, listAt, numberAt, parseJson, textAt } from "../../../model/json.ts";
import { userError } from "../../../model/problems/errors.ts";
import type { Connection, Credentials } from "../transport/connection.ts";

/** Gets an ID token (a JSON Web Token) for an audience; rejects with a UserError. */
type IssueIdToken = (audience: string) => Promise<string>;

/** An API server that trusts the issuer of qvs's ID tokens, so that no kubeconfig is needed. */
export interface IdTokenServer {
  readonly server: string;
  /** PEM; undefined for the authorities that Node.js trusts. */
  readonly certificateAuthority: string | undefined;
  readonly audience: string;
  /** The kubeconfig context that this login replaces; undefined for none. */
  readonly context: string | undefined;
  readonly issue: IssueIdToken;
}

interface HeldToken {
  readonly credentials: Credentials;
  readonly claims: Json;
  readonly renewAt: number;
  readonly expiresAt: number;
}

/**
 * The longest time between a renewal and the expiry, in milliseconds. GitHub's tokens live for five
 * minutes, so qvs renews them after half of their life.
 */
const longestLead = 5 * 60_000;
/**
 * The delay after a failed renewal, in milliseconds. It applies while the current token is valid.
 */
const retryDelay = 10_000;

/**
 * Returns credentials that qvs renews in the background while the current token is still valid. No
 * request waits for the renewal, and none fails because of a short outage of the issuer.
 */
export function idTokenCredentials(
  { issue, audience }: Pick<IdTokenServer, "issue" | "audience">,
  now: () => number = Date.now,
): Pick<Connection, "credentials" | "renewedCredentials" | "identity"> {
  let held: HeldToken | undefined;
  let pending: Promise<HeldToken> | undefined;
  let retryAt = 0;
  const renew = () => {
    pending ??= ask().finally(() => {
      pending = undefined;
    });
    return pending;
  };
  const ask = async () => {
    const askedAt = now();
    held = toHeldToken(await issue(audience), askedAt, (held?.credentials.generation ?? -1) + 1);
    return held;
  };
  const renewBeside = (time: number) => {
    if (time < retryAt) return;
    retryAt = time + retryDelay;
    renew().catch(() => undefined);
  };
  return {
    credentials: async () => {
      const time = now();
      if (held === undefined || time >= held.expiresAt) return (await renew()).credentials;
      if (time >= held.renewAt) renewBeside(time);
      return held.credentials;
    },
    renewedCredentials: async (stale) => {
      const isNewer = held !== undefined && held.credentials.generation > stale.generation;
      return isNewer && held !== undefined ? held.credentials : (await renew()).credentials;
    },
    identity: () => (held === undefined ? undefined : describe(held.claims)),
  };
}

/**
 * Returns a token with its times. Its life counts from the request, because the clocks of runner,
 * issuer and API server can differ. qvs verifies nothing; the API server does.
 */
function toHeldToken(token: string, askedAt: number, generation: number): HeldToken {
  const claims = decodeClaims(token);
  const [issued, expires] = [numberAt(claims, "iat"), numberAt(claims, "exp")];
  if (expires === undefined) throw noToken();
  const life = issued === undefined ? expires * 1000 - askedAt : (expires - issued) * 1000;
  const headers = { Authorization: `Bearer ${token}` };
  return {
    credentials: { generation, headers, cert: undefined, key: undefined },
    claims,
    renewAt: askedAt + life - Math.min(longestLead, life / 2),
    expiresAt: askedAt + life,
  };
}

function decodeClaims(token: string): Json {
  const [, payload = "", signature] = token.split(".");
  const claims = parseJson(Buffer.from(payload, "base64url").toString("utf8"));
  if (signature === undefined || claims === undefined) throw noToken();
  return claims;
}

function noToken(): Error {
  return userError(
    "id-token-not-issued",
    "The issued ID token has no readable claims, or doesn't expire",
    "Check that ACTIONS_ID_TOKEN_REQUEST_URL is the address that GitHub set",
  );
}

/** Describes the claims that an API server decides by. None of them is secret. */
function describe(claims: Json): string {
  const audiences = [textAt(claims, "aud") ?? listAt(claims, "aud")].flat().map(String);
  return [
    `the issuer ${textAt(claims, "iss") ?? "(none)"}`,
    `the audience ${audiences.join(", ") || "(none)"}`,
    `the subject ${textAt(claims, "sub") ?? "(none)"}`,
  ].join(", ");
}
