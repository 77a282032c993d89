import { mkdtempSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, onTestFinished } from "vitest";
import { createIdTokenIssuer } from "../../../src/io/github/id-token-issuer.ts";
import { openCluster } from "../../../src/io/kubernetes/cluster.ts";
import { connect } from "../../../src/io/kubernetes/kubeconfig/connect.ts";
import { sentSecrets } from "../../../src/redaction/sent-secrets.ts";
import { pullRequestPayload, pushPayload, runStep } from "../../support/action/action-run.ts";
import { startCompiler } from "../../support/cue/native.ts";
import { useFakeGitHub } from "../../support/fake-github/use.ts";
import { asStep } from "../../support/plan/step.ts";
import { runHere } from "../../support/qvs/run-here.ts";
import { unsignedToken } from "../../support/servers/id-tokens.ts";
import { quickPace } from "../../support/servers/scripted-api.ts";
import { kubeconfigFor } from "../../support/servers/watched-server.ts";
import { deploymentsFile, shopUnderGit } from "../../support/shop/shop-world.ts";
import { attacks } from "../attack.ts";

const compiler = startCompiler();
afterAll(() => compiler.close());
const github = useFakeGitHub();

const now = Math.floor(Date.now() / 1000);
const bearer = unsignedToken({ sub: "system:serviceaccount:shop:deployer", n: "a".repeat(150) });
const idToken = unsignedToken({ iss: "https://issuer.example", iat: now, exp: now + 300 });
const githubToken = `ghs_${"Z9x8".repeat(9)}`;
const requestToken = unsignedToken({ scp: "GenerateIdToken", n: "b".repeat(60) });

type Answer = (authorization: string) => {
  readonly status: number;
  readonly type?: string;
  readonly body: string;
};

const statusOf = (message: string, code = 403) => ({
  status: code,
  body: JSON.stringify({ kind: "Status", code, reason: "Forbidden", message }),
});
const inBase64 = (text: string) => Buffer.from(text).toString("base64");

/** Ways in which a server or a proxy repeats the request in its error message. */
const ways: readonly { readonly name: string; readonly answer: Answer }[] = [
  { name: "as it is", answer: (sent) => statusOf(`denied: Authorization: ${sent}`) },
  { name: "in Base64", answer: (sent) => statusOf(`denied: ${inBase64(sent)}`) },
  {
    name: "as JSON in its message",
    answer: (sent) => statusOf(JSON.stringify({ headers: { sent } })),
  },
  { name: "encoded for an address", answer: (sent) => statusOf(encodeURIComponent(sent)) },
  { name: "in lines", answer: (sent) => statusOf(sent.replaceAll(/.{40}/g, "$&\n    ")) },
  {
    name: "as plain text",
    answer: (sent) => ({ status: 403, type: "text/plain", body: `bad: ${sent}` }),
  },
  {
    name: "in what is cut off",
    answer: (sent) => ({ status: 400, type: "text/plain", body: `${"x".repeat(60)} ${sent}` }),
  },
];

attacks("credentials", "the API server sends the request back $name", ways, async ({ answer }) => {
  const server = await startServer(answer);
  const { git, base } = changedShop();
  for (const name of ["pull_request", "push"] as const) {
    expectHidden(await act({ git, base, name, inputs: withKubeconfig(server) }));
  }
  const file = join(git.directory, "kubeconfig");
  writeFileSync(file, kubeconfigFor(server).replace("not-a-secret", bearer));
  for (const columns of [undefined, 70]) {
    const args = ["diff", "-d", "shop", "--kubeconfig", file];
    const { code, stdout, stderr } = await runHere(git.directory, args, compiler, {}, columns);
    expect(code).toBe(1);
    expectHidden(stdout + stderr);
  }
});

const answersOfGitHub = ways.map(({ name, answer }) => ({
  name,
  message: (JSON.parse(JSON.stringify(answer(`token ${githubToken}`))) as { body: string }).body,
}));

attacks(
  "credentials",
  "a token isn't shown if the server for ID tokens sends it back $name",
  ways,
  async ({ answer }) => {
    const server = await startServer(answer);
    const sent = sentSecrets();
    const env = {
      ACTIONS_ID_TOKEN_REQUEST_URL: `${server}/token?v=1`,
      ACTIONS_ID_TOKEN_REQUEST_TOKEN: requestToken,
    };
    const login = { server, audience: "shop", context: undefined, certificateAuthority: undefined };
    await asStep(async () => {
      const idTokens = { ...login, issue: createIdTokenIssuer(env, { sent }) };
      const cluster = openCluster(await connect({ idTokens, sent, env: {} }), quickPace());
      onTestFinished(() => cluster.close());
      const read = await cluster.read({
        apiVersion: "v1",
        kind: "ConfigMap",
        namespace: "shop",
        name: "a",
      });
      expect(JSON.stringify(read)).toContain("(hidden)");
      expectHidden(JSON.stringify(read));
      expectHidden(sent.hide(`GitHub said: Bearer ${requestToken}`));
    });
  },
);

attacks(
  "credentials",
  "a token isn't shown if GitHub sends it back $name",
  answersOfGitHub,
  async ({ message }) => {
    const { git, base } = changedShop();
    github().failNext(403, 9, { message });
    expectHidden(await act({ git, base, name: "pull_request", inputs: {} }));
  },
);

function changedShop() {
  const git = shopUnderGit();
  const base = git.commit(deploymentsFile({ name: "shop", namespace: "shop" }));
  git.commit({ "params.yaml": "version: 2.0.0\nreplicas: 2\n" });
  git.git("update-ref", "refs/remotes/origin/main", "HEAD");
  return { git, base };
}

interface Act {
  readonly git: ReturnType<typeof shopUnderGit>;
  readonly base: string;
  readonly name: "pull_request" | "push";
  readonly inputs: Readonly<Record<string, string>>;
}

/**
 * Runs the Action. Returns everything that it shows and writes, except the lines that make the
 * runner mask a text.
 */
async function act({ git, base, name, inputs }: Act): Promise<string> {
  const head = git.git("rev-parse", "HEAD");
  const folder = mkdtempSync(join(tmpdir(), "written-"));
  const payload = name === "push" ? pushPayload(base, head) : pullRequestPayload({ base, head });
  const { log, summary, outputs } = await runStep({
    compiler,
    apiUrl: github().apiUrl,
    workspace: git.directory,
    name,
    payload,
    inputs: { TOKEN: githubToken, ...inputs },
    env: { GITHUB_SHA: head, GITHUB_REF: "refs/heads/main", RUNNER_TEMP: folder },
  });
  const files = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name: file }) => readFileSync(join(parentPath, file), "utf8"));
  expect(files.length).toBeGreaterThan(0);
  const comments = github().state.comments.map(({ body }) => body);
  const shown = log.replaceAll(/^::add-mask::.*$/gm, "");
  return [shown, summary, outputs, ...comments, ...files].join("\n");
}

function withKubeconfig(server: string) {
  const kubeconfig = kubeconfigFor(server).replace("not-a-secret", bearer);
  return { KUBECONFIG: kubeconfig };
}

/**
 * Starts a server that answers each request with `answer`, and a request for an ID token with a
 * token.
 */
async function startServer(answer: Answer): Promise<string> {
  const server = createServer((request, response) => {
    const { authorization = "" } = request.headers;
    const isIssuer = request.url?.startsWith("/token") === true;
    const told = answer(authorization);
    const {
      status,
      type = "application/json",
      body,
    } = isIssuer ? { status: 200, body: JSON.stringify({ value: idToken }) } : told;
    response.writeHead(status, { "content-type": type }).end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Expects that the output contains no part of a token that is long enough to be recognized. */
function expectHidden(shown: string): void {
  expect(shown).toContain("(hidden)");
  const bare = shown.replaceAll(/\s|\\n|\\/g, "");
  for (const token of [bearer, idToken, githubToken, requestToken]) {
    for (const form of [
      token,
      inBase64(token).slice(0, -4),
      inBase64(`Bearer ${token}`).slice(12, -4),
    ])
      for (const part of form.match(/.{24}/g) ?? []) expect(bare).not.toContain(part);
  }
}
