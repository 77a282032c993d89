import { describe, expect, it } from "vitest";
import { followPods } from "../../../../src/apply/failure/pod-reason.ts";
import type { Watches } from "../../../../src/apply/readiness/watches.ts";
import type { KubeObject } from "../../../../src/model/object.ts";

interface Case {
  readonly name: string;
  /** Pods as `name app reason`; `name -` is a deleted Pod. */
  readonly before: readonly string[];
  readonly later: readonly string[];
  readonly reason: string | undefined;
  /** The number of times that the waiting code of the workload `web` was woken. */
  readonly woken: number;
}

const cases: readonly Case[] = [
  {
    name: "earlier reports of its Pods are known",
    before: ["a web ErrImagePull", "b other ImagePullBackOff"],
    later: [],
    reason: "Pod a: container web: ErrImagePull",
    woken: 0,
  },
  {
    name: "the workload's own Pod wakes it",
    before: [],
    later: ["a web ImagePullBackOff"],
    reason: "Pod a: container web: ImagePullBackOff",
    woken: 1,
  },
  {
    name: "other Pods don't count",
    before: [],
    later: ["a other ImagePullBackOff", "b other ImagePullBackOff", "b -"],
    reason: undefined,
    woken: 0,
  },
  {
    name: "a Pod that no longer exists has no reason",
    before: ["a web ImagePullBackOff"],
    later: ["a -"],
    reason: undefined,
    woken: 1,
  },
  {
    name: "a Pod that belongs to another workload now has no reason",
    before: ["a web ImagePullBackOff"],
    later: ["a other ImagePullBackOff", "a other ErrImagePull"],
    reason: undefined,
    woken: 1,
  },
];

describe("followPods", () => {
  it.each(cases)("$name", ({ before, later, reason, woken }) => {
    const { watches, notify } = watchesOfPods();
    for (const text of before) notify(text);
    let calls = 0;
    const pods = followPods(watches, deployment, () => {
      calls += 1;
    });
    for (const text of later) notify(text);
    expect([pods.reason(), calls]).toEqual([reason, woken]);
  });
});

/** Returns the Pods whose failures count, from Pods as `name version time waiting-reason`. */
function failingPods(...texts: readonly string[]): readonly string[] {
  const { watches, put } = watchesOfPods();
  for (const text of texts) {
    const [name = "", version = "", time = "", reason = ""] = text.split(" ");
    const bare = pod(name, "web", reason);
    const labels = { app: "web", "pod-template-hash": version };
    const metadata = { ...bare.metadata, labels, creationTimestamp: `2026-01-01T00:00:0${time}Z` };
    put({ ...bare, metadata });
  }
  return [
    ...followPods(watches, deployment, () => {})
      .failures()
      .values(),
  ];
}

describe("the failures of Pods that count", () => {
  it.each<[string, readonly string[], readonly string[]]>([
    [
      "are crashes and images that can't be pulled",
      ["a v1 1 CrashLoopBackOff", "b v1 1 ErrImagePull", "c v1 1 ContainerCreating"],
      ["Pod a: container web: CrashLoopBackOff", "Pod b: container web: ErrImagePull"],
    ],
    [
      "are those of the newest version",
      ["old v1 1 CrashLoopBackOff", "new v2 2 ContainerCreating"],
      [],
    ],
    [
      "are those of older Pods if no newer version exists",
      ["a v1 1 CrashLoopBackOff", "b v1 2 ContainerCreating"],
      ["Pod a: container web: CrashLoopBackOff"],
    ],
  ])("%s", (_name, pods, expected) => {
    expect(failingPods(...pods)).toEqual(expected);
  });
});

const deployment: KubeObject = {
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name: "web", namespace: "shop" },
  spec: { selector: { matchLabels: { app: "web" } } },
};

function watchesOfPods() {
  const pods = new Map<string, { readonly present: boolean; readonly object: KubeObject }>();
  const listeners: ((name: string) => void)[] = [];
  const watches: Pick<Watches, "follow"> = {
    follow(_place, onChange) {
      listeners.push(onChange);
      return {
        last: (name) => pods.get(name),
        present: () => [...pods.values()].filter((p) => p.present).map(({ object }) => object),
        error: () => undefined,
        stop: () => undefined,
      };
    },
  };
  const notify = (text: string) => {
    const [name = "", app = "", reason = ""] = text.split(" ");
    const known = pods.get(name);
    const absent = app === "-" && known !== undefined;
    pods.set(
      name,
      absent ? { ...known, present: false } : { present: true, object: pod(name, app, reason) },
    );
    for (const listener of listeners) listener(name);
  };
  const put = (object: KubeObject) =>
    pods.set(String(object.metadata.name), { present: true, object });
  return { watches: watches as Watches, notify, put };
}

function pod(name: string, app: string, reason: string): KubeObject {
  const waiting = { name: "web", state: { waiting: { reason } } };
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name, namespace: "shop", labels: { app } },
    status: { phase: "Pending", containerStatuses: [waiting] },
  };
}
