import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { checkApproval } from "../../../../src/deploying/create-planning-context.ts";
import { createReleaseHistory } from "../../../../src/model/deployments/release-history.ts";
import { keyOf } from "../../../../src/model/object.ts";
import { type ApprovedPlans, toApproval } from "../../../../src/model/plan/approval.ts";
import type { Change, Plan } from "../../../../src/model/plan/plan.ts";
import type { Problem } from "../../../../src/model/problems/problem.ts";
import {
  compareWithApproved,
  createRestoreCheck,
} from "../../../../src/plan/approval/compare-with-approved.ts";
import { toReleased } from "../../../../src/plan/declared/declare-objects.ts";
import { digestOperations } from "../../../../src/plan/digest.ts";
import { readApprovals, writeApprovals } from "../../../../src/report/comment/approval-line.ts";
import { describeProblem } from "../../../support/describe-problem.ts";
import { fc } from "../../../support/fast-check.ts";
import { declare, problemText } from "../../../support/plan/declare.ts";
import { appliedFrom } from "../../../support/plan/live.ts";
import { planOf, type Situation } from "../../../support/plan/plan-text.ts";
import { release } from "../../../support/plan/release-from.ts";

const config = (name: string, value: string) =>
  `app/${name}: {apiVersion: v1, kind: ConfigMap, metadata: {name: ${name}}, data: {x: ${value}}}\n`;
const secret = (value: string) =>
  `app/s: {apiVersion: v1, kind: Secret, metadata: {name: s}, stringData: {key: ${value}}}\n`;
const selector = (app: string) => `app/web:
  apiVersion: apps/v1
  kind: Deployment
  metadata: {name: web}
  spec:
    selector: {matchLabels: {app: ${app}}}
    template:
      metadata: {labels: {app: ${app}}}
      spec: {containers: [{name: web, image: "web:1"}]}
`;

function plan(situation: Situation): Plan {
  const hash = (text: string) => createHash("sha256").update(text).digest("hex");
  const planned = planOf({ hash, ...situation });
  if (!planned.ok) throw new Error(problemText(planned.problems));
  return planned.value;
}

/** Returns the report about a plan. It begins with `stop` if the plan is rejected. */
function judge(
  now: Plan,
  approved: Pick<ApprovedPlans, "approvals"> & Partial<ApprovedPlans>,
  running?: { readonly declared: string; readonly now: string },
): string {
  const releases = running && [
    { ...release(1, "succeeded"), expandedConfig: toReleased(declare(running.declared)) },
  ];
  const restores = createRestoreCheck(
    now.changes,
    toReleased(declare(running?.now ?? "")),
    createReleaseHistory(releases ?? []),
  );
  const all = { policy: "require", missing: [], ...approved } as const;
  const { blockers, notices } = checkApproval(now, all, restores);
  const digest = new RegExp(now.digest.slice(0, 12), "g");
  const problemLine = (word: string) => (problem: (typeof blockers)[number]) =>
    `${word} ${problem.code}: ${withoutFixes(problem)}`.replaceAll(digest, "NOW");
  return (
    [...blockers.map(problemLine("stop")), ...notices.map(problemLine("go"))].join("\n") || "go"
  );
}

/** Returns the fact, the values and the cause of a problem. */
function withoutFixes(problem: Problem): string {
  return describeProblem(problem).replace(/\n {2}→.*/s, "");
}

const of = (by: string, situation: Situation) => ({ by, ...toApproval(plan(situation)) });

/** Returns a situation in which a Namespace with ConfigMaps of other tools is deleted. */
function withTools(...names: readonly string[]): Situation {
  const objects = names.map((name) => {
    const id = { group: "", kind: "ConfigMap", namespace: "tools", name };
    return { key: keyOf(id), id, manager: "" };
  });
  return {
    before: "appSetup/tools: {apiVersion: v1, kind: Namespace, metadata: {name: tools}}\n",
    declared: "",
    allowDelete: ["Namespace", "everything"],
    holdings: new Map([["core:Namespace::tools", { objects, unread: [] }]]),
  };
}

const before = config("a", "old") + config("b", "old");
const merged = config("a", "new") + config("b", "new");

test.each<[string, { approved: Situation[]; now: Situation; running?: string; expected: string }]>([
  [
    "the same plan",
    {
      approved: [{ before, declared: merged }],
      now: { before, declared: merged },
      expected: "go plan-approved: The plan matches the plan approved in #1",
    },
  ],
  [
    "nothing to do, whatever was approved",
    { approved: [], now: { before: merged, declared: merged }, expected: "go" },
  ],
  [
    "a Namespace in which other tools have created objects since",
    {
      approved: [withTools("notes")],
      now: withTools("notes", "more"),
      expected: `stop plan-changed: The plan differs from the plan approved in #1
  plan: NOW
  changed: delete Namespace tools
  now: also deletes ConfigMap tools/notes
  now: also deletes ConfigMap tools/more`,
    },
  ],
  [
    "a Namespace with the same content",
    {
      approved: [withTools("notes")],
      now: withTools("notes"),
      expected: "go plan-approved: The plan matches the plan approved in #1",
    },
  ],
  [
    "less than approved, because a part is done",
    {
      approved: [{ before, declared: merged }],
      now: { before: config("a", "new") + config("b", "old"), declared: merged },
      expected: `go plan-approved-in-part: The plan does less than the plan approved in #1
  why: 1 approved operation is already done or no longer needed`,
    },
  ],
  [
    "drift: a changed object gets the declaration of the current release again",
    {
      approved: [{ before, declared: config("a", "new") + config("b", "old") }],
      now: {
        before,
        live: appliedFrom(config("b", "drifted")),
        declared: config("a", "new") + config("b", "old"),
      },
      running: before,
      expected: `go plan-approved-in-part: The plan corrects drift in addition to the plan approved in #1
  restores: update ConfigMap shop/b
  why: Other users or tools changed these objects, and the plan restores what the current release declares`,
    },
  ],
  [
    "drift: a deleted object is created again",
    {
      approved: [],
      now: { before, gone: ["core:ConfigMap::shop/b"], declared: before },
      running: before,
      expected: `go plan-approved-in-part: The plan corrects drift in addition to the approved plan
  restores: create ConfigMap shop/b
  why: Other users or tools changed these objects, and the plan restores what the current release declares`,
    },
  ],
  [
    "more than approved",
    {
      approved: [{ before, declared: config("a", "new") + config("b", "old") }],
      now: { before, declared: merged },
      running: before,
      expected: `stop plan-changed: The plan differs from the plan approved in #1
  plan: NOW
  not approved: update ConfigMap shop/b`,
    },
  ],
  [
    "other content",
    {
      approved: [{ before, declared: config("a", "new") + config("b", "old") }],
      now: { before, declared: config("a", "newer") + config("b", "old") },
      expected: `stop plan-changed: The plan differs from the plan approved in #1
  plan: NOW
  changed: update ConfigMap shop/a
  now: -x: old
  now: +x: newer`,
    },
  ],
  [
    "a deletion",
    {
      approved: [{ before, declared: config("a", "new") + config("b", "old") }],
      now: { before, declared: config("a", "new") },
      running: before,
      expected: `stop plan-changed: The plan differs from the plan approved in #1
  plan: NOW
  not approved: delete ConfigMap shop/b`,
    },
  ],
  [
    "another action on the same object",
    {
      approved: [{ before, declared: config("a", "new") + config("b", "old") }],
      now: {
        before,
        gone: ["core:ConfigMap::shop/a"],
        declared: config("a", "new") + config("b", "old"),
      },
      running: before,
      expected: `stop plan-changed: The plan differs from the plan approved in #1
  plan: NOW
  not approved: create ConfigMap shop/a (approved: update)`,
    },
  ],
  [
    "two pull requests together",
    {
      approved: [
        { before, declared: config("a", "new") + config("b", "old") },
        { before, declared: config("a", "old") + config("b", "new") },
      ],
      now: { before, declared: merged },
      expected: "go plan-approved: The plan matches the plan approved in #1 and #2",
    },
  ],
  [
    "two pull requests that change the same object",
    {
      approved: [
        { before, declared: config("a", "one") + config("b", "old") },
        { before, declared: config("a", "two") + config("b", "old") },
      ],
      now: { before, declared: config("a", "three") + config("b", "old") },
      expected: `stop plan-changed: The plan differs from the plan approved in #1 and #2
  plan: NOW
  changed: update ConfigMap shop/a
  now: -x: old
  now: +x: three`,
    },
  ],
  [
    "a Secret with another value by now: only whether it changes counts",
    {
      approved: [{ before: secret("old"), declared: secret("hunter2") }],
      now: { before: secret("old"), declared: secret("hunter3") },
      expected: "go plan-approved: The plan matches the plan approved in #1",
    },
  ],
  [
    "a Secret with an unexpected change",
    {
      approved: [
        {
          before: secret("old") + config("a", "old"),
          declared: secret("old") + config("a", "new"),
        },
      ],
      now: {
        before: secret("old") + config("a", "old"),
        declared: secret("hunter2") + config("a", "new"),
      },
      running: secret("old") + config("a", "old"),
      expected: `stop plan-changed: The plan differs from the plan approved in #1
  plan: NOW
  not approved: update Secret shop/s`,
    },
  ],
])("%s", (_, { approved, now, running, expected }) => {
  const approvals = approved.map((situation, index) => of(`#${index + 1}`, situation));
  const recorded = running === undefined ? undefined : { declared: running, now: now.declared };
  expect(judge(plan(now), { approvals }, recorded)).toBe(expected);
});

const elsewhere = (yaml: string) =>
  new Map(
    [...appliedFrom(yaml)].map(([key, object]) => [
      key,
      { ...object, metadata: { ...object.metadata, uid: `other uid of ${key}` } },
    ]),
  );

test.each<[string, string, string, string]>([
  [
    "a deletion",
    before,
    config("a", "old"),
    `stop plan-changed: The plan differs from the plan approved in #1
  plan: NOW
  not approved: delete ConfigMap shop/b (approved: another object with this name)`,
  ],
  [
    "an update",
    before,
    config("a", "old") + config("b", "new"),
    `stop plan-changed: The plan differs from the plan approved in #1
  plan: NOW
  changed: update ConfigMap shop/b
  now: -x: old
  now: +x: new`,
  ],
  [
    "an update of a Secret",
    secret("old"),
    secret("new"),
    `stop plan-changed: The plan differs from the plan approved in #1
  plan: NOW
  changed: update Secret shop/s
  now: -key: (hidden)
  now: +key: (changed)`,
  ],
])(
  "the approval of %s in one cluster doesn't approve objects with the same names in another cluster",
  (_, live, declared, expected) => {
    const shown = { before: live, declared };
    const now = plan({ ...shown, live: elsewhere(live) });
    expect(judge(plan(shown), { approvals: [of("#1", shown)] })).toContain("go plan-approved:");
    expect(judge(now, { approvals: [of("#1", shown)] })).toBe(expected);
    const { digest } = toApproval(plan(shown));
    expect(judge(now, { approvals: [{ by: "", digest }] })).toContain("stop plan-changed");
  },
);

const change = { before, declared: merged };

test("a plan with only its digest in the comment approves only the identical plan", () => {
  const { digest } = toApproval(plan(change));
  const approvals = [{ by: "#1", digest }];
  expect(judge(plan(change), { approvals })).toBe(
    "go plan-approved: The plan matches the plan approved in #1",
  );
  const less = { ...change, before: config("a", "new") + config("b", "old") };
  expect(judge(plan(less), { approvals })).toBe(`\
stop plan-changed: The plan differs from the plan approved in #1
  plan: NOW
  not approved: update ConfigMap shop/b
  digest: #1 has only the digest ${digest.slice(0, 12)}, which approves only an identical plan`);
});

test("a missing approval is reported with its reason, and the policy decides whether qvs deploys", () => {
  const missing = ["the comment of #1 was edited by mallory"];
  const rejection = `plan-not-approved: No one approved this plan
  reason: the comment of #1 was edited by mallory
  planned: update ConfigMap shop/a
  planned: update ConfigMap shop/b`;
  expect(judge(plan(change), { approvals: [], missing })).toBe(`stop ${rejection}`);
  expect(judge(plan(change), { approvals: [], missing, policy: "warn" })).toBe(`go ${rejection}`);
});

test("an operation that takes ownership, recreates or is recorded differently isn't a restoration", () => {
  const drifted = plan({ before, declared: merged });
  const releases = [{ ...release(1, "succeeded"), expandedConfig: toReleased(declare(merged)) }];
  const declared = toReleased(declare(merged));
  const [operation] = drifted.operations ?? [];
  if (operation === undefined) throw new Error("nothing is planned");
  const changes = (extra: object) => drifted.changes.map((each) => ({ ...each, ...extra }));
  const restores = (extra: object, recorded = releases) =>
    createRestoreCheck(changes(extra), declared, createReleaseHistory(recorded))(operation);
  expect(restores({})).toBe(true);
  expect(restores({ steps: [{ type: "apply" }, { type: "force", conflicts: [] }] })).toBe(false);
  expect(restores({ steps: [{ type: "transfer-ownership" }, { type: "apply" }] })).toBe(false);
  expect(restores({ steps: [{ type: "recreate" }, { type: "apply" }] })).toBe(false);
  expect(restores({}, [])).toBe(false);
  const later = { ...operation, action: "known after deploy" as const };
  expect(createRestoreCheck(drifted.changes, declared, createReleaseHistory(releases))(later)).toBe(
    true,
  );
  const failed = {
    ...release(2, "failed"),
    expandedConfig: toReleased(declare(config("a", "other") + config("b", "new"))),
  };
  expect(restores({}, [...releases, failed])).toBe(false);
  expect(
    createRestoreCheck(
      drifted.changes,
      declared,
      createReleaseHistory(releases),
    )({ ...operation, action: "replace" }),
  ).toBe(false);
  const other = {
    ...release(1, "succeeded"),
    expandedConfig: toReleased(declare(config("c", "one"))),
  };
  const notReached = { ...failed, expandedConfig: declared };
  expect(restores({}, [other, notReached])).toBe(false);
  const results = [{ key: operation.key, outcome: "created", detail: "" } as const];
  expect(restores({}, [other, { ...notReached, results }])).toBe(true);
});

test("values known after the deployment are in every plan and are reported only if their declaration changes", () => {
  const now = plan({ before, declared: before });
  const later = {
    key: "core:ConfigMap::shop/a",
    action: "known after deploy",
    digest: "0".repeat(64),
  };
  const withLater = { ...now, operations: [later] } as Plan;
  const running = { declared: before, now: before };
  expect(judge(withLater, { approvals: [] }, running)).toBe("go");
  expect(judge(withLater, { approvals: [] }, { ...running, now: merged })).toContain(
    "stop plan-not-approved",
  );
});

test("the approval of an update doesn't approve a recreation", () => {
  const approvals = [
    of("#1", { before: selector("a"), declared: selector("a").replace("web:1", "web:2") }),
  ];
  const now = plan({ before: selector("a"), declared: selector("a").replace("web:1", "web:2") });
  const replaced = {
    ...now,
    digest: "0".repeat(64),
    operations: (now.operations ?? []).map((each) => ({ ...each, action: "replace" as const })),
  };
  expect(judge(replaced, { approvals })).toContain(
    "not approved: replace Deployment shop/web (approved: update)",
  );
});

test("the order of the operations doesn't matter", () => {
  const now = plan(change);
  const turned = { ...now, digest: "0".repeat(64), operations: now.operations?.toReversed() ?? [] };
  const approvals = [{ by: "#1", ...toApproval(now) }];
  expect(compareWithApproved(turned, { approvals }, () => false).type).toBe("same");
});

const manifests = fc
  .uniqueArray(fc.record({ name: fc.constantFrom("a", "b", "c", "d"), value: fc.string() }), {
    selector: ({ name }) => name,
  })
  .map((all) => all.map(({ name, value }) => config(name, JSON.stringify(value))).join(""));

test("any plan equals itself, even after it was read from a comment", { tags: "slow" }, () => {
  fc.assert(
    fc.property(manifests, manifests, (live, declared) => {
      const now = plan({ before: live, declared, allowDelete: ["everything"] });
      const approvals = new Map([["shop", toApproval(now)]]);
      const read = readApprovals(writeApprovals({ commit: "a".repeat(40), approvals }));
      const given = [{ by: "#1", digest: "", ...read?.approvals.get("shop") }];
      const later = { ...now, digest: "0".repeat(64) };
      for (const each of [now, later])
        expect(compareWithApproved(each, { approvals: given }, () => false).type).toBe("same");
    }),
    { numRuns: 50 },
  );
});

test("a part of an approved plan is approved, and any additional operation isn't", () => {
  const hex = fc.stringMatching(/^[0-9a-f]{64}$/);
  const action = fc.constantFrom("create", "update", "replace", "delete", "known after deploy");
  const operation = fc.record({ key: fc.string(), action, digest: hex });
  const operations = fc.uniqueArray(operation, { selector: ({ digest }) => digest, minLength: 2 });
  fc.assert(
    fc.property(operations, hex, ([first, ...others], digest) => {
      if (first === undefined) return;
      const all = { digest, operations: [first, ...others] };
      const part = { digest: "0".repeat(64), operations: others };
      const compare = (now: typeof all, approved: typeof all) => {
        const approvals = [{ by: "#1", ...toApproval(approved) }];
        return compareWithApproved(now, { approvals }, () => false).type;
      };
      expect(compare(part, all)).toBe("less");
      expect(compare({ ...all, digest: "1".repeat(64) }, part)).toBe("other");
    }),
    { numRuns: 50 },
  );
});

test("the digest contains no hidden text, so that it can't confirm a guess", () => {
  const of = (password: string) => {
    const { changes, deletions } = plan({ before, declared: config("a", `key=${password}`) });
    const hash = (text: string) => {
      expect(text).not.toContain(password);
      return createHash("sha256").update(text).digest("hex");
    };
    return digestOperations("shop", changes, deletions, { hash, hides: [password] });
  };
  expect(of("hunter2!")).toEqual(of("swordfish"));
});

test("the approval of a value known after deploy doesn't approve a recreation and its side effects", () => {
  const { changes } = plan({ before, declared: config("a", "two") });
  const [change] = changes;
  if (change === undefined) throw new Error("there is no change");
  const path = ["data", "x"];
  const id = { group: "", kind: "Secret", namespace: "shop", name: "s" };
  const piece = { on: keyOf(id), resource: "s", path, text: "$(ref.s.data.x)", holdsSecret: true };
  const skippedDryRun = {
    ...change,
    applyTimeReferences: [{ path, pieces: [piece] }],
  } as unknown as Change;
  const claim = { ...id, kind: "PersistentVolumeClaim" };
  const alsoDeleted = { objects: [{ key: keyOf(claim), id: claim }] };
  const codes = [
    { ...skippedDryRun, action: "update" },
    { ...skippedDryRun, action: "replace" },
    { ...skippedDryRun, action: "replace", alsoDeleted },
  ].map((one) => {
    const hash = (text: string) => text;
    return digestOperations("shop", [one as Change], [], { hash })
      .map(({ digest }) => digest)
      .join();
  });
  expect(new Set(codes).size).toBe(3);
});
