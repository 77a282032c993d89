import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from "vitest";
import { runAction } from "../../../src/action/run-action.ts";
import { authenticationPath } from "../../support/cluster/components.ts";
import { authenticationConfiguration } from "../../support/cluster/credentials.ts";
import { useCluster } from "../../support/cluster/use-cluster.ts";
import { startCompiler } from "../../support/cue/native.ts";
import { useFakeGitHub } from "../../support/fake-github/use.ts";
import { environment } from "../../support/git/git-fixture.ts";
import { asStep, stepEnvironment } from "../../support/plan/step.ts";
import { type IdTokenIssuer, startIdTokenIssuer } from "../../support/servers/id-token-issuer.ts";
import { createShopRepository, type ShopRepository } from "../../support/shop/shop-repository.ts";

/**
 * Tests jobs that log in with only the ID tokens that GitHub issues to them, on a real API server
 * with a local issuer.
 */
const cluster = useCluster();
const github = useFakeGitHub();
const compiler = startCompiler();
const folder = mkdtempSync(join(tmpdir(), "issuer-"));
const audience = "qvs-test";
const user = (subject: string) => `github:${subject}`;

let issuer: IdTokenIssuer;

beforeAll(async () => {
  issuer = await startIdTokenIssuer(folder);
  const { url, certificateAuthority } = issuer;
  const trusted = {
    issuer: { url, certificateAuthority, audiences: [audience] },
    claimMappings: { username: { claim: "sub", prefix: "github:" } },
    claimValidationRules: [
      { expression: "claims.sub.startsWith('repo:acme/')", message: "only our own repositories" },
    ],
  };
  writeFileSync(authenticationPath(cluster.directory), authenticationConfiguration([trusted]));
});

afterAll(async () => {
  writeFileSync(authenticationPath(cluster.directory), authenticationConfiguration([]));
  issuer.close();
  rmSync(folder, { recursive: true, force: true });
  await compiler.close();
});

async function shopFor(subject: string): Promise<{ shop: ShopRepository; namespace: string }> {
  const namespace = await cluster.namespace("id-tokens");
  const shop = createShopRepository(namespace);
  onTestFinished(() => shop.remove());
  const binding = ["create", "rolebinding", "qvs-deploy", "--clusterrole=admin"];
  await cluster.kubectl(...binding, `--user=${user(subject)}`, "-n", namespace);
  const lock = ["create", "role", "qvs-lock", "--verb=get,create,update", "--resource=leases"];
  await cluster.kubectl(...lock, "-n", namespace);
  const locks = ["create", "rolebinding", "qvs-lock", "--role=qvs-lock"];
  await cluster.kubectl(...locks, `--user=${user(subject)}`, "-n", namespace);
  return { shop, namespace };
}

/** Deploys a push in a job without a kubeconfig. */
async function push(
  { folder: workspace }: ShopRepository,
  after: string,
  inputs: Readonly<Record<string, string>> = {},
  env = issuer.env,
) {
  const ref = "refs/heads/main";
  const event = { before: "0".repeat(40), after, ref, repository: { default_branch: "main" } };
  const step = stepEnvironment(event, {
    ...environment,
    ...env,
    GITHUB_EVENT_NAME: "push",
    GITHUB_REF: ref,
    GITHUB_SHA: after,
    GITHUB_REPOSITORY: "acme/shop",
    GITHUB_WORKSPACE: workspace,
    GITHUB_API_URL: github().apiUrl,
  });
  const login = {
    SERVER: cluster.server,
    "CERTIFICATE-AUTHORITY": join(cluster.directory, "certificates/apiserver.crt"),
    "OIDC-AUDIENCE": audience,
  };
  for (const [name, value] of Object.entries({ ...login, ...inputs }))
    vi.stubEnv(`INPUT_${name}`, value);
  const result = await asStep(() => runAction(step.env, compiler));
  vi.unstubAllEnvs();
  return result;
}

/** Deploys, and repeats until the API server has reloaded its changed file. */
async function deployed(shop: ShopRepository, after: string) {
  for (;;) {
    const result = await push(shop, after);
    if (!result.log.includes("The API server doesn't accept the ID token")) return result;
  }
}

test("a job deploys with the identity of its token, and its tokens are masked", async () => {
  issuer.job.subject = "repo:acme/shop:environment:production";
  const { shop, namespace } = await shopFor(issuer.job.subject);
  const result = await deployed(shop, shop.commitParams({ version: "1", greeting: "hello" }));
  expect(result.exitCode, result.log).toBeUndefined();
  const image = "jsonpath={.spec.template.spec.containers[0].image}";
  expect(await cluster.kubectl("get", "deployment", "web", "-n", namespace, "-o", image)).toBe(
    "shop:1",
  );
  const token = issuer.issued.at(-1) ?? "";
  expect(result.log).toContain(`::add-mask::${token}`);
  expect(result.log.replaceAll(/^::add-mask::.*$/gm, "")).not.toContain(token);
});

test("another environment of the same repository isn't allowed to deploy", async () => {
  const { shop } = await shopFor("repo:acme/shop:environment:production");
  issuer.job.subject = "repo:acme/shop:environment:staging";
  const result = await deployed(shop, shop.commitParams({ version: "1", greeting: "hello" }));
  expect(result.exitCode).toBe(1);
  expect(result.log).toContain(user("repo:acme/shop:environment:staging"));
});

test.for([
  {
    what: "an audience that the API server doesn't accept",
    subject: "repo:acme/shop:environment:production",
    inputs: { "OIDC-AUDIENCE": "another" },
    says: "the audience another, the subject repo:acme/shop:environment:production",
  },
  {
    what: "a repository that its rules reject",
    subject: "repo:stranger/shop:ref:refs/heads/main",
    inputs: {},
    says: `the audience ${audience}, the subject repo:stranger/shop:ref:refs/heads/main`,
  },
])("$what is reported with the claims and without the token", async ({ subject, inputs, says }) => {
  issuer.job.subject = subject;
  const { shop } = await shopFor(subject);
  const result = await push(shop, shop.commitParams({ version: "1", greeting: "a" }), inputs);
  expect(result.exitCode).toBe(1);
  expect(result.log).toContain(`the issuer ${issuer.url}, ${says}`);
  expect(result.log).toContain("AuthenticationConfiguration");
  const [, , signature = ""] = (issuer.issued.at(-1) ?? "").split(".");
  expect(result.log.replaceAll(/^::add-mask::.*$/gm, "")).not.toContain(signature);
});

test("a job without the permission fails with the reason and sends the API server no request", async () => {
  const { shop } = await shopFor("nobody");
  const after = shop.commitParams({ version: "1", greeting: "hello" });
  const result = await push(shop, after, {}, {});
  expect(result.exitCode).toBe(1);
  expect(result.log).toContain("`permissions: id-token: write`");
});

test("tokens that expire during a rollout are renewed", async () => {
  issuer.job.subject = "repo:acme/shop:environment:production";
  const { shop, namespace } = await shopFor(issuer.job.subject);
  // The API server caches a login for ten seconds, so the rollout must take longer than that and
  // longer than a token is valid.
  const adapter = join(shop.folder, "adapters/web/main.cue");
  const text = readFileSync(adapter, "utf8");
  writeFileSync(adapter, text.replace("replicas: 1", "replicas: 1\n\t\t\tminReadySeconds: 14"));
  const after = shop.commitParams({ version: "1", greeting: "hello" });
  issuer.job.life = 2;
  onTestFinished(() => {
    issuer.job.life = 300;
  });
  const before = issuer.issued.length;
  const result = await push(shop, after);
  expect(result.exitCode, result.log).toBeUndefined();
  expect(issuer.issued.length - before).toBeGreaterThan(1);
  const status = "jsonpath={.status.availableReplicas}";
  expect(await cluster.kubectl("get", "deployment", "web", "-n", namespace, "-o", status)).toBe(
    "1",
  );
});
