import { setTimeout as sleep } from "node:timers/promises";
import type { Stage } from "../../src/model/sources/compilation.ts";
import { removeAutoscalers } from "../support/cluster/autoscalers.ts";
import { type Manifests, manifestsIn, type Surroundings } from "../support/cluster/manifests-in.ts";
import type { TestCluster } from "../support/cluster/use-cluster.ts";
import type { QvsResult } from "../support/qvs/run-qvs.ts";
import { createCommits } from "./commits.ts";
import { forge } from "./forge.ts";
import { createHistory, describeDeployment, type History } from "./history.ts";
import { own } from "./own.ts";
import { type Command, type Hunk, readStory, type Step } from "./read-story.ts";
import { release } from "./release.ts";

/** The namespace in documents; every run uses its own namespace. */
const namespaceInDocuments = "shop";

/** Returns the document with the current output of its commands. */
export async function play(
  markdown: string,
  cluster: TestCluster,
  surroundings: Surroundings,
): Promise<string> {
  const namespace = await cluster.namespace(namespaceInDocuments);
  const shop = await manifestsIn(cluster, namespace, surroundings);
  const stage = createStage(cluster, shop);
  const steps = readStory(markdown);
  const shown: string[] = [];
  for (const step of steps) shown.push(await stage.perform(step));
  if (markdown.includes("HorizontalPodAutoscaler"))
    await removeAutoscalers(cluster, new Set([namespace]));
  return steps
    .map((step, index) => ({ step, text: shown[index] ?? "" }))
    .toReversed()
    .reduce(
      (text, one) =>
        one.step.type === "run"
          ? text.slice(0, one.step.shown.start) + one.text + text.slice(one.step.shown.end)
          : text,
      markdown,
    );
}

function createStage(cluster: TestCluster, shop: Manifests) {
  const { namespace } = shop;
  const declared: Record<Stage, string> = { appSetup: "", app: "" };
  const running: Promise<() => Promise<string>>[] = [];
  const history = createHistory(cluster, namespace);
  const commits = createCommits(shop.directory);
  const here = (text: string) => text.replaceAll(/\bshop\b/g, namespace);

  function declare(stage: Stage, yaml: string): string {
    declared[stage] = yaml;
    shop.declare({ appSetup: here(declared.appSetup), app: here(declared.app) });
    return "";
  }

  async function run(words: readonly string[]): Promise<string> {
    const [program = "", command = "", ...args] = words.map(here);
    if (program === "qvs") return runQvs(shop, history, command, args);
    if (program === "kubectl") return runKubectl(shop, [command, ...args]);
    if (program === "own") return lines([await own(shop, [command, ...args])]);
    if (program === "release") return lines([await release(shop, [command, ...args])]);
    if (program === "forge") return forge(cluster, shop, history, [command, ...args]);
    if (program === "commit") return commits.commit(command);
    if (program === "checkout") return commits.checkout(command);
    if (program === "until") return until(shop, command, args.slice(1));
    if (program === "wait") return awaitedOutput(await Promise.all(running.splice(0)));
    throw new Error(`"${program}" isn't a command for stories`);
  }

  /**
   * Starts qvs in the background. A later `wait` prints its writes, because another run can be
   * active when this one ends.
   */
  async function start(words: readonly string[]): Promise<() => Promise<string>> {
    const [program = "", command = "", ...args] = words.map(here);
    if (program !== "qvs") throw new Error(`"${program}" can't run in the background`);
    const result = await shop.qvs(command, "--quiet", ...args);
    return () => deploymentOutput(history, result);
  }

  async function runAll(commands: readonly Command[]): Promise<string> {
    let text = "";
    for (const { text: line, words, inBackground } of commands) {
      text += `$ ${line}\n`;
      if (inBackground) running.push(start(words));
      else text += await run(words);
    }
    return asInDocuments(commits.named(text), namespace);
  }

  return {
    async perform(step: Step): Promise<string> {
      switch (step.type) {
        case "declare":
          return declare(step.stage, step.yaml);
        case "change":
          return declare(step.stage, step.hunks.reduce(changed, declared[step.stage]));
        case "write":
          shop.write(step.file, here(step.text));
          return "";
        case "run":
          return runAll(step.commands);
      }
    },
  };
}

function changed(text: string, { from, to }: Hunk): string {
  if (!text.includes(from)) throw new Error(`Nothing declares:\n${from}`);
  return text.replace(from, () => to);
}

async function awaitedOutput(ended: readonly (() => Promise<string>)[]): Promise<string> {
  let text = "";
  for (const outputOf of ended) text += await outputOf();
  return text;
}

async function runQvs(
  shop: Manifests,
  history: History,
  command: string,
  args: readonly string[],
): Promise<string> {
  const isPreview =
    ["diff", "drift", "graph", "status"].includes(command) || args.includes("--dry-run");
  const result = await shop.qvs(command, "--quiet", ...args);
  return isPreview
    ? lines([result.stdout + result.stderr, exitOf(result)])
    : deploymentOutput(history, result);
}

async function deploymentOutput(history: History, result: QvsResult): Promise<string> {
  const { writes, release } = await describeDeployment(history);
  const messages =
    release.length > 0 ? [...noticesIn(result), rollbackHint(result)] : [result.stderr];
  return lines([
    ...writes,
    ...release,
    ...releaseLines(result, release),
    ...messages,
    exitOf(result),
  ]);
}

/**
 * Returns facts that the record doesn't contain: that there is no new one, or the commit of the
 * release.
 */
function releaseLines({ stdout }: QvsResult, release: readonly string[]): readonly string[] {
  const awaitedOutput = stdout
    .split("\n")
    .filter((line) => /^\S+ (release \d+|superseded)/.test(line));
  return awaitedOutput.filter((line) => release.length === 0 || line.includes(" from "));
}

function rollbackHint({ stderr }: QvsResult): string | undefined {
  return stderr.split("\n").find((line) => line.startsWith("  To roll back to "));
}

async function runKubectl(shop: Manifests, words: readonly string[]): Promise<string> {
  const args = words.map((word) => (word.endsWith(".yaml") ? `${shop.directory}/${word}` : word));
  try {
    return lines([await shop.kubectl(...args)]);
  } catch (error) {
    // `kubectl wait` fails for a CustomResourceDefinition that is so new that it has no conditions
    // yet.
    if (String(error).includes("conditions accessor error: <nil>")) return runKubectl(shop, words);
    return lines([String(error).replace(/^.*\n/, "")]);
  }
}

/**
 * Repeats a command until its output contains the text. Policies and quotas take effect shortly
 * after they are created.
 */
async function until(shop: Manifests, text: string, args: readonly string[]): Promise<string> {
  for (;;) {
    if ((await runKubectl(shop, args)).includes(text)) return "";
    await sleep(200);
  }
}

function lines(texts: readonly (string | undefined)[]): string {
  return texts
    .filter((text) => text !== undefined && text !== "")
    .map((text) => `${text?.trimEnd()}\n`)
    .join("");
}

function exitOf({ code }: QvsResult): string | undefined {
  return code === 0 ? undefined : `exit ${code}`;
}

function noticesIn({ stderr }: QvsResult): readonly string[] {
  return stderr.split("\n").filter((line) => line.startsWith("note["));
}

/** Replaces parts that differ between runs, such as generated names and times. */
function asInDocuments(text: string, namespace: string): string {
  const letters = "[bcdfghjklmnpqrstvwxz2456789]";
  return (
    text
      .replaceAll(namespace, namespaceInDocuments)
      // The old Pods that still exist depend on the moment.
      .replaceAll(/, used by (?!no )[^\n]+/g, ", used by what names it")
      .replaceAll(new RegExp(`-${letters}{6,10}-${letters}{5}\\b`, "g"), "-HASH-ID")
      .replaceAll(new RegExp(`(?<=ReplicaSet "[^ ]*)-${letters}{6,10}\\b`, "g"), "-HASH")
      .replaceAll(new RegExp(`(?<=\\bPod [^ ]*)-${letters}{5}\\b`, "g"), "-ID")
      .replaceAll(/https:\/\/127\.0\.0\.1:\d{4,5}/g, "https://SERVER")
      .replaceAll(/\b\d+ (?:minute|hour)s? ago/g, "just now")
      // The durations of earlier rollouts depend on the machine.
      .replaceAll(/(?<=(?:ready|times|peak), about )\d+ (?:s|min)\b/g, "N s")
      // The digest in the Job of a check depends on UIDs.
      .replaceAll(/(?<=\bJob \S+\/demo-\w+-)[0-9a-f]{10}\b/g, "DIGEST")
      // A plan contains the names of namespaces.
      .replaceAll(/(?<=--expect-digest |plan `(?:demo` `)?)[0-9a-f]{12}/g, "DIGEST")
      .replaceAll(/\bnodePort: 3\d{4}\b/g, "nodePort: 3NNNN")
      .replaceAll(/\b10\.0\.\d+\.\d+\b/g, "10.0.N.N")
      .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "TIME")
      .replaceAll(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, "UID")
  );
}
