import { afterAll, beforeAll, expect, test } from "vitest";
import { type OpenCluster, openCluster } from "../../../src/io/kubernetes/cluster.ts";
import { connect } from "../../../src/io/kubernetes/kubeconfig/connect.ts";
import type { Deployment } from "../../../src/model/deployments/deployment.ts";
import type { History } from "../../../src/model/deployments/release.ts";
import {
  createReleaseHistory,
  emptyHistory,
} from "../../../src/model/deployments/release-history.ts";
import { fieldManager } from "../../../src/model/plan/plan.ts";
import { attribute } from "../../../src/plan/attribution/attribute.ts";
import { declareObjects } from "../../../src/plan/declared/declare-objects.ts";
import { preparePlan } from "../../../src/planning/prepare-plan.ts";
import { objectHistory } from "../../../src/releases/history.ts";
import type { DeploymentReport } from "../../../src/report/comment/comment-input.ts";
import { renderPlanText } from "../../../src/report/plans/plan-text.ts";
import { reportJson } from "../../../src/report/report-json.ts";
import { useCluster } from "../../support/cluster/use-cluster.ts";
import { manifestsFrom, problemText } from "../../support/plan/declare.ts";
import { inventoryFrom } from "../../support/plan/plan-text.ts";
import { renderComment } from "../../support/report/rendered.ts";
import { plainDeployment } from "../../support/shop/plain-deployment.ts";
import { commentInput } from "../../support/shop/shop-report.ts";
import { countInputs } from "../attack.ts";
import { type Ask, attack } from "./adversary.ts";
import { byBits, byGuesses } from "./ways.ts";

/**
 * Simulates an attacker who can only open pull requests, and wants a live value with 1,000
 * previews. The previews must not depend on the value: two clusters that differ only in it give
 * literally the same answers. Therefore no analysis of the answers is better than guessing.
 */
const control = useCluster();
let cluster: OpenCluster;

beforeAll(async () => {
  cluster = openCluster(await connect({ kubeconfig: { path: control.kubeconfig }, env: {} }));
});
afterAll(() => cluster.close());

const questions = 1000;

/** Values of eight letters that are also valid Base64. */
const values = ["hgfdjklm", "abcnopee"] as const;

const login =
  "app/login: {apiVersion: v1, kind: Secret, metadata: {name: login}, data: {password: $}}";
const settings =
  'app/settings: {apiVersion: v1, kind: ConfigMap, metadata: {name: settings}, data: {kept: by-us, url: "$(ref.login.data.password)"}, dependsOn: [login]}';
const session = "app/session: {apiVersion: v1, kind: Secret, metadata: {name: session}}";

test("an attacker with 1,000 previews learns no live value", async (context) => {
  countInputs(context, "live values", byBits.length + byGuesses.length);
  const games = await Promise.all(values.map(play));
  const [one, other] = games as [Game, Game];
  expect(one.answers).toHaveLength(questions);
  for (const { learned, value } of games) {
    expect([...learned].filter(([, read]) => read === value)).toEqual([]);
    expect([...learned.keys()]).toEqual([]);
  }
  for (const [index, answer] of one.answers.entries()) {
    expect(answer, `question ${index}`).toBe(other.answers[index]);
  }
});

interface Game {
  readonly value: string;
  readonly learned: ReadonlyMap<string, string>;
  readonly answers: readonly string[];
}

async function play(value: string): Promise<Game> {
  const namespace = await control.namespace("oracle");
  const deployment = deploymentIn(namespace);
  const history = await fill(deployment, value);
  const answers: string[] = [];
  const ask: Ask = async (manifests) => {
    const shown = await preview(deployment, manifests, history);
    const answer = shown
      // The codes are hashes of the operations in the digest, which is readable here, and of the
      // namespace.
      .replaceAll(
        /(?<=<!-- qvs-action:approval v1 ).*(?= -->)|(?<="operations":\[)"[^\]]*/g,
        "CODES",
      )
      .replaceAll(namespace, "oracle")
      // UIDs that the API server generates. They are also in the digest.
      .replaceAll(/[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}/g, "UID")
      .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "TIME");
    answers.push(answer);
    return answer;
  };
  return { value, learned: await attack(ask, value.length, questions), answers };
}

/** Creates the objects of others, and a release of the deployment. */
async function fill(deployment: Deployment, value: string): Promise<History> {
  const { namespace } = deployment;
  await control.apply(
    namespace,
    `{apiVersion: v1, kind: Secret, metadata: {name: vault}, data: {password: ${value}}}
---
{apiVersion: v1, kind: ConfigMap, metadata: {name: theirs}, data: {password: ${value}}}`,
  );
  const declared = declareObjects(manifestsFrom(ours(value)), {
    deployment: deployment.name,
    namespace,
    isNamespaced: () => true,
  });
  if (!declared.ok) throw new Error(problemText(declared.problems));
  for (const { object, stage } of declared.value) {
    const live =
      object.metadata.name === "settings"
        ? { ...object, data: { kept: "by-us", url: value } }
        : object;
    const options = {
      fieldManager: fieldManager(deployment.name, stage),
      dryRun: false,
      force: false,
    };
    const answer = await cluster.apply(live, options);
    if (!answer.ok) throw new Error(answer.failure.message);
  }
  const token = JSON.stringify({ data: { token: value } });
  await control.kubectl("-n", namespace, "patch", "secret", "session", "--type=merge", "-p", token);
  const recorded = declared.value.map(({ stage, resource, object, dependsOn }) => ({
    ...{ stage, resource, dependsOn },
    object:
      resource === "settings" ? { ...object, data: { url: "$(ref.login.data.password)" } } : object,
    references: true as const,
  }));
  const results = declared.value.map(({ key }) => ({ key, outcome: "created", detail: "" }));
  const release = { revision: 1, expandedConfig: recorded, results } as never;
  return objectHistory(createReleaseHistory([release]));
}

function ours(value: string): string {
  return [login.replace("$", value), settings, session].join("\n");
}

const recorded = inventoryFrom(ours("aaaa"));

/** Returns everything that the author of a pull request can see, in every format. */
async function preview(
  deployment: Deployment,
  manifests: string,
  history: History,
): Promise<string> {
  const { namespace } = deployment;
  const inventory = recorded.map((entry) => ({ ...entry, id: { ...entry.id, namespace } }));
  const planned = await preparePlan(cluster, {
    manifests: manifestsFrom(manifests),
    inventory,
    history,
    concurrency: 4,
    rules: {
      deployment: deployment.name,
      namespace,
      policy: { allowDelete: ["everything"], conflicts: { force: false, takeover: [] } },
      purpose: "preview",
      dryRuns: "all",
      recorded: false,
      isOtherSource: false,
      adopt: false,
      // The input of the digest is visible to the attacker, who could guess its parts.
      hash: (text) => text,
    },
  });
  const plan = planned.ok ? planned.value.plan : undefined;
  const report: DeploymentReport = {
    deployment,
    problems: [],
    blockers: planned.ok ? planned.value.problems : planned.problems,
    plan,
    attributions: plan && attribute(plan, { history: emptyHistory }),
    clusterState: { compared: true },
  };
  return [
    plan === undefined ? "" : renderPlanText(plan, undefined, [], report),
    problemText(report.blockers),
    JSON.stringify(reportJson(report)),
    renderComment(commentInput(report)),
  ].join("\n\n");
}

function deploymentIn(namespace: string): Deployment {
  return plainDeployment({ name: "demo", namespace });
}
