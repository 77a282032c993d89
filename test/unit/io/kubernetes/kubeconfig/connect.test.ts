import { chmod, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { connect } from "../../../../../src/io/kubernetes/kubeconfig/connect.ts";
import { inClusterConnection } from "../../../../../src/io/kubernetes/kubeconfig/in-cluster.ts";

const secret = "s3cr3t-t0k3n";

const kubeconfig = (user: string) => `
apiVersion: v1
kind: Config
current-context: dev
clusters:
  - {name: east, cluster: {server: "https://east.example:6443/", tls-server-name: kube, insecure-skip-tls-verify: true}}
  - {name: west, cluster: {server: "https://west.example/k8s", certificate-authority-data: Y2E=, proxy-url: "http://proxy.example:3128"}}
users:
  - {name: me, user: ${user}}
  - {name: robot, user: {token: other}}
contexts:
  - {name: dev, context: {cluster: east, user: me, namespace: shop}}
  - {name: production, context: {cluster: west, user: me}}
  - {name: broken, context: {cluster: north, user: me}}
  - {name: anonymous, context: {cluster: east}}
`;

const withToken = kubeconfig(`{token: ${secret}}`);

/** Creates a directory with these files, which is deleted after the test. */
async function folderWith(files: Readonly<Record<string, string>>): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "qvs-kubeconfig-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  await mkdir(join(folder, ".kube"));
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
  return folder;
}

async function headersOf(content: string): Promise<unknown> {
  const connection = await connect({ kubeconfig: { content }, env: {} });
  return (await connection.credentials()).headers;
}

test("a context is resolved with all of its connection settings", async () => {
  const env = { https_proxy: "http://elsewhere:1" };
  const dev = await connect({ kubeconfig: { content: withToken }, env });
  expect(dev).toMatchObject({
    context: "dev",
    server: "https://east.example:6443",
    namespace: "shop",
    tls: { ca: undefined, rejectUnauthorized: false, servername: "kube" },
    proxy: { https_proxy: "http://elsewhere:1" },
  });
  const production = { kubeconfig: { content: withToken }, context: "production", env };
  expect(await connect(production)).toMatchObject({
    server: "https://west.example/k8s",
    namespace: undefined,
    tls: { ca: Buffer.from("ca"), rejectUnauthorized: true, servername: undefined },
    proxy: { HTTPS_PROXY: "http://proxy.example:3128" },
  });
});

test.each([
  ["a token", `{token: ${secret}}`, { Authorization: `Bearer ${secret}` }],
  ["a name and password", "{username: ann, password: pä}", { Authorization: "Basic YW5uOnDDpA==" }],
  ["nothing", "{}", {}],
])("%s becomes a header", async (_, user, headers) => {
  expect(await headersOf(kubeconfig(user))).toEqual(headers);
});

test("impersonation keeps groups and extras", async () => {
  const user = "{token: t, as: ann, as-groups: [a, b], as-user-extra: {acme/team: [x]}}";
  const connection = await connect({ kubeconfig: { content: kubeconfig(user) }, env: {} });
  expect(connection.impersonation).toEqual({
    "Impersonate-User": "ann",
    "Impersonate-Group": ["a", "b"],
    "Impersonate-Extra-acme%2Fteam": ["x"],
  });
});

test("certificates and token files are found relative to the kubeconfig and read again", async () => {
  const user = "{client-certificate: me.crt, client-key-data: a2V5, tokenFile: token}";
  const folder = await folderWith({ config: kubeconfig(user), "me.crt": "cert", token: "one\n" });
  const connection = await connect({ kubeconfig: { path: join(folder, "config") }, env: {} });
  expect(await connection.credentials()).toMatchObject({
    headers: { Authorization: "Bearer one" },
    cert: Buffer.from("cert"),
    key: Buffer.from("key"),
  });
  await writeFile(join(folder, "token"), "two");
  expect(await connection.credentials()).toMatchObject({
    headers: { Authorization: "Bearer two" },
  });
});

test("the first of several files takes precedence, and missing files are skipped, as in kubectl", async () => {
  const second = withToken.replace("current-context: dev", "current-context: production");
  const folder = await folderWith({
    one: "current-context: production\nusers: [{name: me, user: {token: first}}]",
    two: second,
  });
  const paths = ["missing", "one", "two"].map((name) => join(folder, name));
  const connection = await connect({ env: { KUBECONFIG: paths.join(":") } });
  expect(connection.context).toBe("production");
  expect((await connection.credentials()).headers).toEqual({ Authorization: "Bearer first" });
});

test("qvs reads the kubeconfig in the home directory without KUBECONFIG", async () => {
  const HOME = await folderWith({ ".kube/config": withToken });
  expect((await connect({ env: { HOME } })).context).toBe("dev");
});

test("relative paths and plugins depend on the given directory and environment", async () => {
  const script = 'test "$PWD" = "$EXPECTED" && ';
  const user = { exec: { command: "sh", args: ["-c", script + credential("here")] } };
  const directory = await folderWith({ config: kubeconfig(JSON.stringify(user)) });
  const env = { KUBECONFIG: "config", EXPECTED: directory };
  const connection = await connect({ env, directory });
  expect((await connection.credentials()).headers).toEqual({ Authorization: "Bearer here" });
});

const plugin = (script: string) => `#!/bin/sh\n${script}\n`;
const credential = (token: string) =>
  `echo '{"kind":"ExecCredential","status":{"token":"'${token}'"}}'`;

async function withPlugin(script: string, exec = "{command: ./login, args: [now]}") {
  const folder = await folderWith({
    config: kubeconfig(`{exec: ${exec}}`),
    login: plugin(script),
  });
  await chmod(join(folder, "login"), 0o755);
  return connect({ kubeconfig: { path: join(folder, "config") }, env: {} });
}

test("a plugin runs once until the API server rejects its token", async () => {
  const count = 'n=$(cat "$0.n" 2>/dev/null || echo 0); n=$((n+1)); echo $n > "$0.n"';
  const connection = await withPlugin(`${count}; ${credential('"token-$n"')}`);
  const first = await connection.credentials();
  expect(first.headers).toEqual({ Authorization: "Bearer token-1" });
  const together = await Promise.all([
    connection.renewedCredentials(first),
    connection.renewedCredentials(first),
  ]);
  const late = await connection.renewedCredentials(first);
  expect([...together, late].map((one) => one.headers.Authorization)).toEqual([
    "Bearer token-2",
    "Bearer token-2",
    "Bearer token-2",
  ]);
});

test("a plugin gets the cluster if it requests it", async () => {
  const checkClusterInfo = 'test "$(echo "$KUBERNETES_EXEC_INFO" | grep -c east.example)" = 1 && ';
  const connection = await withPlugin(
    checkClusterInfo + credential("ok"),
    "{command: ./login, provideClusterInfo: true}",
  );
  expect((await connection.credentials()).headers).toEqual({ Authorization: "Bearer ok" });
});

const long = "x".repeat(60);

test.each([
  ["fails", "echo no session for me >&2; exit 3", "failed\n  output: no session for me"],
  ["fails and prints its token", `echo bad ${long} >&2; exit 1`, "failed\n  output: bad …"],
  ["fails silently", "exit 1", "failed\n  output: (none)"],
  ["prints invalid text", `echo ${secret}`, "printed no valid ExecCredential"],
  ["prints another object", "echo '{}'", "printed no valid ExecCredential"],
])("a plugin that %s is reported without its output", async (_, script, expected) => {
  const problem = await withPlugin(script).catch((error: Error) => error.message);
  expect(problem).toMatch(/Context "dev": the credential plugin "\S+login" /);
  expect(problem).toContain(expected);
  expect(problem).not.toContain(secret);
});

test("a plugin that isn't installed is reported with the hint of the kubeconfig", async () => {
  const user = "{exec: {command: no-such-plugin, installHint: 'Get it from acme.example.'}}";
  await expect(headersOf(kubeconfig(user))).rejects.toThrow(
    'Context "dev": the credential plugin "no-such-plugin" isn\'t installed\n  help: Get it from acme.example',
  );
});

test("a valid OpenID Connect token is used", { tags: "slow" }, async () => {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");
  const token = `${part({ alg: "none" })}.${part({ exp: 99_999_999_999 })}.${part({})}`;
  const user = `{auth-provider: {name: oidc, config: {id-token: ${token}}}}`;
  expect(await headersOf(kubeconfig(user))).toEqual({ Authorization: `Bearer ${token}` });
});

test.each([
  [
    "an unknown context",
    withToken,
    "prodution",
    'no context "prodution"\n  contexts: dev, production, broken, anonymous\n  help: Did you mean "production"? Choose a context with --context=production',
  ],
  [
    "a context without its cluster",
    withToken,
    "broken",
    'Context "broken": the cluster "north" doesn\'t exist in the kubeconfig',
  ],
  [
    "no current context",
    withToken.replace(/^current-context.*$/m, ""),
    undefined,
    "The kubeconfig has no current context\n  contexts: dev, production, broken, anonymous\n  help: Choose a context with --context=NAME",
  ],
  [
    "another file",
    "hello: world",
    undefined,
    "The kubeconfig has no contexts\n  help: Use the whole kubeconfig of a cluster, which `kubectl config view --raw` prints",
  ],
  ["no context at all", "contexts: []", "dev", "The kubeconfig has no contexts"],
  [
    "bad YAML",
    `users:\n  - token: ${secret}\n - "`,
    undefined,
    "The given kubeconfig isn't valid YAML at line 3, column",
  ],
  ["a scalar", secret, undefined, "The given kubeconfig isn't a kubeconfig"],
  [
    "a wrong type",
    `users: [{name: me, user: {token: [${secret}]}}]`,
    undefined,
    "The given kubeconfig: users.0.user.token is missing or has the wrong type",
  ],
  [
    "a server that isn't an address",
    withToken.replace("https://east", "east"),
    undefined,
    'Context "dev": the server isn\'t an http or https address',
  ],
  [
    "a server with a password",
    withToken.replace("https://east", `https://me:${secret}@east`),
    undefined,
    "the address of the server contains a password",
  ],
  ["an empty file", "", undefined, "The kubeconfig has no contexts"],
  [
    "a SOCKS proxy",
    withToken.replace("http://proxy", "socks5://proxy"),
    "production",
    "Use an HTTP proxy, because qvs doesn't support SOCKS",
  ],
  [
    "an auth-provider, which is no longer supported",
    kubeconfig("{auth-provider: {name: gcp}}"),
    undefined,
    'Kubernetes no longer supports the auth-provider "gcp"',
  ],
])("%s is reported without the credential", async (_, content, context, expected) => {
  const problem = await connect({ kubeconfig: { content }, context, env: {} }).catch(
    (error: Error) => `${error.name}: ${error.message}`,
  );
  expect(problem).toContain("UserError: ");
  expect(problem).toContain(expected);
  expect(problem).not.toContain(secret);
});

test("qvs connects to its own cluster in a Pod", async () => {
  const folder = await folderWith({ token: "pod\n", namespace: "shop", "ca.crt": "ca" });
  const env = { KUBERNETES_SERVICE_HOST: "fd00::1", KUBERNETES_SERVICE_PORT: "443" };
  const connection = inClusterConnection(env, folder);
  expect(connection).toMatchObject({
    server: "https://[fd00::1]:443",
    namespace: "shop",
    tls: { ca: Buffer.from("ca"), rejectUnauthorized: true },
  });
  expect((await connection.credentials()).headers).toEqual({ Authorization: "Bearer pod" });
});

test.each([
  [
    "a file that is missing",
    { kubeconfig: { path: "/no/such" } },
    "The kubeconfig /no/such doesn't exist",
  ],
  [
    "KUBECONFIG with missing files only",
    { env: { KUBECONFIG: "/no/a:/no/b" } },
    "No file in KUBECONFIG exists\n  found: /no/a, /no/b",
  ],
  [
    "a context without a kubeconfig",
    { env: { HOME: "/no/home" }, context: "prod" },
    'There is no kubeconfig for the context "prod"',
  ],
  [
    "no kubeconfig at all",
    { env: { HOME: "/no/home" } },
    "There is no kubeconfig\n  why: KUBECONFIG isn't set, ~/.kube/config doesn't exist",
  ],
])("%s is reported with an explanation", async (_, options, expected) => {
  await expect(connect({ env: {}, ...options })).rejects.toThrow(expected);
});
