import { expect, test } from "vitest";
import { openCluster } from "../../../../../src/io/kubernetes/cluster.ts";
import type { Json } from "../../../../../src/model/json.ts";
import {
  connectionTo,
  quickPace,
  type Scripted,
  scriptedApi,
  status,
} from "../../../../support/servers/scripted-api.ts";

function page(names: readonly string[], token: string): Scripted {
  const items: Json[] = names.map((name) => ({ metadata: { name } }));
  return { json: { kind: "PodList", metadata: { resourceVersion: "9", continue: token }, items } };
}

async function listPods(script: readonly Scripted[]) {
  const api = await scriptedApi(script);
  const cluster = openCluster(connectionTo(api), quickPace());
  const answer = await cluster.list("v1", "Pod", "shop");
  cluster.close();
  return { answer, lines: api.lines() };
}

const expired = status(410, "Expired", "the provided continue parameter is too old");

test("all pages are read, and items get their type", async () => {
  const { answer, lines } = await listPods([page(["a", "b"], "to/ken="), page(["c"], "")]);
  expect(answer).toEqual({
    ok: true,
    value: {
      resourceVersion: "9",
      bytes: expect.any(Number),
      items: ["a", "b", "c"].map((name) => ({ apiVersion: "v1", kind: "Pod", metadata: { name } })),
    },
  });
  expect(lines).toEqual([
    "GET /api/v1/namespaces/shop/pods?limit=500",
    "GET /api/v1/namespaces/shop/pods?limit=500&continue=to%2Fken%3D",
  ]);
});

test("a list with expired pages is read again in one request", async () => {
  const { answer, lines } = await listPods([page(["a"], "t"), expired, page(["x", "y"], "")]);
  expect(answer).toMatchObject({ value: { items: [{ metadata: { name: "x" } }, {}] } });
  expect(lines.at(-1)).toBe("GET /api/v1/namespaces/shop/pods");
});

test("an incomplete list is never returned", async () => {
  const { answer } = await listPods([page(["a"], "t"), status(403, "Forbidden", "no more")]);
  expect(answer).toMatchObject({ ok: false, failure: { reason: "forbidden" } });
});

test("an answer that isn't a list is a failure", async () => {
  const { answer } = await listPods([{ json: {} }]);
  expect(answer).toMatchObject({ ok: false, failure: { message: "the API server sent no list" } });
});
