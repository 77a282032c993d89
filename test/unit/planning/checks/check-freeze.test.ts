import { expect, test } from "vitest";
import type { ApiFailure } from "../../../../src/model/cluster/api/api-failure.ts";
import type { KubeObject } from "../../../../src/model/object.ts";
import { checkFreeze } from "../../../../src/planning/checks/check-freeze.ts";
import { describeProblem } from "../../../support/describe-problem.ts";
import { fakeCluster } from "../../../support/fake-cluster.ts";
import { plainDeployment } from "../../../support/shop/plain-deployment.ts";

const deployment = plainDeployment({ namespace: "prod" });

function freeze(data: Record<string, string>): KubeObject {
  return {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: "qvs-freeze", namespace: "prod", uid: "1a2b3c4d-9999" },
    data,
  };
}

async function freezeText(
  data: Record<string, string> | ApiFailure["reason"],
  how: { readonly purpose?: "preview"; readonly overrideFreeze?: string } = {},
): Promise<string> {
  const fake = fakeCluster(typeof data === "string" ? [] : [freeze(data)]);
  const cluster =
    typeof data !== "string"
      ? fake
      : {
          ...fake,
          read: async () => ({
            ok: false as const,
            failure: { reason: data, status: 403, message: `it is ${data}`, causes: [] },
          }),
        };
  const context = { cluster, deployment, purpose: "deploy", now: "2026-11-22T12:00:00Z" } as const;
  const { overrideFreeze } = how;
  const request = { overrideFreeze };
  const { blockers, notices, overridden } = await checkFreeze({ ...context, ...how, request });
  return [
    ...blockers.map((each) => `refused: ${describeProblem(each)}`),
    ...notices.map((each) => `told: ${describeProblem(each)}`),
    ...(overridden === undefined ? [] : [`recorded: ${JSON.stringify(overridden)}`]),
  ].join("\n");
}

const black = { reason: "Black Friday", until: "2026-12-01T08:00:00Z", by: "ann" };
const wait = "  → Wait until the freeze is lifted";
const override = (id: string) => `    or override the freeze with --override-freeze=${id}`;
const noEnd =
  "  why: The value of until isn't a time such as 2026-12-01T08:00:00Z, so the freeze has no end";

test.each([
  [
    "a freeze with an end",
    black,
    `refused: Deployments in namespace prod are frozen until 2026-12-01T08:00:00Z\n  reason: Black Friday\n  by: ann\n  → Wait until the freeze ends\n${override("1a2b3c4d")}`,
  ],
  ["an expired freeze", { ...black, until: "2026-11-22T11:59:59Z" }, ""],
  ["a freeze that ends at this moment", { ...black, until: "2026-11-22T13:00:00+01:00" }, ""],
  [
    "a freeze without any text",
    {},
    `refused: Deployments in namespace prod are frozen\n  reason: none given\n${wait}\n${override("1a2b3c4d")}`,
  ],
  [
    "a freeze with its own name",
    { reason: "incident", name: "inc-7" },
    `refused: Deployments in namespace prod are frozen\n  reason: incident\n${wait}\n${override("inc-7")}`,
  ],
  [
    "a freeze with an invalid end",
    { reason: "incident", until: "tomorrow" },
    `refused: Deployments in namespace prod are frozen\n  reason: incident\n  until: "tomorrow"\n${noEnd}\n${wait}\n${override("1a2b3c4d")}`,
  ],
  [
    "a freeze that ends on a day that doesn't exist",
    { reason: "incident", until: "2026-13-41T00:00:00Z" },
    `refused: Deployments in namespace prod are frozen\n  reason: incident\n  until: "2026-13-41T00:00:00Z"\n${noEnd}\n${wait}\n${override("1a2b3c4d")}`,
  ],
  ["a freeze of other deployments", { ...black, deployments: "pay, mail" }, ""],
])("%s", async (_name, data, expected) => {
  expect(await freezeText(data)).toBe(expected);
});

test("a freeze of several deployments blocks this one", async () => {
  expect(await freezeText({ reason: "audit", deployments: "pay, shop" })).toContain(
    "reason: audit",
  );
});

test("a preview shows the freeze", async () => {
  const shown = await freezeText(black, { purpose: "preview" });
  expect(shown).toContain("told: Deployments in namespace prod are frozen until");
  expect(shown).not.toContain("why:");
});

test("a freeze is overridden only by its name, and the record contains the name", async () => {
  const overridden = await freezeText(black, { overrideFreeze: "1a2b3c4d" });
  expect(overridden).toBe(
    'told: Deployments in namespace prod are frozen until 2026-12-01T08:00:00Z\n  reason: Black Friday\n  by: ann\n  → Nothing to do: --override-freeze overrides this freeze\nrecorded: {"id":"1a2b3c4d","reason":"Black Friday","by":"ann","until":"2026-12-01T08:00:00Z"}',
  );
  expect(await freezeText(black, { overrideFreeze: "last-years" })).toContain(
    'why: --override-freeze names "last-years", not "1a2b3c4d"',
  );
});

test("a forbidden read of the freeze is a note, and a failed read blocks the deployment", async () => {
  expect(await freezeText("forbidden")).toBe(
    "told: qvs can't check for a freeze\n  server: https://fake.invalid\n  answer: it is forbidden\n  → Allow get on ConfigMap qvs-freeze in namespace prod to this identity",
  );
  expect(await freezeText("other")).toContain("refused: qvs can't check for a freeze");
});
