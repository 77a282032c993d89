import { expect, test } from "vitest";
import type { KubeObject } from "../../../../src/model/object.ts";
import type { Attribution } from "../../../../src/model/plan/attribution.ts";
import { reportOf, type Situation } from "../../../support/report/report-of.ts";

const web = (spec: string, metadata = "") => `
apiVersion: apps/v1
kind: Deployment
metadata: {name: web${metadata}}
spec: ${spec}
`;

const marked = (manager: string, fields: string, operation = "Update") =>
  `, managedFields: [{manager: ${manager}, operation: ${operation}, time: "2026-11-19T09:30:00Z", fieldsV1: ${fields}}]`;

const map = (data: string, name = "it") => `
# id: it
apiVersion: v1
kind: ConfigMap
metadata: {name: ${name}}
data: ${data}
`;

const job = (image: string) => `
apiVersion: batch/v1
kind: Job
metadata: {name: once}
spec: {ttlSecondsAfterFinished: 0, template: {spec: {containers: [{name: once, image: "${image}"}]}}}
`;

/**
 * Returns the ConfigMap `a`, and `c`, which contains a value of it. `between` adds another
 * resource, on which `c` then depends.
 */
const taking = (data: string, taken: string, between = "") =>
  `${map(data, "a").replace("id: it", "id: a")}---\n${between}${map(taken, "c").replace("id: it", `id: c\n# depends on: ${between === "" ? "a" : "b"}`)}`;
const relay = `${map('{k: "$(ref.a.data.k)"}', "b").replace("id: it", "id: b\n# depends on: a")}---\n`;
const settled = (data: object) => ({
  c: (object: KubeObject) => ({ ...object, data }) as KubeObject,
});

const cases: readonly {
  readonly name: string;
  readonly situation: Situation;
  readonly expected: string;
}[] = [
  {
    name: "the two commits differ",
    situation: { base: web("{replicas: 2}"), head: web("{replicas: 3}") },
    expected: "web change: spec.replicas change 2 → 3",
  },
  {
    name: "without a base, the manifest differs from the last release",
    situation: { recorded: web("{replicas: 2}"), head: web("{replicas: 3}") },
    expected: "web change: spec.replicas change 2 → 3",
  },
  {
    name: "a manual change of an object that no commit changes",
    situation: {
      base: web("{replicas: 2}"),
      head: web("{replicas: 2}"),
      live: web("{replicas: 5}", marked("kubectl-edit", "{f:spec: {f:replicas: {}}}")),
    },
    expected: "web drift: spec.replicas drift 5 → 2 by kubectl-edit (Update, 2026-11-19T09:30:00Z)",
  },
  {
    name: "the last of two editors is named",
    situation: {
      recorded: web("{replicas: 2}"),
      head: web("{replicas: 2}"),
      live: web(
        "{replicas: 5}",
        `, managedFields: [{manager: old, operation: Update, time: "2026-01-01T00:00:00Z", fieldsV1: {f:spec: {f:replicas: {}}}}, {manager: new, operation: Update, time: "2026-02-01T00:00:00Z", fieldsV1: {f:spec: {f:replicas: {}}}}, {manager: other, operation: Update, time: "2026-03-01T00:00:00Z", fieldsV1: {f:spec: {f:paused: {}}}}]`,
      ),
    },
    expected: "web drift: spec.replicas drift 5 → 2 by new (Update, 2026-02-01T00:00:00Z)",
  },
  {
    name: "a change of a drifted object belongs to the change and names the drift",
    situation: {
      base: web("{replicas: 2}"),
      head: web("{replicas: 3}"),
      live: web("{replicas: 5}", marked("kubectl-edit", "{f:spec: {f:replicas: {}}}")),
    },
    expected:
      "web change: spec.replicas change 5 → 3 by kubectl-edit (Update, 2026-11-19T09:30:00Z)",
  },
  {
    name: "a change and drift next to each other",
    situation: {
      base: web("{replicas: 2, paused: false}"),
      head: web("{replicas: 3, paused: false}"),
      live: web("{replicas: 2, paused: true}", marked("kubectl-edit", "{f:spec: {f:paused: {}}}")),
    },
    expected:
      "web change: spec.paused drift true → false by kubectl-edit (Update, 2026-11-19T09:30:00Z), spec.replicas change 2 → 3",
  },
  {
    name: "a manually removed field",
    situation: {
      base: map("{a: one, b: two}"),
      head: map("{a: one, b: two}"),
      live: map("{a: one}"),
    },
    expected: "it drift: data.b drift nothing → two",
  },
  {
    name: "a merged change that was never deployed",
    situation: {
      recorded: web("{replicas: 2}"),
      base: web("{replicas: 3}"),
      head: web("{replicas: 3}"),
    },
    expected: "web undeployed: spec.replicas undeployed 2 → 3",
  },
  {
    name: "an object that a failed release hasn't reached",
    situation: {
      recorded: web("{replicas: 2}"),
      failed: web("{replicas: 3}"),
      base: web("{replicas: 3}"),
      head: web("{replicas: 3}"),
    },
    expected: "web undeployed: spec.replicas undeployed 2 → 3",
  },
  {
    name: "an object that a failed release has written",
    situation: {
      recorded: web("{replicas: 2}"),
      failed: web("{replicas: 3}"),
      live: web("{replicas: 3}"),
      base: web("{replicas: 3}"),
      head: web("{replicas: 4}"),
    },
    expected: "web change: spec.replicas change 3 → 4",
  },
  {
    name: "a field with a different format of the API server isn't drift if only this deployment owns it",
    situation: {
      base: web("{cpu: 1000m}"),
      head: web("{cpu: 1000m}"),
      live: web('{cpu: "1"}', marked("qvs-shop-staging-app", "{f:spec: {f:cpu: {}}}", "Apply")),
    },
    expected: "web server: spec.cpu server 1 → 1000m",
  },
  {
    name: "defaults of the API server",
    situation: {
      base: web("{replicas: 2}"),
      head: web("{replicas: 3}"),
      predicted: { web: (object) => ({ ...object, spec: { replicas: 3, minReadySeconds: 9 } }) },
    },
    expected: "web change: spec.minReadySeconds server nothing → 9, spec.replicas change 2 → 3",
  },
  {
    name: "earlier defaults of the API server aren't drift",
    situation: {
      base: web("{strategy: {type: Recreate}}"),
      head: web("{strategy: {type: RollingUpdate}}"),
      live: web("{strategy: {type: Recreate, extra: 1}}"),
    },
    expected:
      "web change: spec.strategy.extra server 1 → nothing, spec.strategy.type change Recreate → RollingUpdate",
  },
  {
    name: "an object that no release has declared is adopted",
    situation: {
      base: `${web("{}")}---\n${map("{a: one}")}`,
      head: `${web("{}")}---\n${map("{a: one}")}`,
      recorded: web("{}"),
      live:
        web("{}") +
        "---\n" +
        map("{a: other}").replace("{name: it", `{name: it${marked("helm", "{f:data: {f:a: {}}}")}`),
    },
    expected: "it adoption: data.a adoption other → one by helm (Update, 2026-11-19T09:30:00Z)",
  },
  {
    name: "items of merged lists are matched by name, at any position",
    situation: {
      base: web('{volumes: [{name: a, image: "a:1"}, {name: b, image: "b:1"}]}'),
      head: web('{volumes: [{name: b, image: "b:2"}, {name: a, image: "a:1"}]}'),
    },
    expected: 'web change: spec.volumes[name="b"].image change b:1 → b:2',
  },
  {
    name: "items of an ordered list, next to a changed order",
    situation: {
      base: web('{containers: [{name: a, image: "a:1"}, {name: b, image: "b:1"}]}'),
      head: web('{containers: [{name: b, image: "b:2"}, {name: a, image: "a:1"}]}'),
    },
    expected:
      "web change: spec.containers change a, b → b, a, " +
      'spec.containers[name="b"].image change b:1 → b:2',
  },
  {
    name: "a Secret shows only that a value changes",
    situation: {
      base: map("{a: b25l}").replace("ConfigMap", "Secret"),
      head: map("{a: dHdv}").replace("ConfigMap", "Secret"),
    },
    expected: "it change: data.a change (hidden) → (changed)",
  },
  {
    name: "an object that is new in the head",
    situation: { base: web("{}"), head: `${web("{}")}---\n${map("{a: one}")}` },
    expected: "it change",
  },
  {
    name: "a manually deleted object",
    situation: { base: map("{a: one}"), head: map("{a: one}"), live: "" },
    expected: "it drift",
  },
  {
    name: "a Job that the cluster has deleted, as its manifest allows",
    situation: { base: job("once:1"), head: job("once:1"), live: "" },
    expected: "once server",
  },
  {
    name: "such a Job that the commits change",
    situation: { base: job("once:1"), head: job("once:2"), live: "" },
    expected: "once change",
  },
  {
    name: "such a Job that was changed before",
    situation: { recorded: job("once:1"), base: job("once:2"), head: job("once:2"), live: "" },
    expected: "once undeployed",
  },
  {
    name: "an object that only a failed release has declared, without reaching it",
    situation: {
      recorded: web("{}"),
      failed: `${web("{}")}---\n${map("{a: one}")}`,
      base: `${web("{}")}---\n${map("{a: one}")}`,
      head: `${web("{}")}---\n${map("{a: one}")}`,
    },
    expected: "it undeployed",
  },
  {
    name: "an object that the target branch declares and no release contains",
    situation: {
      recorded: web("{}"),
      base: `${web("{}")}---\n${map("{a: one}")}`,
      head: `${web("{}")}---\n${map("{a: one}")}`,
    },
    expected: "it undeployed",
  },
  {
    name: "a deletion of this change and one of an earlier",
    situation: {
      recorded: `${web("{}")}---\n${map("{a: one}").replace("id: it", "id: x")}---\n${map("{b: two}", "old").replace("id: it", "id: y")}`,
      base: `${web("{}")}---\n${map("{a: one}").replace("id: it", "id: x")}`,
      head: web("{}"),
    },
    expected: "delete it change, delete old undeployed",
  },
  {
    name: "the same resource under another name replaces the old one",
    situation: { recorded: map("{a: one}", "it-1"), head: map("{a: two}", "it-2") },
    expected: "it-2 change succeeds it-1, delete it-1 change",
  },
  {
    name: "another resource of the same kind doesn't",
    situation: {
      recorded: map("{a: one}", "it-1"),
      head: map("{a: two}", "it-2").replace("id: it", "id: that"),
    },
    expected: "it-2 change, delete it-1 change",
  },
  {
    name: "a value from an object that the change declares differently",
    situation: {
      base: taking("{k: one}", '{k: "$(ref.a.data.k)"}'),
      head: taking("{k: two}", '{k: "$(ref.a.data.k)"}'),
      live: taking("{k: one}", "{k: one}"),
      predicted: settled({ k: "two" }),
    },
    expected: "a change: data.k change one → two, c change: data.k change one → two",
  },
  {
    name: "all values of such an object",
    situation: {
      base: taking("{k: one, l: x}", '"$(ref.a.data)"'),
      head: taking("{k: two, l: x}", '"$(ref.a.data)"'),
      live: taking("{k: one, l: x}", "{k: one, l: x}"),
      predicted: settled({ k: "two", l: "x" }),
    },
    expected: "a change: data.k change one → two, c change: data.k change one → two",
  },
  {
    name: "a value through another object",
    situation: {
      base: taking("{k: one}", '{k: "$(ref.b.data.k)"}', relay),
      head: taking("{k: two}", '{k: "$(ref.b.data.k)"}', relay),
      live: taking("{k: one}", "{k: one}", relay),
      predicted: settled({ k: "two" }),
    },
    expected: "a change: data.k change one → two, c change: data.k change one → two",
  },
  {
    name: "a value from an object with another changed field",
    situation: {
      recorded: taking("{k: one}", '{k: "$(ref.a.data.k)"}'),
      base: taking("{k: two}", '{k: "$(ref.a.data.k)"}'),
      head: taking("{k: two, l: new}", '{k: "$(ref.a.data.k)"}'),
      live: taking("{k: one}", "{k: one}"),
      predicted: settled({ k: "two" }),
    },
    expected:
      "a change: data.k undeployed one → two, data.l change nothing → new, c undeployed: data.k undeployed one → two",
  },
  {
    name: "an ignored field has both values",
    situation: {
      base: web("{replicas: 3}", ", annotations: {vs.axis-dev.io/ignore-changes: spec.replicas}"),
      head: web("{replicas: 4}", ", annotations: {vs.axis-dev.io/ignore-changes: spec.replicas}"),
      live: web("{replicas: 7}", ", annotations: {vs.axis-dev.io/ignore-changes: spec.replicas}"),
      predicted: { web: (object) => ({ ...object, spec: { replicas: 7 } }) },
    },
    expected: "web nobody ignores spec.replicas 7, not 4",
  },
];

test.each(cases)("the plan attributes each change: $name", ({ situation, expected }) => {
  const { plan, attributions } = reportOf(situation);
  const nameOfKey = (key: string) => key.slice(key.lastIndexOf("/") + 1);
  const changes = [...(attributions?.changes ?? [])].map(([key, attribution]) => {
    const succeeded = attributions?.successions.get(key)?.predecessor;
    const succession = succeeded === undefined ? "" : ` succeeds ${nameOfKey(succeeded)}`;
    return `${nameOfKey(key)} ${attributionText(attribution)}${succession}`;
  });
  const deletions = [...(attributions?.deletions ?? [])].map(
    ([key, source]) => `delete ${nameOfKey(key)} ${source}`,
  );
  expect(plan?.changes.length).toBeGreaterThan(0);
  expect([...changes, ...deletions].join(", ")).toBe(expected);
});

function attributionText({ source, fields, ignored }: Attribution): string {
  const text = (value: unknown): string => {
    if (Array.isArray(value)) return value.map(({ name }) => name).join(", ");
    return value === undefined ? "nothing" : String(value);
  };
  const all = fields.map(({ path, source: of, before, after, by }) => {
    const author = by === undefined ? "" : ` by ${by.manager} (${by.operation}, ${by.since})`;
    return `${path} ${of} ${text(before)} → ${text(after)}${author}`;
  });
  const left = ignored.map(
    ({ path, live, declared }) => ` ignores ${path} ${live}, not ${declared}`,
  );
  const about = all.length === 0 ? "" : `: ${all.join(", ")}`;
  return `${source ?? "nobody"}${about}${left.join()}`;
}
