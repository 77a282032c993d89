import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import pMap from "p-map";
import { beforeAll, expect, test } from "vitest";
import { parse } from "yaml";
import type { JsonObject } from "../../src/model/json.ts";
import type { KubeObject } from "../../src/model/object.ts";
import { rejectionMessage, toNewPod } from "../../src/validation/admission/admission-subject.ts";
import { ask } from "../support/cluster/api/ask.ts";
import { runGo } from "../support/cluster/go.ts";
import { useCluster } from "../support/cluster/use-cluster.ts";

/** Compares predicted rejections of Pods with those of the API server. */
const cluster = useCluster();

/**
 * The directory with Kubernetes' own test examples of the Pod Security Standards, by level, version
 * and outcome.
 */
let examples = "";

beforeAll(async () => {
  const place = join(import.meta.dirname, "../support/cluster/control-plane");
  const found = await runGo(
    place,
    ["mod", "download", "-json", "k8s.io/pod-security-admission"],
    {},
  );
  const { Dir } = JSON.parse(found) as { readonly Dir: string };
  examples = join(Dir, "test/testdata");
});

interface Example {
  readonly name: string;
  readonly pod: KubeObject;
}

function examplesOf(level: string, version: string, outcome: "pass" | "fail"): readonly Example[] {
  const folder = join(examples, level, version, outcome);
  return readdirSync(folder).map((file) => {
    const pod = parse(readFileSync(join(folder, file), "utf8")) as KubeObject;
    return { name: `${level} ${version} ${outcome} ${file}`, pod };
  });
}

function namespaceOf(level: string, version: string): KubeObject {
  const label = "pod-security.kubernetes.io/enforce";
  const labels = { [label]: level, [`${label}-version`]: version };
  return { apiVersion: "v1", kind: "Namespace", metadata: { name: "any", labels } };
}

function predicted(policies: readonly KubeObject[], pod: KubeObject): string {
  return (
    rejectionMessage(policies, { ...toNewPod(pod, undefined, undefined), hasAllDefaults: true }) ??
    "accepted"
  );
}

/** Earlier versions set seccomp in annotations, which Kubernetes no longer reads. */
const firstVersion = 19;

test("every example of the Pod Security Standards passes or fails as expected", () => {
  const versions = readdirSync(join(examples, "baseline")).filter(
    (version) => Number(version.split(".")[1]) >= firstVersion,
  );
  expect(versions.length).toBeGreaterThan(15);
  const wrong = ["baseline", "restricted"].flatMap((level) =>
    versions.flatMap((version) =>
      (["pass", "fail"] as const).flatMap((outcome) =>
        examplesOf(level, version, outcome)
          .map(({ name, pod }) => ({ name, actual: predicted([namespaceOf(level, version)], pod) }))
          .filter(({ actual }) => (actual === "accepted") !== (outcome === "pass")),
      ),
    ),
  );
  expect(wrong).toEqual([]);
});

test.for([
  ["restricted", "latest"],
  ["baseline", "latest"],
  ["restricted", "v1.24"],
] as const)("by %s of %s with the message of the API server", async ([level, version]) => {
  const namespace = await cluster.namespace("standard");
  const labels = Object.entries(namespaceOf(level, version).metadata?.["labels"] ?? {});
  const pairs = labels.map(([name, value]) => `${name}=${value}`);
  await cluster.kubectl("label", "namespace", namespace, ...pairs);
  const all = [...examplesOf(level, "v1.35", "fail"), ...examplesOf(level, "v1.35", "pass")];
  const answers = await pMap(
    all,
    async ({ name, pod }) => {
      const actual = await answerFor(pod, namespace);
      return { name, actual, predicted: predicted([namespaceOf(level, version)], pod) };
    },
    { concurrency: 4 },
  );
  // The standards don't judge Pods that are invalid in this version.
  const judged = answers.filter(({ actual }) => !actual.startsWith("invalid: "));
  expect(judged.length).toBeGreaterThan(20);
  expect(
    judged.filter((each) => withoutAnnotation(each.actual) !== withoutAnnotation(each.predicted)),
  ).toEqual([]);
});

/**
 * Returns a message that names only the field. The API server has copied an AppArmor annotation to
 * a field before the check, and names both.
 */
function withoutAnnotation(actual: string): string {
  return actual.replace(/forbidden AppArmor profiles? \(.*?annotation .*?\)(?=, |$)/, "AppArmor");
}

/** Returns `accepted`, or the rejection without the name of the Pod. */
async function answerFor(pod: KubeObject, namespace: string): Promise<string> {
  const path = `/api/v1/namespaces/${namespace}/pods?dryRun=All`;
  const answer = await ask(cluster, path, { method: "POST", body: pod }).catch(String);
  const [, message = ""] = /"message":"((?:[^"\\]|\\.)*)"/.exec(answer) ?? [];
  if (!answer.includes('"status":"Failure"')) return "accepted";
  const actual = JSON.parse(`"${message}"`) as string;
  const [, refusal] = /^pods "[^"]*" is forbidden: (.*)$/s.exec(actual) ?? [];
  return refusal ?? `invalid: ${actual}`;
}

const container = (resources: JsonObject, more: JsonObject = {}) => ({
  ...{ name: "web", image: "web:1", resources },
  ...more,
});

function podOf(containers: readonly JsonObject[], more: JsonObject = {}): KubeObject {
  const spec = { containers, ...more };
  return { apiVersion: "v1", kind: "Pod", metadata: { name: "web" }, spec };
}

const pods: Readonly<Record<string, KubeObject>> = {
  "without resources": podOf([container({})]),
  "with small requests": podOf([container({ requests: { cpu: "100m", memory: "32Mi" } })]),
  "with large limits": podOf([container({ limits: { cpu: "4", memory: "4Gi" } })]),
  "with limits far above its requests": podOf([
    container({ requests: { cpu: "100m", memory: "1Gi" }, limits: { cpu: "1.1", memory: "1Gi" } }),
  ]),
  "of two containers": podOf([
    container({ limits: { cpu: "600m", memory: "100Mi" } }),
    container({ limits: { cpu: "600m" } }, { name: "aside" }),
  ]),
  "with a large init container and a sidecar": podOf(
    [container({ limits: { cpu: "300m", memory: "1Mi" } })],
    {
      initContainers: [
        container(
          { limits: { cpu: "200m", memory: "1Mi" } },
          { name: "aside", restartPolicy: "Always" },
        ),
        container({ limits: { cpu: "900m", memory: "1Mi" } }, { name: "first" }),
      ],
    },
  ),
  "with resources of the whole Pod": podOf([container({})], {
    resources: { requests: { cpu: "1", memory: "64Mi" }, limits: { cpu: "1", memory: "64Mi" } },
  }),
  "with a limit of the whole Pod": podOf(
    [container({ requests: { memory: "32Mi" } }), container({}, { name: "aside" })],
    { resources: { limits: { cpu: "1", memory: "64Mi" } } },
  ),
};

const ranges: Readonly<Record<string, JsonObject>> = {
  "a container's maximum": { type: "Container", max: { cpu: "1", memory: "2Gi" } },
  "a container's minimum": { type: "Container", min: { cpu: "200m" } },
  "a Pod's maximum": { type: "Pod", max: { cpu: "1" } },
  "a Pod's minimum": { type: "Pod", min: { cpu: "500m", memory: "64Mi" } },
  "defaults above a Pod's maximum": { type: "Pod", max: { memory: "64Mi" } },
  "a ratio": { type: "Container", maxLimitRequestRatio: { cpu: "10" } },
  "an exact ratio": { type: "Container", maxLimitRequestRatio: { cpu: "11" } },
  "defaults below the requests": { type: "Container", default: { memory: "512Mi" } },
  "defaults for a container": { type: "Container", default: { cpu: "2" }, max: { cpu: "3" } },
};

test.for(Object.entries(ranges))("by a LimitRange of %s", async ([name, limit]) => {
  const limits = [
    limit,
    ...(name.startsWith("defaults above")
      ? [{ type: "Container", default: { memory: "128Mi" } }]
      : []),
  ];
  const range = {
    ...{ apiVersion: "v1", kind: "LimitRange", metadata: { name: "bounds" } },
    spec: { limits },
  };
  await expectSameAnswers([range]);
});

const hard: Readonly<Record<string, JsonObject>> = {
  "limits of two kinds": { "limits.cpu": "100", "limits.memory": "100Gi" },
  "requests by their short name": { cpu: "100", memory: "100Gi" },
  "values that needn't be set": { pods: "100", "requests.ephemeral-storage": "100Gi" },
};

test.for(Object.entries(hard))("by a quota of %s", async ([, amounts]) => {
  const quota = {
    ...{ apiVersion: "v1", kind: "ResourceQuota", metadata: { name: "most" } },
    spec: { hard: amounts },
  };
  await expectSameAnswers([quota]);
});

test("by a quota with some values from a LimitRange", async () => {
  await expectSameAnswers([
    {
      ...{ apiVersion: "v1", kind: "ResourceQuota", metadata: { name: "most" } },
      spec: { hard: { "limits.cpu": "100", "requests.memory": "100Gi" } },
    },
    {
      ...{ apiVersion: "v1", kind: "LimitRange", metadata: { name: "bounds" } },
      spec: { limits: [{ type: "Container", default: { cpu: "1" } }] },
    },
  ]);
});

/**
 * Compares predictions and answers for all Pods. The API server knows a new LimitRange or quota
 * only after a moment.
 */
async function expectSameAnswers(policies: readonly KubeObject[]): Promise<void> {
  const namespace = await cluster.namespace("limits");
  for (const policy of policies) await cluster.apply(namespace, JSON.stringify(policy));
  const judge = async ([name, pod]: readonly [string, KubeObject]) => {
    const actual = (await answerFor(pod, namespace)).replace(
      /^invalid: Pod "\w+" is invalid: /,
      "",
    );
    return {
      name,
      actual: sortedReasons(actual),
      predicted: sortedReasons(predicted(policies, pod)),
    };
  };
  for (let tries = 0; ; tries += 1) {
    const all = await Promise.all(Object.entries(pods).map(judge));
    const wrong = all.filter((each) => each.actual !== each.predicted);
    if (wrong.length > 0 && tries < 40) await sleep(250);
    else {
      expect(wrong).toEqual([]);
      expect(all.filter(({ actual }) => actual !== "").length).toBeGreaterThan(5);
      return;
    }
  }
}

/** Sorts the reasons of a message. The API server lists them in any order. */
function sortedReasons(actual: string): string {
  const [, several] = /^\[(.*)\]$/.exec(actual) ?? [];
  return several === undefined
    ? actual
    : several
        .split(/, (?!but )/)
        .toSorted()
        .join("\n");
}
