import { toOutcomeReport } from "../../../src/action/reports/report-outcomes.ts";
import { type FailureEvidence, gatherEvidence } from "../../../src/apply/failure/evidence.ts";
import { createSecretScrubber } from "../../../src/apply/secret-scrubber.ts";
import type { Json } from "../../../src/model/json.ts";
import type { KubeObject } from "../../../src/model/object.ts";
import {
  renderOutcomeSummary,
  renderOutcomes,
} from "../../../src/report/comment/outcome-comment.ts";
import { renderOutcomeText } from "../../../src/report/plans/outcome-text.ts";
import { fakeCluster } from "../../support/fake-cluster.ts";
import { base64, expectNone } from "../../support/markers.ts";
import { live, planned, shopPlan } from "../../support/shop/shop-report.ts";
import { attacks } from "../attack.ts";

/** Values of a Secret that the deployment declares, of a live one, and of an unknown one. */
const known = 'XQZJ"KVWY';
const old = "ZZKJQWVXAB";
const unknown = "WVYQXKJZZQ";

const secret = (text: string): KubeObject => ({
  apiVersion: "v1",
  kind: "Secret",
  metadata: { name: "db", namespace: "shop" },
  data: { password: base64(text) },
});
const plan = shopPlan({ changes: [planned("app", "db", secret(known), live(secret(old)))] });

interface Said {
  readonly said: string;
  readonly reason: string;
  readonly message: (text: string) => string;
}

/**
 * Messages of kubelets that quote a command or its output. It is impossible to recognize all
 * secrets in them.
 */
const quoted: readonly Said[] = [
  {
    said: "of a failing command",
    reason: "Unhealthy",
    message: (text) => `Readiness probe failed: login as ${text} refused`,
  },
  {
    said: "of a failing probe",
    reason: "Unhealthy",
    message: (text) => `Liveness probe failed: ${text}`,
  },
  {
    said: "of a probe that cannot run",
    reason: "Unhealthy",
    message: (text) =>
      `Startup probe errored: rpc error: code = Unknown desc = failed to exec in container: exec: "${text}"`,
  },
  {
    said: "of a redirected probe",
    reason: "ProbeWarning",
    message: (text) =>
      `Readiness probe warning: Probe terminated redirects, Response body: ${text}`,
  },
  {
    said: "of a container that cannot start",
    reason: "Failed",
    message: (text) =>
      `Error: failed to create containerd task: failed to create shim task: OCI runtime create failed: exec: "--password=${text}": executable file not found in $PATH: unknown`,
  },
  {
    said: "of a postStart hook",
    reason: "FailedPostStartHook",
    message: (text) =>
      `Exec lifecycle hook ([sh -c login ${text}]) for Container "web" failed - error: command 'sh -c login ${text}' exited with 1: , message: "${text}"`,
  },
  {
    said: "of a preStop hook",
    reason: "FailedPreStopHook",
    message: (text) => `PreStopHook failed: ${text}`,
  },
  {
    said: "by an unknown component",
    reason: "Whatever",
    message: (text) => `cannot exec ["login" "${text}"]`,
  },
];

attacks(
  "written values",
  "the comment shows nothing of a quotation $said",
  quoted,
  async ({ reason, message }) => {
    const evidence = await evidenceOf(reason, message(`${unknown} ${known}`));
    const { published } = outputsOf(evidence);
    expectNone([unknown, known], published);
  },
);

/** Unknown messages with a known value. */
const forms: readonly { readonly form: string; readonly of: (text: string) => string }[] = [
  { form: "the value itself", of: (text) => text },
  { form: "Base64", of: base64 },
  { form: "a JSON string", of: (text) => JSON.stringify(text) },
  { form: "a part of a URL", of: (text) => `http://u:${encodeURIComponent(text)}@db/` },
  { form: "a part of a word", of: (text) => `x${text}y` },
];

attacks(
  "written values",
  "neither log nor comment shows a known value as $form",
  forms,
  async ({ of }) => {
    for (const text of [known, old]) {
      const evidence = await evidenceOf("FailedMount", `cannot mount with ${of(text)} today`);
      const { published, log } = outputsOf(evidence);
      expectNone([text], published);
      expectNone([text], log);
    }
  },
);

async function evidenceOf(reason: string, message: string): Promise<FailureEvidence> {
  const pod = {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: "alone", namespace: "shop", uid: "p" },
    status: {
      phase: "Pending",
      containerStatuses: [
        { name: "web", image: "web:1", restartCount: 0, state: { waiting: { reason, message } } },
      ],
      conditions: [{ type: "Ready", status: "False", reason, message }],
    },
  };
  const event: Json = {
    apiVersion: "v1",
    kind: "Event",
    metadata: { name: "e", namespace: "shop" },
    type: "Warning",
    reason,
    message,
    involvedObject: { kind: "Pod", namespace: "shop", name: "alone", uid: "p" },
  };
  const cluster = fakeCluster([pod, event] as readonly KubeObject[]);
  return gatherEvidence(cluster, pod as KubeObject);
}

function outputsOf(found: FailureEvidence) {
  const evidence = createSecretScrubber(plan).scrub(found);
  const about = { key: "k", name: "Pod shop/alone", resource: "alone" };
  const failure = { ...about, code: "not-ready" as const, what: "", fix: "" };
  const result = {
    succeeded: false,
    results: [],
    failures: [{ ...failure, evidence }],
    stopped: undefined,
    stillServing: [],
  };
  const deployment = { name: "shop", environment: undefined } as never;
  const release = { revision: 1, rollbackOf: undefined } as never;
  const deployed = { type: "deployed", plan, release, result, isNewRelease: true } as const;
  const nothingBefore = { rollbackOf: undefined, previous: undefined };
  const done = { ...deployed, ...nothingBefore };
  const outcome = toOutcomeReport({ type: "done", deployment, outcome: done }, "deploy");
  return {
    log: renderOutcomeText(outcome),
    published:
      renderOutcomes([outcome], "abc", undefined) +
      renderOutcomeSummary([outcome], "abc", undefined),
  };
}
