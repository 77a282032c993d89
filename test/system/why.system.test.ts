import { execFileSync } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { useCluster } from "../support/cluster/use-cluster.ts";
import { startCompiler } from "../support/cue/native.ts";
import {
  type TemporaryRepository,
  temporaryRepository,
} from "../support/git/temporary-repository.ts";
import { runHere } from "../support/qvs/run-here.ts";
import { files, password } from "./why-files.ts";

/** Tests the origin of fields of one deployment that has every kind of source and manager. */
const cluster = useCluster();
const compiler = startCompiler();
const undo: (() => void)[] = [];
afterAll(async () => {
  for (const each of undo) each();
  await compiler.close();
});

let repository: TemporaryRepository;
let namespace: string;

function git(...args: readonly string[]): string {
  const identity = ["-c", "user.name=Ada", "-c", "user.email=ada@shop.example"];
  return execFileSync("git", [...identity, ...args], {
    cwd: repository.directory,
    encoding: "utf8",
    env: { PATH: process.env.PATH, HOME: "/nonexistent", GIT_CONFIG_NOSYSTEM: "1" },
    stdio: ["ignore", "pipe", "pipe"],
  }).trim();
}

function commit(subject: string): string {
  git("add", "--all");
  git("commit", "--quiet", "--message", subject);
  return git("rev-parse", "HEAD");
}

const commits = new Map<string, string>();

beforeAll(async () => {
  namespace = await cluster.namespace("why");
  repository = temporaryRepository(files, (work) => undo.push(work));
  git("init", "--quiet", "--initial-branch=main");
  commits.set("add", commit("Add the shop"));
  await deploy();
  git("checkout", "--quiet", "-b", "scale");
  repository.change("params.yaml", "replicas: 2", "replicas: 3");
  commits.set("scale", commit("Scale the web"));
  git("checkout", "--quiet", "main");
  git("merge", "--quiet", "--no-ff", "-m", "Merge pull request #12 from acme/scale", "scale");
  commits.set("merge", git("rev-parse", "HEAD"));
  repository.change("params.yaml", "1.0.0", "2.0.0");
  commits.set("version", commit("Use version 2 (#15)"));
  await deploy();
  repository.change("k8s/settings.yaml", "color: blue", "color: green");
  commits.set("color", commit("Paint it green"));
  await deploy();
  await driftAndScale();
});

async function deploy(): Promise<void> {
  const flags = ["-n", namespace, "--param", "mode=fast", "--quiet"];
  const { code, stderr } = await run("deploy", "-d", "shop", ...flags);
  expect(code, stderr).toBe(0);
}

/** Lets other managers write: kubectl, and an autoscaler of Kubernetes. */
async function driftAndScale(): Promise<void> {
  await cluster.kubectl("-n", namespace, "set", "image", "deployment/web", "web=hotfix:1");
  await cluster.kubectl("-n", namespace, "scale", "deployment/scaled", "--replicas=3");
  await cluster.kubectl("-n", namespace, "annotate", "deployment", "web", "on-call=ada");
  await cluster.kubectl("-n", namespace, "autoscale", "deployment/worker", "--min=4", "--max=5");
  for (;;) {
    const path = "jsonpath={.spec.replicas}";
    if ((await cluster.kubectl("-n", namespace, "get", "deploy", "worker", "-o", path)) === "4")
      return;
    await sleep(200);
  }
}

function run(...args: readonly string[]) {
  const env = { KUBECONFIG: cluster.kubeconfigFor("admin") };
  return runHere(repository.directory, args, compiler, env);
}

/** Returns the answer with names for commits, and without ages. */
async function why(object: string, field: string, ...flags: readonly string[]): Promise<string> {
  const { stdout, stderr, code } = await run(
    "why",
    "shop",
    object,
    field,
    "-n",
    namespace,
    ...flags,
  );
  expect(`${stdout}${stderr}`).not.toContain(password);
  expect(`${stdout}${stderr}`).not.toContain(Buffer.from(password).toString("base64"));
  const named = [...commits].reduce(
    (text, [name, id]) => text.replaceAll(id.slice(0, 12), `<${name}>`),
    `${stdout}${stderr}${code === 0 ? "" : `exit code ${code}`}`,
  );
  return named
    .replaceAll(namespace, "NS")
    .replaceAll(/, (just now|\d+ minutes? ago)/g, "")
    .replaceAll(/ +$/gm, "")
    .trim();
}

const cases: readonly (readonly [object: string, field: string])[] = [
  ["deploy/web", "spec.replicas"],
  ["deploy/web", "spec.template.spec.containers[0].image"],
  ["deploy/web", 'spec.template.spec.containers[name="web"].image'],
  ["deploy/web", "spec.template.spec.containers[name=web].ports[0].containerPort"],
  ["deploy/web", "spec.template.spec.containers[0].args"],
  ["deploy/web", "spec.selector.matchLabels.app"],
  ["deploy/web", 'metadata.labels["team.example/tier"]'],
  ["deploy/web", 'metadata.labels["app.kubernetes.io/managed-by"]'],
  ["deploy/web", "metadata.annotations.on-call"],
  ["deploy/web", "spec.strategy.type"],
  ["deploy/web", "status.observedGeneration"],
  ["deploy/web", 'metadata.annotations["deployment.kubernetes.io/revision"]'],
  ["deploy/worker", "spec.replicas"],
  ["deploy/scaled", "spec.replicas"],
  ["deploy/worker", "spec.template.spec.containers[0].image"],
  ["secret/login", "data.password"],
  ["secret/login", "stringData.password"],
  ["cm/settings", "data.mode"],
  ["cm/settings", "data.color"],
  ["configmap/shop-flags", "data.beta"],
  ["configmap/shop-flags", "data.gamma"],
  ["cm/tools", "data.size"],
  ["cm/tools", "data.color"],
  ["deploy/web", "spec.template.spec"],
  ["deploy/nothing", "spec.replicas"],
  ["deploy/web", "spec.replica"],
];

test("each field shows its value, managers, manifest, places, commits and first release", async () => {
  const answers: string[] = [];
  for (const [object, field] of cases) {
    answers.push(`## ${object} ${field}\n\n\`\`\`text\n${await why(object, field)}\n\`\`\`\n`);
  }
  await expect(answers.join("\n")).toMatchFileSnapshot("golden/why.md");
});

test("the answer for programs has the same facts", async () => {
  const answer = JSON.parse(await why("deploy/web", "spec.replicas", "--format", "json"));
  expect(answer).toMatchObject({
    object: "apps:Deployment::NS/web",
    field: "spec.replicas",
    live: { state: "value", value: 3 },
    managers: [{ manager: "qvs-shop-app", operation: "Apply", role: "this deployment" }],
    manifest: { state: "value", value: 3, release: 3, resource: "app/web", isCurrent: true },
    sources: [
      {
        adapter: "team.example/adapters/web",
        places: [{ file: "adapters/web/main.cue", line: 11, column: 14 }],
        parameters: [
          {
            name: "replicas",
            of: "adapter",
            given: { file: ".valuestream/qvs.yaml", line: 12 },
            from: [{ name: "replicas", of: "config", given: { file: "params.yaml", line: 2 } }],
          },
        ],
        changes: [{ subject: "Scale the web", author: "Ada", pullRequest: 12 }],
      },
    ],
    firstRelease: { revision: 2, orEarlier: false },
    notices: [],
  });
  const secret = JSON.parse(await why("secret/login", "data.password", "--format", "json"));
  expect(secret).toMatchObject({ live: { state: "hidden", value: null } });
});

test("a rollback leads to the commit of the release that it restored", async () => {
  const flags = ["-n", namespace, "--to", "1", "--yes", "--quiet"];
  const { code, stderr } = await run("rollback", "-d", "shop", ...flags, "--conflicts", "force");
  expect(code, stderr).toBe(0);
  const answer = await why("deploy/web", "spec.replicas");
  expect(answer).toContain("2 (release 4, app/web, rollback to release 1");
  expect(answer).toContain("<add> Add the shop (Ada; params.yaml:2)");
  expect(answer).toContain("first in release 4");
});

test("a deleted object and an unknown kind of name have their own answers", async () => {
  await cluster.kubectl("-n", namespace, "delete", "configmap", "tools");
  expect(await why("cm/tools", "data.size")).toContain("the object doesn't exist");
  expect(await why(`cm/${namespace}/tools`, "data.size")).toContain("the object doesn't exist");
  expect(await why("cm/elsewhere/tools", "data.size")).toContain("error[object-not-found]");
  expect(await why("tools", "data.size")).toContain("Write KIND/NAME");
  expect(await why("cm/tools", "data..size")).toContain("Write a path");
});

test("outside of the repository, the answer has everything except the sources", async () => {
  const elsewhere = temporaryRepository({ notes: "" });
  const env = { KUBECONFIG: cluster.kubeconfigFor("admin") };
  const args = ["why", "shop", "deploy/web", "spec.replicas", "-n", namespace];
  const { stdout, stderr, code } = await runHere(elsewhere.directory, args, compiler, env);
  expect(code).toBe(0);
  expect(stderr).toContain("note[not-a-git-repository]");
  expect(stdout).toContain("2 (release 4, app/web");
  expect(stdout).not.toContain("adapter");
});

test("without the releases, a copy of a Secret's value stays hidden", async () => {
  const deployed = await run("deploy", "-d", "plain", "-n", namespace, "--quiet");
  expect(deployed.code, deployed.stderr).toBe(0);
  const env = { KUBECONFIG: cluster.kubeconfigFor("viewer") };
  const ask = (field: string) => {
    const args = ["why", "plain", "cm/copies", field, "-n", namespace];
    return runHere(repository.directory, args, compiler, env);
  };
  for (const field of ["data.copied", "data.literal", "data"]) {
    const { stdout, stderr, code } = await ask(field);
    expect(code, stderr).toBe(0);
    expect(stdout).toContain("(hidden)");
    expect(`${stdout}${stderr}`).not.toContain(password);
  }
  expect((await ask("data.public")).stdout).toContain('live      "yes"');
});

test("without permissions, the answer comes from the repository", async () => {
  const args = ["why", "plain", "cm/plain", "data.a", "-n", namespace];
  const env = { KUBECONFIG: cluster.kubeconfigFor("stranger") };
  const { stdout, stderr, code } = await runHere(repository.directory, args, compiler, env);
  expect(code, stderr).toBe(0);
  expect(stderr.match(/note\[missing-permission\]/g)).toHaveLength(2);
  expect(stdout).toContain("unknown: this identity can't read the object");
  expect(stdout).toContain('"b" (working tree, app/configmap/plain');
  expect(stdout).toContain("plain/plain.yaml:4:11");
  expect(stdout).toContain("Add the shop (Ada");
  const rows = ["why", "shop", "deploy/web", "spec.replicas", "-n", namespace];
  const denied = await runHere(repository.directory, rows, compiler, env);
  expect(denied.code).toBe(1);
  expect(denied.stderr).toContain("error[missing-permission]");
});
