import { chmodSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openModuleStore } from "../../../../../src/io/git/modules/store.ts";
import type { ModuleToken } from "../../../../../src/io/git/modules/token.ts";
import { describeProblem } from "../../../../support/describe-problem.ts";
import {
  environment,
  GitFixture,
  temporaryDirectory,
} from "../../../../support/git/git-fixture.ts";
import { startHttpsServer } from "../../../../support/servers/https-server.ts";

const token = "ghs_hunter2hunter2hunter2";
const header = `Basic ${Buffer.from(`x-access-token:${token}`).toString("base64")}`;

/** Creates a directory with the repository `adapters`, at v1. */
function served() {
  const module = new GitFixture();
  const commit = module.commit({ "cue.mod/module.cue": 'module: "m.example/m"\n' });
  module.git("tag", "v1");
  return { root: join(module.directory, ".."), name: module.directory.split("/").at(-1), commit };
}

interface Attempt {
  readonly repo: string;
  readonly revision?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly token?: ModuleToken;
  readonly cache?: string;
}

/** Returns the commit, or the problem. */
async function attempt(options: Attempt): Promise<string> {
  const { repo, revision = "v1", env = {}, cache = temporaryDirectory(), token: given } = options;
  const store = openModuleStore({
    cache,
    base: temporaryDirectory(),
    environment: { ...environment, ...env },
    token: given,
  });
  const result = await store.fetch({ repo, revision, path: "", locked: undefined });
  return result.ok ? result.value.commit : result.problems.map(describeProblem).join("\n");
}

test("qvs sends no secret to a public repository over https", async () => {
  const { root, name, commit } = served();
  const server = await startHttpsServer({ root });
  const repo = `${server.host}/${name}`;
  expect(await attempt({ repo, env: server.trusted })).toBe(commit);
  expect(new Set(server.authorizations)).toEqual(new Set([""]));
});

test("a certificate that git doesn't trust is rejected", async () => {
  const { root, name } = served();
  const server = await startHttpsServer({ root });
  const repo = `${server.host}/${name}`;
  expect(await attempt({ repo })).toBe(
    `"${repo}" can't be fetched
  why: git doesn't trust the host's certificate
  → Check the address
    or set git's http.sslCAInfo, if the host has its own certificate authority`,
  );
});

test("the token gives access to a private repository and is in no file of the cache", async () => {
  const { root, name, commit } = served();
  const server = await startHttpsServer({ root, password: token });
  const cache = temporaryDirectory();
  const given = { token, host: server.host };
  const repo = `https://${server.host}/${name}`;
  expect(await attempt({ repo, env: server.trusted, token: given, cache })).toBe(commit);
  expect(new Set(server.authorizations)).toEqual(new Set([header]));
  const files = readdirSync(cache, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), "latin1"));
  expect(files.length).toBeGreaterThan(3);
  for (const text of files) {
    expect(text).not.toContain(token);
    expect(text).not.toContain(header);
  }
});

test("another header in the user's git settings doesn't replace the token", async () => {
  const { root, name, commit } = served();
  const server = await startHttpsServer({ root, password: token });
  const env = {
    ...server.trusted,
    GIT_CONFIG_COUNT: "1",
    GIT_CONFIG_KEY_0: `http.https://${server.host}/.extraheader`,
    GIT_CONFIG_VALUE_0: "Authorization: Basic b2xkOm9sZA==",
  };
  const given = { token, host: server.host };
  expect(await attempt({ repo: `${server.host}/${name}`, env, token: given })).toBe(commit);
});

const refused = (repo: string) => `"${repo}": access was denied
  → Check that the repository exists
    or give git credentials that can read it: a token (QVS_MODULES_TOKEN, or the Action's input modules-token), a credential helper, or an SSH key`;

test("a missing token and a wrong one are reported without the token", async () => {
  const { root, name } = served();
  const server = await startHttpsServer({ root, password: token });
  const repo = `${server.host}/${name}`;
  expect(await attempt({ repo, env: server.trusted })).toBe(refused(repo));
  const wrong = { token: "ghs_wrong", host: server.host };
  expect(await attempt({ repo, env: server.trusted, token: wrong })).toBe(refused(repo));
});

test("the token isn't sent to another host", async () => {
  const { root, name } = served();
  const server = await startHttpsServer({ root, password: token });
  for (const host of ["github.com", "127.0.0.1", `${server.host}0`, "0.0.1"]) {
    await attempt({ repo: `${server.host}/${name}`, env: server.trusted, token: { token, host } });
  }
  expect(server.authorizations.length).toBeGreaterThan(3);
  expect(new Set(server.authorizations)).toEqual(new Set([""]));
});

test("the token isn't sent to a redirect target, and the error suggests correcting the address", async () => {
  const { root, name, commit } = served();
  const other = await startHttpsServer({ root });
  const first = await startHttpsServer({ root, redirectTo: `https://${other.host}` });
  // Both certificates are for the same name, so that git accepts both.
  const bundle = join(temporaryDirectory(), "both.pem");
  const certificates = [first, other].map((each) =>
    readFileSync(String(each.trusted.GIT_SSL_CAINFO)),
  );
  writeFileSync(bundle, Buffer.concat(certificates));
  const env = { GIT_SSL_CAINFO: bundle };
  const repo = `${first.host}/${name}`;
  expect(await attempt({ repo, env, token: { token, host: first.host } })).toBe(
    `"${repo}" has moved to another address
  why: git doesn't follow the redirect, because it would send the token to the new address
  → Write the new address in the config`,
  );
  expect(first.authorizations).toContain(header);
  expect(other.authorizations).toEqual([]);
  expect(await attempt({ repo, env }), "without a token redirects are followed").toBe(commit);
  expect(new Set(other.authorizations)).toEqual(new Set([""]));
});

test("git's credential helper is used without a token", async () => {
  const { root, name, commit } = served();
  const server = await startHttpsServer({ root, password: "from-helper" });
  const helper = join(temporaryDirectory(), "helper");
  writeFileSync(helper, "#!/bin/sh\necho username=me\necho password=from-helper\n");
  chmodSync(helper, 0o755);
  const env = {
    ...server.trusted,
    GIT_CONFIG_COUNT: "1",
    GIT_CONFIG_KEY_0: "credential.helper",
    GIT_CONFIG_VALUE_0: helper,
  };
  expect(await attempt({ repo: `${server.host}/${name}`, env })).toBe(commit);
});

test("a refused connection is reported immediately, after one attempt", async () => {
  const listener = createServer();
  await new Promise<void>((resolve) => listener.listen(0, "127.0.0.1", resolve));
  const address = listener.address();
  const port = typeof address === "object" ? address?.port : 0;
  await new Promise((resolve) => listener.close(resolve));
  const repo = `127.0.0.1:${port}/acme/adapters`;
  for (const revision of ["v1", "f".repeat(40)]) {
    const failure = await attempt({ repo, revision });
    // Different versions of libcurl use different words.
    expect(failure.replace("Could not connect", "Couldn't connect"), revision).toBe(
      `"${repo}" can't be fetched
  answer: Failed to connect to 127.0.0.1 port ${port}: Couldn't connect to server
  why: The host can't be reached
  → Check the network and the address, and run again`,
    );
  }
});

test("the host doesn't have the repository", async () => {
  const { root } = served();
  const server = await startHttpsServer({ root });
  const repo = `${server.host}/nothing-here`;
  expect(await attempt({ repo, env: server.trusted })).toBe(
    `"${repo}" doesn't exist, or git has no access to it
  → Check the address
    or give git credentials for it, if the repository is private`,
  );
});

test("a run fetches a revision once for all modules and deployments", async () => {
  const { root, name, commit } = served();
  const server = await startHttpsServer({ root });
  const store = openModuleStore({
    cache: temporaryDirectory(),
    base: temporaryDirectory(),
    environment: { ...environment, ...server.trusted },
  });
  const request = { repo: `${server.host}/${name}`, revision: "v1", path: "", locked: undefined };
  const all = [...Array(5).keys()].map(() => store.fetch(request));
  for (const result of [...(await Promise.all(all)), await store.fetch(request)]) {
    expect(result).toMatchObject({ ok: true, value: { commit } });
  }
  // ls-remote requests the capabilities and then the refs; fetch requests the capabilities and the
  // pack.
  expect(server.paths.length).toBeLessThanOrEqual(5);
});

test("git's own ssh command fetches over ssh", async () => {
  const { root, name, commit } = served();
  const folder = temporaryDirectory();
  const ssh = join(folder, "ssh");
  const log = join(folder, "log");
  // Runs the command of the remote side here: the last argument is `git-upload-pack '/adapters'`.
  writeFileSync(
    ssh,
    `#!/bin/sh\necho "$@" >> ${log}\nfor last; do :; done\ncd ${root}\neval "$(echo "$last" | sed "s|'/|'./|")"\n`,
  );
  chmodSync(ssh, 0o755);
  const env = { GIT_SSH_COMMAND: ssh, GIT_SSH_VARIANT: "simple" };
  expect(await attempt({ repo: `ssh://git@git.acme.example/${name}`, env })).toBe(commit);
  expect(await attempt({ repo: `git@git.acme.example:${name}`, env })).toBe(commit);
  expect(readFileSync(log, "utf8")).toMatch(/^git@git\.acme\.example git-upload-pack '\/qvs-git-/);
});
