import { expect, test } from "vitest";
import { openCluster } from "../../../../../src/io/kubernetes/cluster.ts";
import { connect } from "../../../../../src/io/kubernetes/kubeconfig/connect.ts";
import { idTokenCredentials } from "../../../../../src/io/kubernetes/kubeconfig/id-token-credentials.ts";
import { explainApiFailure } from "../../../../../src/model/cluster/api/api-failure.ts";
import { userError } from "../../../../../src/model/problems/errors.ts";
import { unsignedToken } from "../../../../support/servers/id-tokens.ts";
import {
  connectionTo,
  quickPace,
  type Scripted,
  scriptedApi,
  status,
} from "../../../../support/servers/scripted-api.ts";

const login = {
  server: "https://203.0.113.7:6443",
  certificateAuthority: undefined,
  audience: "https://203.0.113.7:6443",
  context: undefined,
};
const who = { iss: "https://issuer", aud: "https://203.0.113.7:6443", sub: "repo:acme/shop:ref:x" };

/** Creates an issuer of numbered tokens, with a clock that the test sets, in seconds. */
function issuer(life: number, { iat = true, skew = 0 } = {}) {
  const issued: string[] = [];
  const state = { seconds: 1_000_000, fails: false };
  const issue = async (audience: string) => {
    if (state.fails) throw userError("id-token-not-issued", "GitHub is down", "Wait");
    const at = state.seconds + skew;
    const times = iat ? { iat: at, exp: at + life } : { exp: at + life };
    issued.push(audience);
    return unsignedToken({ ...who, ...times, jti: issued.length });
  };
  const { credentials, renewedCredentials, identity } = idTokenCredentials(
    { issue, audience: "us" },
    () => state.seconds * 1000,
  );
  const number = async () => {
    const { headers } = await credentials();
    const [, payload = ""] = (headers["Authorization"] ?? "").split(".");
    return JSON.parse(Buffer.from(payload, "base64url").toString()).jti;
  };
  return { issued, state, credentials, renewedCredentials, identity, number };
}

/** Waits for pending work in the background. */
const settled = () => new Promise((resolve) => setImmediate(resolve));

test.for([
  { what: "half of its life, when that is short", life: 300, renewal: 150 },
  { what: "five minutes before its end", life: 3600, renewal: 3300 },
  { what: "the same without iat", life: 300, renewal: 150, iat: false },
  { what: "the same with another clock at the issuer", life: 300, renewal: 150, skew: -7200 },
])("a token is renewed after $what, and no request waits for the renewal", async (each) => {
  const { state, issued, number } = issuer(each.life, each);
  const start = state.seconds;
  expect(await number()).toBe(1);
  state.seconds = start + each.renewal - 1;
  expect(await number()).toBe(1);
  await settled();
  expect(issued).toEqual(["us"]);
  state.seconds = start + each.renewal;
  expect(await number()).toBe(1);
  await settled();
  expect(await number()).toBe(2);
  expect(issued).toEqual(["us", "us"]);
});

test("the old token is used until it expires if the issuer returns no new one, and then the reason is reported", async () => {
  const { state, number } = issuer(300);
  const start = state.seconds;
  await number();
  state.fails = true;
  for (const seconds of [150, 200, 299]) {
    state.seconds = start + seconds;
    expect(await number()).toBe(1);
    await settled();
  }
  state.seconds = start + 300;
  await expect(number()).rejects.toThrow("GitHub is down");
  state.fails = false;
  expect(await number()).toBe(2);
});

test("qvs retries a failed renewal after a while, not with every request", async () => {
  const { state, issued, number } = issuer(300);
  const start = state.seconds;
  await number();
  state.fails = true;
  state.seconds = start + 150;
  await number();
  await settled();
  state.fails = false;
  state.seconds = start + 155;
  await number();
  await settled();
  expect(issued).toHaveLength(1);
  state.seconds = start + 160;
  await number();
  await settled();
  expect(issued).toHaveLength(2);
});

test("concurrent rejected requests cause one renewal", async () => {
  const { issued, credentials, renewedCredentials } = issuer(300);
  const stale = await credentials();
  const renewed = await Promise.all([renewedCredentials(stale), renewedCredentials(stale)]);
  expect(renewed[0]).toBe(renewed[1]);
  expect(await renewedCredentials(stale)).toBe(renewed[0]);
  expect(issued).toHaveLength(2);
});

test.for(["nonsense", "a.b.c", unsignedToken({ ...who, iat: 1 })])(
  "an invalid token or one without an end is rejected and not quoted: %s",
  async (token) => {
    const { credentials } = idTokenCredentials({ issue: async () => token, audience: "us" });
    const error = await credentials().catch(String);
    expect(error).toContain("The issued ID token has no readable claims, or doesn't expire");
    expect(error).not.toContain(token);
  },
);

const refusal = status(401, "Unauthorized", "Unauthorized");

test.for<{ what: string; script: readonly Scripted[]; expected: string }>([
  {
    what: "once",
    script: [
      refusal,
      { json: { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "b", uid: "u" } } },
    ],
    expected: "ok",
  },
  {
    what: "again",
    script: [refusal],
    expected:
      "Unauthorized. The API server doesn't accept the ID token with the issuer https://issuer, the audience https://203.0.113.7:6443, the subject repo:acme/shop:ref:x",
  },
])("the API server rejects a token $what", async ({ script, expected }) => {
  const { issued, credentials, renewedCredentials, identity } = issuer(300);
  const api = await scriptedApi(script);
  const cluster = openCluster(
    { ...connectionTo(api), credentials, renewedCredentials, identity },
    quickPace(),
  );
  const answer = await cluster.read({
    apiVersion: "v1",
    kind: "ConfigMap",
    namespace: "a",
    name: "b",
  });
  cluster.close();
  expect(answer.ok ? "ok" : answer.failure.message).toBe(expected);
  expect(issued).toHaveLength(2);
  if (answer.ok) return;
  const { code, fix } = explainApiFailure(answer.failure);
  expect(code).toBe("invalid-credentials");
  expect(fix).toContain("`issuer.audiences`");
});

test("the context of a deployment must be declared as the context of the server", async () => {
  const issue = async () => unsignedToken({ ...who, iat: 1, exp: 301 });
  const idTokens = { ...login, issue };
  const named = connect({ idTokens, context: "production", env: {} });
  await expect(named).rejects.toThrow("Set the input context to production");
  const same = { idTokens: { ...idTokens, context: "production" }, context: "production" };
  expect((await connect({ ...same, env: {} })).context).toBe("production");
  const { context, server } = await connect({ idTokens, env: {} });
  expect({ context, server }).toEqual({ context: login.server, server: login.server });
});
