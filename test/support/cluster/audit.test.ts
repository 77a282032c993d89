import { expect, test } from "vitest";
import { writesIn } from "./audit.ts";

const kinds = new Map([
  ["configmaps", "ConfigMap"],
  ["deployments.apps", "Deployment"],
  ["namespaces", "Namespace"],
]);

interface Line {
  readonly verb?: string;
  readonly query?: string;
  readonly user?: string;
  readonly code?: number;
  readonly object?: Readonly<Record<string, string>>;
  readonly requestObject?: unknown;
}

test.each<{ readonly name: string; readonly line: Line; readonly writes: readonly string[] }>([
  {
    name: "a write is listed by verb, kind and name",
    line: {},
    writes: ["patch ConfigMap shop/a"],
  },
  { name: "a dry-run is no write", line: { query: "dryRun=All&force=true" }, writes: [] },
  {
    name: "a deletion's dry-run can be in its body",
    line: { verb: "delete", requestObject: { dryRun: ["All"] } },
    writes: [],
  },
  { name: "a rejected request isn't a write", line: { code: 409 }, writes: [] },
  { name: "writes of others are omitted", line: { user: "controllers" }, writes: [] },
  { name: "other namespaces are left out", line: { object: { namespace: "shop-2" } }, writes: [] },
  { name: "a status is left out", line: { object: { subresource: "status" } }, writes: [] },
  {
    name: "another subresource is reported",
    line: { object: { resource: "deployments", apiGroup: "apps", subresource: "scale" } },
    writes: ["patch Deployment/scale shop/a"],
  },
  {
    name: "the namespace itself belongs to it",
    line: { verb: "create", object: { resource: "namespaces", namespace: "", name: "shop" } },
    writes: ["create Namespace shop"],
  },
])("$name", ({ line, writes }) => {
  expect(writesIn([event(line)], "shop", "admin", kinds)).toEqual(writes);
});

test.each<{ readonly name: string; readonly line: Line; readonly writes: readonly string[] }>([
  {
    name: "a namespace of a longer name is around it",
    line: { object: { namespace: "shop-2" } },
    writes: ["patch ConfigMap shop-2/a"],
  },
  {
    name: "a cluster-scoped object is listed too",
    line: { object: { resource: "storageclasses", namespace: "", name: "shop-fast" } },
    writes: ["patch storageclasses shop-fast"],
  },
  { name: "another name is not", line: { object: { namespace: "web" } }, writes: [] },
])("$name", ({ line, writes }) => {
  expect(writesIn([event(line)], "shop", "admin", kinds, "around")).toEqual(writes);
});

function event(line: Line): string {
  const { namespace = "shop", ...object } = line.object ?? {};
  return JSON.stringify({
    verb: line.verb ?? "patch",
    requestURI: `/api/v1/namespaces/shop/configmaps/a?${line.query ?? "fieldManager=qvs"}`,
    user: { username: line.user ?? "admin" },
    objectRef: { resource: "configmaps", name: "a", ...(namespace && { namespace }), ...object },
    responseStatus: { code: line.code ?? 200 },
    requestObject: line.requestObject,
  });
}
