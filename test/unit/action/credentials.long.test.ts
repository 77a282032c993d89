import { chmodSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { pullRequestPayload, runStep } from "../../support/action/action-run.ts";
import { startCompiler } from "../../support/cue/native.ts";
import { useFakeGitHub } from "../../support/fake-github/use.ts";
import { temporaryDirectory } from "../../support/git/git-fixture.ts";
import { startWatchedServer, type WatchedServer } from "../../support/servers/watched-server.ts";
import { deploymentsFile, shopUnderGit } from "../../support/shop/shop-world.ts";

/**
 * Tests which cluster the Action connects to, and as which user, for each kind of credentials. The
 * clusters reject and record each request.
 */
const compiler = startCompiler();
afterAll(() => compiler.close());
const github = useFakeGitHub();

interface Given {
  readonly inputs?: Readonly<Record<string, string>>;
  readonly env?: Readonly<Record<string, string>>;
}

/** Runs a preview of deployments with these contexts; "" means none. */
async function preview(contexts: readonly string[], { inputs = {}, env = {} }: Given) {
  const git = shopUnderGit();
  const named = (context: string) => (context === "" ? {} : { context });
  const entries = contexts.map((context, index) => ({
    name: `shop-${index}`,
    namespace: "shop",
    ...named(context),
  }));
  const base = git.commit(deploymentsFile(...entries));
  const head = git.commit({ "params.yaml": "version: 2.0.0\nreplicas: 2\n" });
  return runStep({
    compiler,
    apiUrl: github().apiUrl,
    workspace: git.directory,
    name: "pull_request",
    payload: pullRequestPayload({ base, head }),
    inputs,
    env,
  });
}

function kubeconfig(users: Readonly<Record<string, object>>, servers: readonly WatchedServer[]) {
  const names = Object.keys(users);
  return JSON.stringify({
    apiVersion: "v1",
    kind: "Config",
    "current-context": names[0],
    clusters: names.map((name, index) => ({ name, cluster: { server: servers[index]?.address } })),
    users: names.map((name) => ({ name, user: users[name] })),
    contexts: names.map((name) => ({ name, context: { cluster: name, user: name } })),
  });
}

function file(name: string, text: string): string {
  const path = join(temporaryDirectory(), name);
  writeFileSync(path, text);
  chmodSync(path, 0o700);
  return path;
}

/** Inputs and environments for each kind of credentials. */
const credentials: Readonly<Record<string, (server: WatchedServer) => Given>> = {
  "the content of a kubeconfig": (server) => ({
    inputs: { KUBECONFIG: kubeconfig({ me: { token: "the-token" } }, [server]) },
  }),
  "the path of one": (server) => ({
    inputs: { KUBECONFIG: file("config", kubeconfig({ me: { token: "the-token" } }, [server])) },
  }),
  "KUBECONFIG, as logins to a cloud set it": (server) => ({
    env: { KUBECONFIG: file("config", kubeconfig({ me: { token: "the-token" } }, [server])) },
  }),
  "a token file": (server) => {
    const tokenFile = file("token", "the-token\n");
    return { inputs: { KUBECONFIG: kubeconfig({ me: { tokenFile } }, [server]) } };
  },
};

test.for(Object.entries(credentials))("%s", async ([, given]) => {
  const server = await startWatchedServer();
  await preview([""], given(server));
  expect([...new Set(server.authorizations)]).toEqual(["Bearer the-token"]);
});

test("a plugin that an earlier step has put on PATH logs in with the variables of that step", async () => {
  const server = await startWatchedServer();
  const plugin = file(
    "cloud-login",
    `#!/bin/sh\necho '{"kind":"ExecCredential","status":{"token":"'$CLOUD_SESSION-$1'"}}'\n`,
  );
  // GITHUB_PATH and GITHUB_ENV change the environment of later steps.
  const PATH = [join(plugin, ".."), process.env.PATH].join(delimiter);
  const env = { PATH, CLOUD_SESSION: "of-the-job" };
  const exec = {
    apiVersion: "client.authentication.k8s.io/v1",
    command: "cloud-login",
    args: ["production"],
    interactiveMode: "Never",
  };
  await preview([""], { env, inputs: { KUBECONFIG: kubeconfig({ me: { exec } }, [server]) } });
  expect([...new Set(server.authorizations)]).toEqual(["Bearer of-the-job-production"]);
});

test("the kubeconfig in-cluster connects to no other cluster, and fails outside a Pod", async () => {
  const server = await startWatchedServer();
  const KUBECONFIG = file("config", kubeconfig({ me: { token: "the-token" } }, [server]));
  const { exitCode, log } = await preview([""], {
    inputs: { KUBECONFIG: "in-cluster" },
    env: { KUBECONFIG },
  });
  expect(exitCode).toBe(1);
  expect(log).toContain("qvs doesn't run in a Pod");
  expect(server.requests).toEqual([]);
});

test("deployments of several clusters in one job connect to their own cluster as their own user", async () => {
  const servers = [await startWatchedServer(), await startWatchedServer()];
  const users = { staging: { token: "for-staging" }, production: { token: "for-production" } };
  const inputs = { KUBECONFIG: kubeconfig(users, servers) };
  const { summary } = await preview(["staging", "production", ""], { inputs });
  expect(servers.map(({ authorizations }) => [...new Set(authorizations)])).toEqual([
    ["Bearer for-staging"],
    ["Bearer for-production"],
  ]);
  for (const name of ["shop-0", "shop-1", "shop-2"]) expect(summary).toContain(name);
});
